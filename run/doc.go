// Package run measures a workload: it resolves its parameters, goes over the points
// of the sweep, opens services and meters, runs warm-up and operations, books checks,
// and writes the document. Several workers can divide a run.
//
// A measurement without a check of what was measured proves nothing, so checks are
// part of a workload, and a run whose checks fail is invalid.
//
// # Writing a workload
//
// A workload is a [Workload]: its variants, parameters and metrics, [Workload.Prepare],
// which sets up a point, and [Workload.Headline]. What Prepare returns is a [Subject]:
// it measures one repeat of one variant at a time, and says which checks hold.
//
//	func pointRead() *run.Workload {
//		return &run.Workload{
//			Name: "point-read", Summary: "What reading one record costs.", Version: 1,
//			Variants: []run.Variant{{Name: "v1", Doc: "one GetItem"}},
//			Params: []run.Param{
//				{Name: "records", Kind: run.Integer, Min: 1, Max: 1000, Default: "10,100", Swept: true, Doc: "records of the table"},
//				{Name: "reads", Kind: run.Integer, Min: 1, Max: 1000, Default: "20", Doc: "reads in each repeat"},
//			},
//			Deterministic: run.Always,
//			Headline: func(doc *results.Document) string {
//				most := run.Largest(doc, "records")
//				return run.Claim{What: "a read takes", Metric: "requests/op", On: "on", Variants: []string{"v1"}}.Say(
//					run.Case{Given: "With " + most.Count("records", "record", "records"), At: most})
//			},
//			Prepare: func(ctx context.Context, s *run.Site) (run.Subject, error) {
//				p := &reads{Site: s}
//				var err error
//				p.table, err = s.Backend.Table(ctx, "read", …) // counted as set-up, in no metric
//				return p, err
//			},
//		}
//	}
//
//	func (p *reads) Measure(ctx context.Context, r *run.Recorder) error {
//		store, err := v1.Open(ctx, v1.Config{Client: r.Client(), Table: p.table, …})
//		if err != nil {
//			return err
//		}
//		driver := load.Closed{Clients: 1, Operations: int(p.Config.Params.Int("reads"))}
//		return r.Loop(ctx, meter.PhaseSteady, driver, func(load.Start) run.Operation {
//			return run.Operation{Name: "read", Do: func(ctx context.Context) error { _, err := store.Get(ctx, key); return err }}
//		})
//	}
//
//	func (p *reads) Checks(ctx context.Context) ([]results.Check, error) { return p.found.All(), nil }
//
// The [Site] knows the point ([Site.Int], [Site.Bool]), loads records ([Site.Load]),
// and draws randomness from the seed ([Site.Random]). The [Recorder] counts what its
// clients send; [Recorder.Metrics] takes the workload's own metrics, which it declares
// in [Workload.Metrics]. [CheckList] gathers checks from all points. [Record] wraps a
// store so that the checker can judge the recorded operations.
//
// Those are the names that an author needs, with [Param] and its kinds, [Variant],
// [Table], [Figure], and what a headline is made of: [Largest], [Reading], [Claim],
// [Case] and [PointText]. The others serve the command and the endpoints' runs.
//
// The new workload is added to the list in workloads.All, and its small parameters to
// baselines/params.
package run
