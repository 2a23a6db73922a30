package attr

import (
	"slices"
	"strings"
)

// validateSet makes members canonical and sorted, in place.
func validateSet(kind Kind, members []string) error {
	if !kind.IsSet() {
		return &ValueError{Rule: NotASetKind, Message: "type " + kind.String() + " is not a set"}
	}
	if len(members) == 0 {
		return &ValueError{Rule: EmptySet, Message: emptySetMessage(kind)}
	}
	if kind == NS {
		for i, m := range members {
			canonical, err := canonicalNumber(m)
			if err != nil {
				return err
			}
			members[i] = canonical
		}
	}
	given := members
	if !slices.IsSortedFunc(members, memberOrder(kind)) {
		given = slices.Clone(members)
		slices.SortFunc(members, memberOrder(kind))
	}
	for i := 1; i < len(members); i++ {
		if members[i-1] == members[i] {
			return &ValueError{Rule: DuplicateMember, Message: duplicateMessage(kind, given)}
		}
	}
	return nil
}

func memberOrder(kind Kind) func(a, b string) int {
	if kind == NS {
		return compareNumbers
	}
	return strings.Compare
}

// The texts are the service's own, two blanks included.
func emptySetMessage(kind Kind) string {
	const prefix = "One or more parameter values were invalid: "
	switch kind {
	case SS:
		return prefix + "An string set  may not be empty"
	case NS:
		return prefix + "An number set  may not be empty"
	default:
		return prefix + "Binary sets should not be empty"
	}
}

func nullMember(kind Kind) error {
	const prefix = "One or more parameter values were invalid: "
	e := &ValueError{Rule: NullMember}
	switch kind {
	case SS:
		e.Message = prefix + "An string set may not have a null string as a member"
	case NS:
		e.Message = prefix + "An number set may not have a null number as a member"
	default:
		e.Message = prefix + "Binary sets may not have a null binary as a member"
	}
	return e
}

func duplicateMessage(kind Kind, given []string) string {
	switch kind {
	case NS:
		return "Input collection contains duplicates"
	case BS:
		return "One or more parameter values were invalid: Input collection of type BS contains duplicates."
	default:
		return "One or more parameter values were invalid: Input collection [" + strings.Join(given, ", ") + "] contains duplicates."
	}
}

// Union returns the set of the members of two sets of one type.
func Union(a, b Value) Value {
	order := memberOrder(a.kind)
	members := slices.Concat(a.parts.set, b.parts.set)
	slices.SortFunc(members, order)
	return Value{kind: a.kind, parts: &parts{set: slices.Compact(members)}}
}

// Difference returns the set of those members of a that b, of the same type, does
// not have. A set is never empty: ok is false if none is left.
func Difference(a, b Value) (v Value, ok bool) {
	order := memberOrder(a.kind)
	var members []string
	for _, m := range a.parts.set {
		if _, found := slices.BinarySearchFunc(b.parts.set, m, order); !found {
			members = append(members, m)
		}
	}
	return Value{kind: a.kind, parts: &parts{set: members}}, len(members) > 0
}
