// Package price turns billed units into money.
//
// A price without a date, a region and a source is a rumour, so a
// table carries all three, a missing price is an error and never zero, and every
// result names the hash of the table that priced it.
package price

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/internal/counts"
)

// Table is what the services charge in one region on one date.
type Table struct {
	Date     string // YYYY-MM-DD
	Region   string
	Currency string // "USD"
	// OnDemand is DynamoDB's on-demand capacity in the Standard table class,
	// Provisioned its provisioned capacity.
	OnDemand    OnDemand
	Provisioned Provisioned
	Standard    Standard // S3 Standard
	Express     Express  // S3 Express One Zone
	// Sources says, for a price given as "section.key", where and when it was
	// read.
	Sources map[string]string
}

// OnDemand holds DynamoDB's on-demand prices.
type OnDemand struct {
	RRUPerMillion float64 // read request units
	WRUPerMillion float64 // write request units
	// StorageGBMonth is for 10^9 bytes, 100 bytes an item included.
	StorageGBMonth float64
}

// Provisioned holds DynamoDB's prices of capacity by the hour, without reserved
// capacity.
type Provisioned struct {
	RCUHour float64 // one read capacity unit: one read request unit a second
	WCUHour float64 // one write capacity unit
}

// Standard holds the prices of S3 Standard. Class A are PUT, COPY, POST and LIST
// requests, class B are GET, HEAD and all others; DELETE is free.
type Standard struct {
	ClassAPerThousand float64
	ClassBPerThousand float64
	StorageGBMonth    float64
}

// Express holds the prices of S3 Express One Zone, which charges for the bytes
// of a request beside the request.
type Express struct {
	ClassAPerThousand float64
	ClassBPerThousand float64
	UploadPerGB       float64
	ReadPerGB         float64
	StorageGBMonth    float64
}

// transferGB is the gigabyte of S3 Express's prices per GB. The sources do not
// say which gigabyte; the decimal one can only overstate the cost, by 7 %.
const transferGB = 1e9

//go:embed us-east-1.yaml
var defaultTable string

// Default returns the table that ships with lakebench: us-east-1.
func Default() Table {
	t, err := Load(strings.NewReader(defaultTable), "prices")
	if err != nil {
		panic(fmt.Sprintf("price: the embedded table: %v", err)) // a test loads it
	}
	return t
}

// DynamoDB returns the cost of rru read and wru write request units.
func (t Table) DynamoDB(rru, wru float64) float64 {
	return (rru*t.OnDemand.RRUPerMillion + wru*t.OnDemand.WRUPerMillion) / 1e6
}

// DynamoDBProvisioned returns the cost of an hour of rcu read and wcu write
// capacity units.
func (t Table) DynamoDBProvisioned(rcu, wcu float64) float64 {
	return rcu*t.Provisioned.RCUHour + wcu*t.Provisioned.WCUHour
}

// S3 returns the cost of a class A and b class B requests to S3 Standard.
func (t Table) S3(a, b int64) float64 {
	return (float64(a)*t.Standard.ClassAPerThousand + float64(b)*t.Standard.ClassBPerThousand) / 1e3
}

// Units returns the cost of what DynamoDB and S3 Standard bill.
func (t Table) Units(u counts.Units) float64 {
	return t.DynamoDB(u.RRU, u.WRU) + t.S3(u.S3ClassA, u.S3ClassB)
}

// S3Express returns the cost of a class A and b class B requests to S3 Express
// One Zone that uploaded and read these bytes.
func (t Table) S3Express(a, b, uploaded, read int64) float64 {
	requests := (float64(a)*t.Express.ClassAPerThousand + float64(b)*t.Express.ClassBPerThousand) / 1e3
	return requests + (float64(uploaded)*t.Express.UploadPerGB+float64(read)*t.Express.ReadPerGB)/transferGB
}

// Hash identifies the table: the SHA-256, in hexadecimal, of all it says, in a
// fixed order. The layout and the comments of the file it was read from do not
// matter.
func (t Table) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "date=%q\nregion=%q\ncurrency=%q\n", t.Date, t.Region, t.Currency)
	for _, s := range t.sections() {
		for _, p := range s.prices {
			fmt.Fprintf(h, "%s.%s=%s\n", s.name, p.key, strconv.FormatFloat(*p.value, 'g', -1, 64))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Sources)) {
		fmt.Fprintf(h, "source %q=%q\n", name, t.Sources[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// section is a group of prices by the names that they have in a file.
type section struct {
	name   string
	prices []entry
}

type entry struct {
	key   string
	value *float64
}

// sections lists every price of t, in the order in which they are hashed.
func (t *Table) sections() []section {
	return []section{
		{"dynamodb", []entry{
			{"rru_per_million", &t.OnDemand.RRUPerMillion},
			{"wru_per_million", &t.OnDemand.WRUPerMillion},
			{"storage_gb_month", &t.OnDemand.StorageGBMonth},
			{"rcu_hour", &t.Provisioned.RCUHour},
			{"wcu_hour", &t.Provisioned.WCUHour},
		}},
		{"s3", []entry{
			{"class_a_per_thousand", &t.Standard.ClassAPerThousand},
			{"class_b_per_thousand", &t.Standard.ClassBPerThousand},
			{"storage_gb_month", &t.Standard.StorageGBMonth},
		}},
		{"s3_express", []entry{
			{"class_a_per_thousand", &t.Express.ClassAPerThousand},
			{"class_b_per_thousand", &t.Express.ClassBPerThousand},
			{"upload_per_gb", &t.Express.UploadPerGB},
			{"read_per_gb", &t.Express.ReadPerGB},
			{"storage_gb_month", &t.Express.StorageGBMonth},
		}},
	}
}
