package expr

import (
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
)

// Bound is one end of a range of keys. The zero Bound does not bound anything.
type Bound struct {
	Value attr.Value
	// Open reports whether Value itself is outside.
	Open bool
}

// KeyRange is what a key condition selects: items with one hash key and, of
// these, the ones whose range key lies between Lower and Upper and, if Prefix is
// a value, starts with it.
type KeyRange struct {
	Hash         attr.Value
	Lower, Upper Bound
	Prefix       attr.Value
}

// Contains reports whether a range key is selected.
func (r KeyRange) Contains(key attr.Value) bool {
	if r.Prefix.IsValid() && (key.Kind() != r.Prefix.Kind() || !strings.HasPrefix(key.Text(), r.Prefix.Text())) {
		return false
	}
	if r.Lower.Value.IsValid() {
		order, ok := key.Compare(r.Lower.Value)
		if !ok || order < 0 || order == 0 && r.Lower.Open {
			return false
		}
	}
	if r.Upper.Value.IsValid() {
		order, ok := key.Compare(r.Upper.Value)
		if !ok || order > 0 || order == 0 && r.Upper.Open {
			return false
		}
	}
	return true
}

// Interval returns the selected range keys as a half-open interval of their
// ordered forms (attr.Value.AppendOrdered): from <= key < to in the order of
// bytes.Compare. A nil to means no upper end.
func (r KeyRange) Interval() (from, to []byte) {
	if r.Prefix.IsValid() {
		from = r.Prefix.AppendOrdered(nil)
		return from, after(from)
	}
	if r.Lower.Value.IsValid() {
		from = r.Lower.Value.AppendOrdered(nil)
		if r.Lower.Open {
			from = append(from, 0)
		}
	}
	if r.Upper.Value.IsValid() {
		to = r.Upper.Value.AppendOrdered(nil)
		if !r.Upper.Open {
			to = append(to, 0)
		}
	}
	return from, to
}

// after returns the least key that is greater than every key which starts with
// prefix, nil if there is none.
func after(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			out := append([]byte(nil), prefix[:i+1]...)
			out[i]++
			return out
		}
	}
	return nil
}
