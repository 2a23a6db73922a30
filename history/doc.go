// Package history says what a lake's metadata looks like over time: which
// tables there are, which commits arrive, what records each of them leaves and
// when retention removes those again.
//
// A history is a pure function of (Config, seed, Version) and is
// computed, never stored. One seeded source of commits is read by three cursors,
// at the present, one lease behind and one retention behind: the first writes,
// the others delete. So the stream of operations needs memory for the tables
// alone, however many records are live, and the set of live records at any
// instant follows from the same source without the stream (see Lake.Live).
//
// The keys, by the families of docs/notes/metadata-layout.txt:
//
//	tbl/<table>                      one for each table, there from the start,
//	                                 replaced by every commit on the table
//	append-operation/<table>/<id>    one for each commit; id is a UUIDv7, so ids
//	                                 sort by time
//	lance-manifest/<table>/<version> one for each commit; the table's version in
//	                                 20 digits
//	lease/<table>/<id>               held for a while by some of the commits
//	tombstone/<table>/<id>           left by some of the commits
//	lake-setting-<number>            a few keys without a slash (family root)
//
// A table is called <word>_<number>, as in orders_000042. Every record of a
// generated lake is a v1 item {pk, value} of exactly Config.ItemBytes.
//
// Package archive keeps a set of records in a file, package export imports the
// exports of real tables, package stats says what is in either.
package history

// Version is the version of what is generated. Whoever changes keys, order,
// times, sizes or values for any seed raises it, since numbers measured on the
// old ones are no longer comparable.
const Version = 1

// A Progress is told now and then how much of a long piece of work is done. The
// unit is the caller's to know from the function that it passed this to; a total
// of 0 is unknown.
type Progress func(done, total int64)
