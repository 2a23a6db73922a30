// Package manifest keeps the manifest of a MemWAL shard on S3: immutable versions
// that are created under a condition, in the public storage layout and bytes
// (docs/facts/memwal.md), so that shards of the real system can be opened.
//
// Versions have no gaps, since each is the successor of one that its
// writer has read, and none is ever deleted. All else follows. A version that was
// created was the tip, so a store may serve it (Serve); one that is absent proves
// that the tip is below it (Probe). A Store therefore refuses an update that skips
// a version before it asks for anything, and takes nothing but "not found" for the
// end of the versions.
//
// # What the policies cost
//
// Requests of an operation; S is a scan: 3 + b + b⌈k/b⌉ with batches of b versions
// and a hint that is k behind, so 5 by default when the hint is exact, and 4 for a
// shard without manifest. Under Probe a search costs 3 (2 for a new shard), and
// from a position that is held 1, to which k versions that are not known yet add
// 1 + 2⌊log2 k⌋.
//
//	                           Scan     Serve      Serialized  Probe
//	Latest, position held      S        0          0           0
//	Latest, none               S        S          S           3
//	RefreshLatest, CheckFenced S        S          S           1 held, 3 not
//	CommitUpdate, held         S+2      2          2           1, each 16th 2
//	  n at once on one store   –        2n and up to n(n−1)/2 scans
//	                                               2n          n and n/16
//	ClaimEpoch                 S+2      S+2        S+2         4 or 5
//	InitializeShard            2        2          2           1
//
// The hint is written after the version that it names, and is never more than a
// hint: missing, damaged, too high or too low, it costs requests and nothing else.
package manifest
