// Package explore runs a scenario, a program of several actors, on many schedules of
// task's virtual runtime, and reports what went wrong in the first that failed.
//
// A failure must be repeatable and readable. So all that happens in a run follows
// from a [Case]: a seed, a scheduling policy, the rules for faults and the number of
// operations. A failing case is made smaller until no switch between tasks and no
// fault can be left out of it. What remains is one command line and a timeline of a few
// requests. A check that gave up has not passed: it is reported as inconclusive.
//
// # What a seed decides
//
// Schedule number n of a search takes the n-th policy, policies taken in turn,
// and the seed goes up by one with each round: so every policy meets the same
// programs, and one schedule can be had again with its seed and its policy
// alone, whatever the search did before.
//
// # Rules with a probability
//
// A rule with a probability and without an actor is drawn for each actor apart,
// from a stream of its own: what happens to one actor then does not depend on
// how the others are scheduled, and a fault stays where it is while switches are
// taken away. Rules that count (nth, every) count over all actors unless they
// name one.
package explore
