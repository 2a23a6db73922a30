package storetest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/store"
)

// maxItemBytes is the size limit of an item (ServiceQuotas page: 400 KB).
const maxItemBytes = 409_600

// testLimits: what just fits is stored, one byte more is refused with the limit
// in the message.
func testLimits(t *testing.T, f Fixture) {
	ctx, s := context.Background(), f.Store
	longest := "tbl/" + strings.Repeat("k", f.MaxKeyBytes-len("tbl/"))
	create(t, s, longest)
	wantValue(t, s, longest, []byte(longest))
	if err := s.Delete(ctx, longest, []byte(longest)); err != nil {
		t.Errorf("delete the longest key: %v", err)
	}
	limit := fmt.Sprint(f.MaxKeyBytes)
	_, err := s.Get(ctx, longest+"k")
	wantTooLarge(t, "Get of a longer key", err, limit)
	wantTooLarge(t, "CAS of a longer key", s.CAS(ctx, longest+"k", store.Absent(), nil), limit)
	wantTooLarge(t, "Delete of a longer key", s.Delete(ctx, longest+"k", nil), limit)
	wantTooLarge(t, "a longer guard", s.GuardedMutate(ctx, store.Guard{Key: longest + "k"}, store.Mutation{Key: "tbl/a"}), limit)
	_, err = s.Page(ctx, longest+"k", 1, "")
	wantTooLarge(t, "Page of a longer prefix", err, limit)

	key := "append-operation/1"
	largest := bytes.Repeat([]byte{7}, maxItemBytes-f.ItemBytes(key, nil))
	put(t, s, key, largest)
	wantValue(t, s, key, largest)
	larger := append(bytes.Clone(largest), 7)
	limit = fmt.Sprint(maxItemBytes)
	wantTooLarge(t, "CAS to a larger item", s.CAS(ctx, key, store.Exactly(largest), larger), limit)
	wantTooLarge(t, "CAS from a larger item", s.CAS(ctx, key, store.Exactly(larger), nil), limit)
	wantTooLarge(t, "Delete of a larger item", s.Delete(ctx, key, larger), limit)
	wantTooLarge(t, "a larger guard", s.GuardedMutate(ctx, store.Guard{Key: key, Expect: store.Exactly(larger)}, store.Mutation{Key: "tbl/a"}), limit)
	wantTooLarge(t, "a larger target", s.GuardedMutate(ctx, store.Guard{Key: "lease/a"}, store.Mutation{Key: key, Expect: store.Exactly(largest), Next: larger}), limit)
	wantValue(t, s, key, largest)
}

func wantTooLarge(t *testing.T, what string, err error, limit string) {
	t.Helper()
	wantError(t, what, err, store.ErrTooLarge)
	if err != nil && !strings.Contains(err.Error(), limit) {
		t.Errorf("%s: message %q does not name the limit, %s", what, err, limit)
	}
}

// torture are keys that a careless layout confuses (hazard 12).
func torture() []string {
	long := strings.Repeat("p", 1010)
	return []string{
		"tbl", "tbl/a", "tbl/a/", "tbl/a/b", "tbl/ab", "tbl//a", "tbl2/a", "tb/l", "tbl#/a", "tbl#00/a", "tbl#", "tbl/#", "tbl /a",
		"root", "root/", "root/x", "root/x/y", "rooted", "rooted/x", "x", "#", "#00",
		"/", "/x", "//", "control", "control/layout", "layout",
		"ü", "ü/ü", "ué/a", "日本/語", "日本/語/😀", "tbl/ö", "tbl/o\u0308", "tbl/\x00", "tbl/\x00\x00", "tbl/\u00ff", "tbl/\uffff", "tbl/\U0010ffff",
		"tbl/" + long + "-1", "tbl/" + long + "-2", "tbl/" + long, long, long + "/1", long + "/2",
		"append-operation/1", "append-operation/2", "append-operation", "lance-manifest/t/1", "lance-manifest/t/10", "lance-manifest/t/2",
		"a'b/\"c\"", "a b/c d", "%2F/x", "tbl/%", "tbl/_", "tbl/*", "tbl/a\n", "tbl/A",
	}
}

// testKeys: torture keys are all different keys, and each prefix finds its own.
func testKeys(t *testing.T, f Fixture) {
	ctx, s := context.Background(), f.Store
	keys := torture()
	create(t, s, keys...)
	for _, key := range keys {
		wantValue(t, s, key, []byte(key))
	}
	prefixes := append(torture(), "tbl/"+strings.Repeat("p", 1000), "tbl2/", "tb", "", "nothing/", "tbl/a/b/c")
	for _, prefix := range prefixes {
		if !f.AnyPrefix && !strings.Contains(prefix, "/") {
			_, err := s.Page(ctx, prefix, 0, "")
			wantError(t, fmt.Sprintf("Page(%q)", prefix), err, store.ErrPrefixSpansFamilies)
			for _, err := range s.List(ctx, prefix) {
				wantError(t, fmt.Sprintf("List(%q)", prefix), err, store.ErrPrefixSpansFamilies)
			}
			continue
		}
		wantListing(t, fmt.Sprintf("List(%q)", prefix), s.List(ctx, prefix), named(under(keys, prefix)...))
	}
	for i, key := range keys {
		if err := s.Delete(ctx, key, []byte(key)); err != nil {
			t.Errorf("delete %q: %v", key, err)
		}
		if i%10 == 0 {
			for _, left := range keys[i+1:] {
				wantValue(t, s, left, []byte(left))
			}
		}
	}
}

func under(keys []string, prefix string) []string {
	var found []string
	for _, key := range keys {
		if strings.HasPrefix(key, prefix) {
			found = append(found, key)
		}
	}
	return found
}

// testFamilies: every key belongs to the family that its first path segment
// names, or to "root" without a slash (docs/spec/metadata-store.md §3).
func testFamilies(t *testing.T, f Fixture) {
	ctx, s := context.Background(), f.Store
	create(t, s, torture()...)
	families := map[string][]string{"nothing": nil, "root": nil, "": nil}
	for _, key := range torture() {
		family := strings.Split(key, "/")[0]
		if !strings.Contains(key, "/") {
			family = "root"
		}
		families[family] = append(families[family], key)
	}
	for family, keys := range families {
		wantListing(t, fmt.Sprintf("ListFamily(%q)", family), s.ListFamily(ctx, family), named(keys...))
	}
}
