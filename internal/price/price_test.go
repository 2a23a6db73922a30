package price

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lakebench/lakebench/internal/yamlfile"
)

// The prices of docs/facts/dynamodb.md §3.8, copied by hand.
func TestDefault(t *testing.T) {
	got := Default()
	want := Table{
		Date: "2026-10-04", Region: "us-east-1", Currency: "USD",
		OnDemand:    OnDemand{RRUPerMillion: 0.125, WRUPerMillion: 0.625, StorageGBMonth: 0.25},
		Provisioned: Provisioned{RCUHour: 0.00013, WCUHour: 0.00065}, // of no fact sheet: see its source
		Standard:    Standard{ClassAPerThousand: 0.005, ClassBPerThousand: 0.0004, StorageGBMonth: 0.023},
		Express: Express{
			ClassAPerThousand: 0.00113, ClassBPerThousand: 0.00003,
			UploadPerGB: 0.0032, ReadPerGB: 0.0006, StorageGBMonth: 0.11,
		},
	}
	for i, s := range got.sections() {
		for j, p := range s.prices {
			if w := *want.sections()[i].prices[j].value; *p.value != w {
				t.Errorf("%s.%s is %v, expected %v", s.name, p.key, *p.value, w)
			}
			if got.Sources[s.name+"."+p.key] == "" {
				t.Errorf("%s.%s has no source", s.name, p.key)
			}
		}
	}
	if got.Date != want.Date || got.Region != want.Region || got.Currency != want.Currency {
		t.Errorf("%s, %s, %s", got.Date, got.Region, got.Currency)
	}
}

func TestCosts(t *testing.T) {
	p := Default()
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		// A v1 refresh of 100,000 records of 300 B reads 7,424 units.
		{"7,424 RRU", p.DynamoDB(7424, 0), 0.000928},
		{"a million WRU", p.DynamoDB(0, 1e6), 0.625},
		{"half a unit", p.DynamoDB(0.5, 0), 0.0000000625},
		{"RRU and WRU", p.DynamoDB(2e6, 1e6), 0.875},
		{"an hour of 1,000 RCU and 100 WCU", p.DynamoDBProvisioned(1000, 100), 0.195},
		{"1,000 PUT and 1,000 GET", p.S3(1000, 1000), 0.0054},
		{"Express requests", p.S3Express(1000, 1000, 0, 0), 0.00116},
		{"Express 2 GB up, 1 GB down", p.S3Express(0, 0, 2e9, 1e9), 0.007},
	} {
		if math.Abs(c.got-c.want) > 1e-15 {
			t.Errorf("%s cost %v, expected %v", c.what, c.got, c.want)
		}
	}
}

func TestHash(t *testing.T) {
	a := Default()
	commented, err := Load(strings.NewReader("# ours\n"+strings.Replace(defaultTable, "0.625", "0.6250", 1)), "prices")
	if err != nil {
		t.Fatal(err)
	}
	if a.Hash() != commented.Hash() {
		t.Error("a comment or a trailing zero changed the hash")
	}
	for _, change := range []struct{ from, to string }{
		{`"2026-10-04"`, `"2026-10-05"`}, {"us-east-1\n", "eu-west-1\n"},
		{"rru_per_million: 0.125", "rru_per_million: 0.126"}, {"reduced 2025-04-10", "reduced"},
	} {
		b, err := Load(strings.NewReader(strings.Replace(defaultTable, change.from, change.to, 1)), "prices")
		if err != nil {
			t.Fatal(err)
		}
		if a.Hash() == b.Hash() {
			t.Errorf("%s for %s left the hash as it was", change.to, change.from)
		}
	}
	// Two prices that change places are another table.
	c := Default()
	c.OnDemand.RRUPerMillion, c.OnDemand.WRUPerMillion = c.OnDemand.WRUPerMillion, c.OnDemand.RRUPerMillion
	if a.Hash() == c.Hash() {
		t.Error("swapped prices left the hash as it was")
	}
	if len(a.Hash()) != 64 {
		t.Errorf("hash %q is no SHA-256", a.Hash())
	}
}

func TestLoadRefuses(t *testing.T) {
	replace := func(from, to string) string {
		if !strings.Contains(defaultTable, from) {
			t.Fatalf("the table has no %q", from)
		}
		return strings.Replace(defaultTable, from, to, 1)
	}
	for name, c := range map[string]struct{ file, want string }{
		"empty":          {"", "prices: the file is empty, expected a price table"},
		"no mapping":     {"- 1\n", "prices:1:1: the file: expected keys with values, found a list"},
		"no YAML":        {"date: [\n", "did not find expected node content"},
		"two documents":  {defaultTable + "---\ndate: x\n", "more than one YAML document"},
		"unknown key":    {replace("rru_per_million: 0.125", "rru_per_mill: 0.125"), `prices:9:3: unknown key "rru_per_mill", did you mean "rru_per_million"? (allowed: rcu_hour, rru_per_million, storage_gb_month, wcu_hour, wru_per_million)`},
		"unknown place":  {"stock: 1\n" + defaultTable, `unknown key "stock"`},
		"twice":          {replace("region: us-east-1\n", "region: us-east-1\nregion: eu-west-1\n"), `key "region" is given twice`},
		"no date":        {replace("date: \"2026-10-04\"\n", ""), `"date" is missing`},
		"no region":      {replace("region: us-east-1\n", ""), `"region" is missing`},
		"empty region":   {replace("region: us-east-1\n", "region: ''\n"), `region: expected a text, found ""`},
		"null region":    {replace("region: us-east-1\n", "region:\n"), `region: expected a text`},
		"wrong date":     {replace("2026-10-04", "4.10.2026"), `prices:4:7: date: expected YYYY-MM-DD, found "4.10.2026"`},
		"euros":          {replace("USD", "EUR"), `currency: expected USD, found "EUR"`},
		"negative":       {replace("0.125", "-0.125"), `prices:9:20: dynamodb.rru_per_million: expected a number of at least 0, found "-0.125"`},
		"NaN":            {replace("0.125", ".nan"), `expected a number of at least 0, found ".nan"`},
		"infinite":       {replace("0.125", ".inf"), `expected a number of at least 0, found ".inf"`},
		"text":           {replace("0.125", "cheap"), `expected a number of at least 0, found "cheap"`},
		"quoted":         {replace("0.125", "'0.125'"), `expected a number of at least 0`},
		"missing price":  {replace("  rru_per_million: 0.125\n", ""), `"dynamodb.rru_per_million" is missing`},
		"price is a map": {replace("rru_per_million: 0.125", "rru_per_million: {usd: 1}"), "found keys with values"},
		"alias":          {replace("0.125\n  wru_per_million: 0.625", "&a 0.1\n  wru_per_million: *a"), "found an alias"},
		"unknown source": {replace("  s3.storage_gb_month:", "  s3.storage:"), `unknown key "s3.storage"`},
		"empty source":   {withoutSources() + "sources: {s3.storage_gb_month: }\n", "sources.s3.storage_gb_month: expected a text"},
	} {
		_, err := Load(strings.NewReader(c.file), "prices")
		var syntax *yamlfile.Error
		if !errors.As(err, &syntax) {
			t.Errorf("%s: %v, expected a *yamlfile.Error", name, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, err, c.want)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %q", name, err)
		}
	}
}

func withoutSources() string {
	prices, _, _ := strings.Cut(defaultTable, "sources:")
	return prices
}

func TestLoadWithoutSources(t *testing.T) {
	got, err := Load(strings.NewReader(withoutSources()), "prices")
	if err != nil || len(got.Sources) != 0 {
		t.Errorf("%v, %v", got.Sources, err)
	}
}

func TestLoadReturnsTheReadersError(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := Load(io.MultiReader(strings.NewReader(defaultTable[:200]), iotest.ErrReader(broken)), "prices")
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(defaultTable)
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, file string) {
		p, err := Load(strings.NewReader(file), "prices")
		if err != nil {
			return
		}
		for _, s := range p.sections() {
			for _, e := range s.prices {
				if !(*e.value >= 0) || math.IsInf(*e.value, 0) {
					t.Errorf("%s.%s = %v was accepted", s.name, e.key, *e.value)
				}
			}
		}
	})
}
