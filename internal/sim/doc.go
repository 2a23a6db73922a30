// Package sim is the simulation: one wing of the house, made of the packages below it.
// A newcomer may ignore it. Code outside of it needs one rule: wait, lock and start
// tasks with [github.com/lakebench/lakebench/internal/sim/task] instead of sync, time
// and the go statement; a test in internal/lint enforces this.
//
// # What it is for
//
// The stores and their migration must be right on every interleaving of their
// requests and under every fault, and an interleaving that breaks them must be
// repeatable. So the same code that runs on goroutines and real time also runs on a
// virtual runtime: one task at a time, on a clock that jumps to the next timer, with
// a seed that decides which task is next. A failure is then a seed and a command line.
//
// # The packages
//
//   - task: groups, locks, queues, timers and the clock, on real or on virtual time.
//     Run starts a virtual run under a scheduling policy (first come first served,
//     random, or PCT, which finds a bug of few switches with a known probability).
//   - checker: records what each client asked and was told, and decides whether the
//     history is linearizable. If it is not, it finds the smallest part that is not and
//     draws it.
//   - explore: runs a scenario on many schedules, and makes the first failure small:
//     fewer operations, fewer faults, fewer switches between tasks.
//   - explore/simulated: an embedded DynamoDB for one run, whose requests take
//     virtual time and fail by rules.
//   - explore/metadata: the scenario of clients that change one metadata store.
//   - explore/migration: the scenario of nodes, an operator and crashes during the
//     migration from v1 to v2.
//
// # Where to start
//
// "lakebench explore" runs the scenarios, "make soak" many schedules of the migration.
// The example in package task shows a virtual run in twenty lines. The mutants in
// internal/sim/explore/metadata/testdata/catches.txt show what each policy finds.
package sim
