package workloads

import (
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
)

// itemOverhead are the bytes that the embedded DynamoDB keeps for an item beyond those
// of its size, at least. Measured: 300,000 items of 300 bytes keep 341 bytes each.
const itemOverhead = 40

// itemsHeld returns the bytes of a lake's records in the embedded DynamoDB, once for
// each layout that is measured.
func itemsHeld(cfg run.Config, records float64, itemBytes int64) float64 {
	layouts := 0
	for _, of := range [][]string{{variantV1}, {variantV2, variantV2Parallel}} {
		if measures(cfg, of...) {
			layouts++
		}
	}
	return records * float64(itemBytes+itemOverhead) * float64(max(layouts, 1))
}

func measures(cfg run.Config, variants ...string) bool {
	s := run.Site{Variants: cfg.Variants}
	return s.Measures(variants...)
}

// generationsHeld returns the bytes of the rows of a shard's generations.
func generationsHeld(cfg run.Config, p load.Point) float64 {
	const rowBytes = 100
	return float64(p["generations"].(int64)) * float64(cfg.Params.Int("rows")) * rowBytes * float64(len(cfg.Variants))
}

// entriesHeld returns the bytes of a shard's log. Measured: an entry of one row keeps
// more than 2,000 bytes.
func entriesHeld(cfg run.Config, p load.Point) float64 {
	return float64(p["entries"].(int64)) * 2000 * float64(len(cfg.Variants))
}

// groupsHeld returns those of a log whose entries hold the appends of a group each.
func groupsHeld(cfg run.Config, p load.Point) float64 {
	return entriesHeld(cfg, p) / float64(p["group_commit"].(int64))
}

// replayHeld returns those of the logs of all shards that are opened.
func replayHeld(cfg run.Config, p load.Point) float64 {
	return entriesHeld(cfg, p) * float64(cfg.Params.Int("opens"))
}
