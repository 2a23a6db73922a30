package migrate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// VerifyOptions are how to compare.
type VerifyOptions struct {
	// Examples is how many keys of each kind of difference are named.
	Examples int
	DryRun   bool
}

// DefaultVerifyOptions name ten keys of each kind.
func DefaultVerifyOptions() VerifyOptions { return VerifyOptions{Examples: 10} }

// Validate refuses options out of range.
func (o VerifyOptions) Validate() error {
	if o.Examples < 0 {
		return fmt.Errorf("%w: %d examples of each difference; want 0 or more", store.ErrInvalid, o.Examples)
	}
	return nil
}

// A DifferenceKind is how the layouts differ in a key.
type DifferenceKind string

// The kinds of differences.
const (
	DiffMissing      DifferenceKind = "missing"      // v1 has the key, v2 does not
	DiffValue        DifferenceKind = "differing"    // the values are not the same
	DiffOrphan       DifferenceKind = "orphan"       // v2 has the key, v1 does not
	DiffUnmigratable DifferenceKind = "unmigratable" // v2 cannot hold what v1 does
)

// DifferenceKinds returns all of them, in the order of reports.
func DifferenceKinds() []DifferenceKind {
	return []DifferenceKind{DiffMissing, DiffValue, DiffOrphan, DiffUnmigratable}
}

// A Verification is what a comparison of both layouts found.
type Verification struct {
	V1, V2 int64 // records in each
	// Unequal is how many of the 4,096 partitions had to be read again.
	Unequal int
	// Differences counts confirmed differences by kind, Examples has keys of them.
	Differences map[DifferenceKind]int64
	Examples    map[DifferenceKind][]string
	Took        time.Duration
	Plan        *Plan // of a dry run
}

// Total is the number of all differences.
func (v *Verification) Total() (n int64) {
	for _, count := range v.Differences {
		n += count
	}
	return n
}

// Equal reports whether every record of each layout is in the other.
func (v *Verification) Equal() bool { return v.Total() == 0 }

// ErrDifferent reports that the layouts do not hold the same. The error is a
// *DifferentError.
var ErrDifferent = errors.New("the layouts differ")

// A DifferentError tells how the layouts differ. It is an ErrDifferent.
type DifferentError struct{ Found *Verification }

func (e *DifferentError) Error() string {
	return fmt.Sprintf("%v: %s", ErrDifferent, e.Found.Summary())
}

// Unwrap returns ErrDifferent.
func (e *DifferentError) Unwrap() error { return ErrDifferent }

// Err returns a *DifferentError unless the layouts are equal.
func (v *Verification) Err() error {
	if v.Equal() {
		return nil
	}
	return &DifferentError{v}
}

// Summary returns in one line what differs, with an example of each kind.
func (v *Verification) Summary() string {
	var parts []string
	for _, kind := range DifferenceKinds() {
		n := v.Differences[kind]
		if n == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", n, kind)
		if keys := v.Examples[kind]; len(keys) > 0 {
			part += fmt.Sprintf(" such as %.80q", keys[0])
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "nothing differs"
	}
	return strings.Join(parts, ", ")
}

// Verify compares both layouts, record by record and in both directions, with
// strong reads. Equal layouts cost their two scans, and no memory that depends on
// their size. Under running writers it may report what was different only for a
// moment between two requests of a v1-only node; nothing that dual nodes do is
// taken for a difference, since each one is confirmed by a transaction that reads
// both records.
func (m *Migrator) Verify(ctx context.Context, o VerifyOptions) (*Verification, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	if o.DryRun {
		return &Verification{Plan: m.planVerify(t)}, nil
	}
	return m.compare(ctx, t, o.Examples, nil)
}

// compare is Verify on open tables. It calls fix, unless that is nil, for each
// difference that it has confirmed.
func (m *Migrator) compare(ctx context.Context, t tables, examples int, fix func(context.Context, difference) error) (*Verification, error) {
	ctx = cause.With(ctx, cause.Verify)
	began := task.Now(ctx)
	c := &comparison{Migrator: m, tables: t, examples: examples, fix: fix, found: &Verification{
		Differences: make(map[DifferenceKind]int64), Examples: make(map[DifferenceKind][]string),
	}}
	err := c.run(ctx)
	c.found.Took = task.Since(ctx, began)
	if err != nil {
		return nil, err
	}
	return c.found, nil
}

// A comparison is one verification under way.
type comparison struct {
	*Migrator
	tables   tables
	examples int
	fix      func(context.Context, difference) error
	found    *Verification
}

func (c *comparison) run(ctx context.Context) error {
	var v1, v2 side
	// Both at once: a finalization holds up all writers meanwhile.
	group := task.NewGroup(ctx, 0)
	group.Go("scan v1", func(ctx context.Context) error {
		return c.scanV1(ctx, "scan v1", func(_ context.Context, items []original) error {
			for _, it := range items {
				v1.add(it.domain(), it.key, it.value)
			}
			return nil
		})
	})
	group.Go("scan v2", func(ctx context.Context) error {
		return c.scanV2(ctx, "scan v2", func(_ context.Context, records []v2Item) error {
			for _, r := range records {
				v2.add(r.domain(c.Migrator), r.key, r.value)
			}
			return nil
		})
	})
	if err := group.Wait(); err != nil {
		return err
	}
	c.found.V1, c.found.V2 = v1.items(), v2.items()
	differ := unequal(&v1, &v2)
	c.found.Unequal = len(differ)
	if len(differ) == 0 {
		return nil
	}
	if err := c.confirmV1(ctx, differ); err != nil {
		return err
	}
	return c.confirmV2(ctx, differ)
}

// domain is the digest's domain of an item of v1: one that v2 cannot hold equals
// nothing that v2 holds.
func (it original) domain() string {
	if it.kind == "" {
		return ""
	}
	return "v1: " + string(it.kind)
}

// scanV1 hands all items of v1 to do, a page at a time.
func (c *comparison) scanV1(ctx context.Context, step string, do func(context.Context, []original) error) error {
	done := int64(0)
	for after := ""; ; {
		c.report(Progress{Step: step, Done: done, Total: c.tables.v1.items})
		p, err := c.scanPage(ctx, after, MaxPageSize)
		if err != nil {
			return err
		}
		if err := do(ctx, p.items); err != nil {
			return err
		}
		done += int64(len(p.items))
		if p.last == "" {
			return nil
		}
		after = p.last
	}
}

// A v2Item is a record of v2 as a scan found it.
type v2Item struct {
	bucket, key string
	value       []byte // nil unless it is binary
	strange     string // what is wrong with it, "" if nothing is
}

// domain is the digest's domain of a record of v2: one that no reader finds, or that
// no store writes, equals nothing that v1 holds.
func (r v2Item) domain(m *Migrator) string {
	switch {
	case r.bucket != m.cfg.Shards.Bucket(r.key):
		return "v2: in bucket " + r.bucket
	case r.strange != "":
		return "v2: " + r.strange
	}
	return ""
}

// scanV2 hands all records of v2 to do, a page at a time, without the control
// records.
func (c *comparison) scanV2(ctx context.Context, step string, do func(context.Context, []v2Item) error) error {
	name, strong, limit := c.v2Table(), true, int32(MaxPageSize)
	in := &dynamodb.ScanInput{TableName: &name, ConsistentRead: &strong, Limit: &limit}
	for done := int64(0); ; {
		c.report(Progress{Step: step, Done: done, Total: c.tables.v2.items})
		out, err := c.cfg.Client.Scan(ctx, in)
		if err != nil {
			return store.Failed("scan", name, "", err)
		}
		records, err := v2Items(out.Items)
		if err != nil {
			return store.Failed("scan", name, "", err)
		}
		if err := do(ctx, records); err != nil {
			return err
		}
		done += int64(len(records))
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		// A new request: this one may still be on its way to a client that waits.
		next := *in
		next.ExclusiveStartKey = out.LastEvaluatedKey
		in = &next
	}
}

func v2Items(raw []map[string]types.AttributeValue) ([]v2Item, error) {
	var records []v2Item
	for _, r := range raw {
		key, err := item.Name(r)
		if err != nil {
			return nil, err
		}
		bucket, ok := r[keyspace.AttrBucket].(*types.AttributeValueMemberS)
		if !ok {
			return nil, fmt.Errorf("key %q: %w: attribute %q has type %T, want string", key, store.ErrMalformed, keyspace.AttrBucket, r[keyspace.AttrBucket])
		}
		if bucket.Value == control.Bucket {
			continue
		}
		held := v2Item{bucket: bucket.Value, key: key}
		held.value, held.strange = v2Value(r)
		records = append(records, held)
	}
	return records, nil
}
