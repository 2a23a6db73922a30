package store_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/store"
)

// TestCursorFormat pins the token, which a drain may hold across an upgrade of the
// program. The tokens were made by a few lines of Python that follow the comment
// on the format in cursor.go.
func TestCursorFormat(t *testing.T) {
	for token, want := range map[string]store.Cursor{
		"AQI61Vmg6Es3MRDuDtvIJPPLAAAAA3RibC9vcmRlcnMuN9Ttr_mncg": {
			Layout: store.V2, Scope: store.PrefixScope("lake_prefix_v2", "tbl/"), Shard: 3, Last: "tbl/orders",
		},
		"AQEVWwIaQDJGHY7YQLldPeafAAAAAHi-Q3fHnOWkCg": {
			Layout: store.V1, Scope: store.FamilyScope("lake", "root"), Last: "x",
		},
	} {
		if got := want.Token(); got != token {
			t.Errorf("token of %+v is %s, want %s", want, got, token)
		}
		got, err := store.ParseCursor(token)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("ParseCursor(%s): %v (-want +got):\n%s", token, err, diff)
		}
	}
}

func TestCursorCheck(t *testing.T) {
	here := store.PrefixScope("lake", "tbl/")
	c := store.Cursor{Layout: store.V1, Scope: here, Last: "tbl/a"}
	if err := c.Check(store.V1, here); err != nil {
		t.Errorf("its own drain refuses it: %v", err)
	}
	for what, err := range map[string]error{
		"another layout":           c.Check(store.V2, here),
		"another prefix":           c.Check(store.V1, store.PrefixScope("lake", "tbl/a")),
		"another table":            c.Check(store.V1, store.PrefixScope("lake2", "tbl/")),
		"the family of that name":  c.Check(store.V1, store.FamilyScope("lake", "tbl/")),
		"table and prefix shifted": c.Check(store.V1, store.PrefixScope("laket", "bl/")),
	} {
		if !errors.Is(err, store.ErrBadCursor) {
			t.Errorf("%s: %v, want ErrBadCursor", what, err)
		}
	}
}

// FuzzParseCursor: what is accepted is exactly what Token makes.
func FuzzParseCursor(f *testing.F) {
	f.Add("")
	f.Add("AQI61Vmg6Es3MRDuDtvIJPPLAAAAA3RibC9vcmRlcnMuN9Ttr_mncg")
	f.Add("AQI61Vmg6Es3MRDuDtvIJPPLAAAAA3RibC9vcmRlcnMuN9Ttr_mnch")
	f.Add("AQEVWwIaQDJGHY7YQLldPeafAAAAAHi-Q3fHnOWkCg==")
	f.Add("AQEVWwIaQDJGHY7YQLldPeaf\nAAAAAHi-Q3fHnOWkCg")
	f.Add("AQEVWwIaQDJGHY7YQLldPeafAAAAAHi-Q3fHnOWkCh")
	f.Fuzz(func(t *testing.T, token string) {
		c, err := store.ParseCursor(token)
		switch {
		case err != nil && !errors.Is(err, store.ErrBadCursor):
			t.Errorf("%v, want ErrBadCursor", err)
		case err == nil && c.Token() != token:
			t.Errorf("accepts %q, makes %q of it", token, c.Token())
		}
	})
}
