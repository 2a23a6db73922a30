package checker

// Histories whose verdict follows from the contract (docs/spec/metadata-store.md §1)
// by the reasoning that stands beside each.
var cases = []struct {
	name string
	want Verdict
	h    History
}{
	{"read after write", Passed, history(
		op("w", 1, 2, cas("k", Absent(), "1"), answer(OK)),
		op("r", 3, 4, get("k"), saw("1")),
	)},
	{"stale read: the write had returned", Failed, history(
		op("w", 1, 2, cas("k", Absent(), "1"), answer(OK)),
		op("r", 3, 4, get("k"), answer(NotFound)),
	)},
	{"a read during the write may see either: the old", Passed, history(
		op("w", 1, 4, cas("k", Absent(), "1"), answer(OK)),
		op("r", 2, 3, get("k"), answer(NotFound)),
	)},
	{"a read during the write may see either: the new", Passed, history(
		op("w", 1, 4, cas("k", Absent(), "1"), answer(OK)),
		op("r", 2, 3, get("k"), saw("1")),
	)},
	{"two reads in a row during the write go back in time", Failed, history(
		op("w", 1, 6, cas("k", Absent(), "1"), answer(OK)),
		op("r", 2, 3, get("k"), saw("1")),
		op("r", 4, 5, get("k"), answer(NotFound)),
	)},
	{"lost update: two writers replaced the same value", Failed, history(
		op("a", 1, 4, cas("k", Text("0"), "a"), answer(OK)),
		op("b", 2, 3, cas("k", Text("0"), "b"), answer(OK)),
	).startingWith("k", "0")},
	{"one of two writers loses", Passed, history(
		op("a", 1, 4, cas("k", Text("0"), "a"), answer(OK)),
		op("b", 2, 3, cas("k", Text("0"), "b"), found(Conflict, "a")),
	).startingWith("k", "0")},
	{"two creators of one key", Failed, history(
		op("a", 1, 4, cas("k", Absent(), "a"), answer(OK)),
		op("b", 2, 3, cas("k", Absent(), "b"), answer(OK)),
	)},
	{"a conflict needs another value there", Failed, history(
		op("a", 1, 2, cas("k", Text("0"), "a"), answer(Conflict)),
	).startingWith("k", "0")},
	{"a conflict found a value that was never there", Failed, history(
		op("a", 1, 2, cas("k", Text("1"), "a"), found(Conflict, "2")),
	).startingWith("k", "0")},
	{"a conflict found an older value", Failed, history(
		op("a", 1, 2, cas("k", Text("0"), "1"), answer(OK)),
		op("b", 3, 4, cas("k", Text("x"), "y"), found(Conflict, "0")),
	).startingWith("k", "0")},
	{"a conflict with nothing there", Passed, history(
		op("a", 1, 2, cas("k", Text("0"), "1"), answer(Conflict)),
	)},
	{"an empty value is not nothing: read", Failed, history(
		op("a", 1, 2, cas("k", Absent(), ""), answer(OK)),
		op("b", 3, 4, get("k"), answer(NotFound)),
	)},
	{"an empty value is not nothing: cas", Failed, history(
		op("a", 1, 2, cas("k", Absent(), ""), answer(OK)),
		op("b", 3, 4, cas("k", Absent(), "1"), answer(OK)),
	)},

	{"resurrected delete", Failed, history(
		op("a", 1, 2, del("k", "0"), answer(OK)),
		op("b", 3, 4, get("k"), saw("0")),
	).startingWith("k", "0")},
	{"deleted and created again", Passed, history(
		op("a", 1, 2, del("k", "0"), answer(OK)),
		op("b", 3, 6, cas("k", Absent(), "0"), answer(OK)),
		op("c", 4, 5, get("k"), saw("0")),
	).startingWith("k", "0")},
	{"one delete of two finds nothing", Passed, history(
		op("a", 1, 4, del("k", "0"), answer(OK)),
		op("b", 2, 3, del("k", "0"), answer(NotFound)),
	).startingWith("k", "0")},
	{"both of two deletes succeed", Failed, history(
		op("a", 1, 4, del("k", "0"), answer(OK)),
		op("b", 2, 3, del("k", "0"), answer(OK)),
	).startingWith("k", "0")},
	{"a delete that finds nothing where there is something", Failed, history(
		op("a", 1, 2, del("k", "0"), answer(NotFound)),
	).startingWith("k", "1")},
	{"a delete in conflict where there is nothing", Failed, history(
		op("a", 1, 2, del("k", "0"), answer(Conflict)),
	)},
	{"a delete in conflict with another value", Passed, history(
		op("a", 1, 2, del("k", "0"), answer(Conflict)),
	).startingWith("k", "1")},

	{"an unknown write that must have happened", Passed, history(
		op("a", 1, 2, cas("k", Absent(), "1"), answer(Unknown)),
		op("b", 3, 4, get("k"), saw("1")),
	)},
	{"an unknown write that must not have happened", Passed, history(
		op("a", 1, 2, cas("k", Text("0"), "1"), answer(Unknown)),
		op("b", 3, 4, cas("k", Text("0"), "2"), answer(OK)),
		op("b", 5, 6, get("k"), saw("2")),
	).startingWith("k", "0")},
	{"an unknown write lands late", Passed, history(
		op("a", 1, 2, cas("k", Absent(), "1"), answer(Unknown)),
		op("b", 3, 4, get("k"), answer(NotFound)),
		op("b", 5, 6, get("k"), saw("1")),
	)},
	{"an unknown write that never returned lands late", Passed, history(
		op("a", 1, never, cas("k", Absent(), "1"), answer(Unknown)),
		op("b", 3, 4, get("k"), answer(NotFound)),
		op("b", 5, 6, get("k"), saw("1")),
	)},
	{"an unknown write does not come and go", Failed, history(
		op("a", 1, 2, cas("k", Absent(), "1"), answer(Unknown)),
		op("b", 3, 4, get("k"), saw("1")),
		op("b", 5, 6, get("k"), answer(NotFound)),
	)},
	{"an unknown write does not happen before it was called", Failed, history(
		op("b", 1, 2, get("k"), saw("1")),
		op("a", 3, 4, cas("k", Absent(), "1"), answer(Unknown)),
	)},
	{"an unknown write happens once", Failed, history(
		op("a", 1, 2, cas("k", Text("0"), "1"), answer(Unknown)),
		op("b", 3, 4, cas("k", Text("1"), "0"), answer(OK)),
		op("b", 5, 6, get("k"), saw("1")),
	).startingWith("k", "0")},
	{"two unknown writes happen twice", Passed, history(
		op("a", 1, 2, cas("k", Text("0"), "1"), answer(Unknown)),
		op("c", 3, 4, cas("k", Text("0"), "1"), answer(Unknown)),
		op("b", 5, 6, cas("k", Text("1"), "0"), answer(OK)),
		op("b", 7, 8, get("k"), saw("1")),
	).startingWith("k", "0")},
	{"an unknown write keeps its condition", Failed, history(
		op("a", 1, 2, cas("k", Text("1"), "2"), answer(Unknown)),
		op("b", 3, 4, get("k"), saw("2")),
	).startingWith("k", "0")},
	{"an unknown delete", Passed, history(
		op("a", 1, 2, del("k", "0"), answer(Unknown)),
		op("b", 3, 4, get("k"), saw("0")),
		op("b", 5, 6, cas("k", Absent(), "1"), answer(OK)),
	).startingWith("k", "0")},
	{"a lost reply read as a lost race", Failed, history( // metadata hazard 5
		op("a", 1, 2, cas("k", Text("0"), "1"), found(Conflict, "1")),
		op("b", 3, 4, get("k"), saw("1")),
	).startingWith("k", "0")},
	{"equal values read as won", Failed, history( // metadata hazard 5
		op("a", 1, 4, cas("k", Text("0"), "1"), answer(OK)),
		op("b", 2, 3, cas("k", Text("0"), "1"), answer(OK)),
	).startingWith("k", "0")},
	{"a refused operation has no effect", Failed, history(
		op("a", 1, 2, cas("k", Absent(), "1"), answer(Refused)),
		op("b", 3, 4, get("k"), saw("1")),
	)},

	{"under a guard that holds", Passed, history(
		op("a", 1, 2, guarded("g", "me", cas("k", Absent(), "1")), answer(OK)),
		op("b", 3, 4, get("k"), saw("1")),
	).startingWith("g", "me")},
	{"under a guard that another took before", Failed, history(
		op("b", 1, 2, cas("g", Text("me"), "you"), answer(OK)),
		op("a", 3, 4, guarded("g", "me", cas("k", Absent(), "1")), answer(OK)),
	).startingWith("g", "me")},
	{"under a guard that another takes meanwhile", Passed, history(
		op("b", 1, 4, cas("g", Text("me"), "you"), answer(OK)),
		op("a", 2, 3, guarded("g", "me", cas("k", Absent(), "1")), answer(OK)),
	).startingWith("g", "me")},
	{"each key alone would pass, but the guard was gone by then", Failed, history(
		op("a", 1, 10, guarded("g", "me", cas("k", Absent(), "1")), answer(OK)),
		op("b", 2, 3, cas("g", Text("me"), "you"), answer(OK)),
		op("c", 4, 5, get("k"), answer(NotFound)),
		op("c", 11, 12, get("k"), saw("1")),
	).startingWith("g", "me")},
	{"refused for a guard that holds", Failed, history(
		op("a", 1, 2, guarded("g", "me", cas("k", Absent(), "1")), answer(GuardFailed)),
	).startingWith("g", "me")},
	{"refused for a guard found with a value that it never had", Failed, history(
		op("a", 1, 2, guarded("g", "me", cas("k", Absent(), "1")), found(GuardFailed, "her")),
	).startingWith("g", "you")},
	{"refused for a guard that does not exist", Passed, history(
		op("a", 1, 2, guarded("g", "me", cas("k", Absent(), "1")), answer(GuardFailed)),
	)},
	{"guard before conflict", Failed, history(
		op("a", 1, 2, guarded("g", "me", cas("k", Absent(), "1")), answer(Conflict)),
	).startingWith("g", "you").startingWith("k", "0")},
	{"conflict under a guard that holds", Passed, history(
		op("a", 1, 2, guarded("g", "me", cas("k", Absent(), "1")), found(Conflict, "0")),
	).startingWith("g", "me").startingWith("k", "0")},
	{"guarded removal", Failed, history(
		op("a", 1, 2, guarded("g", "me", del("k", "0")), answer(OK)),
		op("b", 3, 4, get("k"), saw("0")),
	).startingWith("g", "me").startingWith("k", "0")},
	{"an unknown guarded write after the guard was taken", Failed, history(
		op("b", 1, 2, cas("g", Text("me"), "you"), answer(OK)),
		op("a", 3, 4, guarded("g", "me", cas("k", Absent(), "1")), answer(Unknown)),
		op("b", 5, 6, get("k"), saw("1")),
	).startingWith("g", "me")},
	{"an unknown guarded write before the guard was taken", Passed, history(
		op("a", 1, 2, guarded("g", "me", cas("k", Absent(), "1")), answer(Unknown)),
		op("b", 3, 4, cas("g", Text("me"), "you"), answer(OK)),
		op("b", 5, 6, get("k"), saw("1")),
	).startingWith("g", "me")},

	{"nothing", Inconclusive, History{}},
	{"nothing definite", Inconclusive, history(
		op("a", 1, 2, cas("k", Absent(), "1"), answer(Unknown)),
		op("b", 3, 4, get("k"), answer(Refused)),
	)},
}
