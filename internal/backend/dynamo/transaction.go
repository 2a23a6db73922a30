package dynamo

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/internal/units"
)

// hold is what transactions in flight have on an item: one that writes it, or
// any number that merely check it.
type hold struct {
	written bool
	checks  int
}

func (h hold) free() bool { return !h.written && h.checks == 0 }

// transactWriteItems carries out a transaction in two steps, with time between
// them in which other requests see it in flight. Prepare takes hold of the items
// one by one, in the order of the actions, and checks the conditions; commit
// writes all of them at once. Two transactions can each refuse the other.
func (e *Engine) transactWriteItems(ctx context.Context, in *transactWriteInput, b *bill) (*transactWriteOutput, *serviceError) {
	writes, err := e.planTransaction(in, b)
	if err != nil {
		return nil, err
	}
	if in.token == nil {
		err = e.transact(ctx, in, writes, b)
	} else {
		err = e.transactOnce(ctx, in, writes, b)
	}
	if err != nil {
		return nil, err
	}
	return &transactWriteOutput{capacity: in.capacity}, nil
}

// transactOnce carries the transaction out unless one with its token has been.
func (e *Engine) transactOnce(ctx context.Context, in *transactWriteInput, writes []write, b *bill) *serviceError {
	images, err := e.tokens.begin(task.Now(ctx), *in.token, in.fingerprint())
	if err != nil {
		return err
	}
	if images != nil {
		replay(writes, images, b)
		return nil
	}
	err = e.transact(ctx, in, writes, b)
	if err != nil {
		e.tokens.cancel(*in.token)
	}
	return err
}

// planTransaction checks what refuses a transaction up front, outside the
// reasons of a cancellation.
func (e *Engine) planTransaction(in *transactWriteInput, b *bill) ([]write, *serviceError) {
	writes := make([]write, len(in.actions))
	var faults actionFaults
	for i := range in.actions {
		w, err := in.actions[i].prepare(e)
		if err := faults.add(i, len(writes), err); err != nil {
			return nil, err
		}
		writes[i] = w
	}
	if faults != nil {
		return nil, canceled(faults)
	}
	if !distinct(writes) {
		return nil, invalid(oneItemTwice)
	}
	for i := range writes {
		b.BytesSent += writes[i].offered()
	}
	if b.BytesSent > units.MaxTransactBytes {
		return nil, invalid("Transaction request size has exceeded the maximum of %d bytes", units.MaxTransactBytes)
	}
	return writes, nil
}

const oneItemTwice = "Transaction request cannot include multiple operations on one item"

// actionFaults are the reasons of a transaction that is canceled before it
// begins; nil if it is not.
type actionFaults []reason

// add takes note of the i-th of n actions' error, unless it refuses the whole
// request. Only the first faulty action gets a reason: the service looks no further
// (us-east-1, docs/facts/dynamodb.md §3.5).
func (f *actionFaults) add(i, n int, err *serviceError) *serviceError {
	if err == nil || !err.perAction {
		return err
	}
	if *f != nil {
		return nil
	}
	*f = make([]reason, n)
	(*f)[i] = reason{code: reasonItemInvalid, message: err.message}
	return nil
}

// transact runs the transaction.
func (e *Engine) transact(ctx context.Context, in *transactWriteInput, writes []write, b *bill) *serviceError {
	images, err := e.prepare(ctx, in, writes, b)
	if err != nil {
		return err
	}
	// The service finishes what it has prepared, whether or not the client waits.
	ctx = context.WithoutCancel(ctx)
	_ = task.Sleep(ctx, e.cfg.CommitDelay)
	if e.cfg.VisibleOneByOne {
		e.commitOneByOne(ctx, writes)
		e.complete(task.Now(ctx), aws.ToString(in.token), images)
	} else {
		e.commit(task.Now(ctx), aws.ToString(in.token), writes, images)
	}
	return nil
}

// prepare takes hold of the items of all writes, or of none. It returns, for a
// replay, how many bytes each action is charged for.
func (e *Engine) prepare(ctx context.Context, in *transactWriteInput, writes []write, b *bill) ([]int32, *serviceError) {
	images := make([]int32, len(writes))
	reasons := make([]reason, len(writes))
	failed := false
	for i := range writes {
		if i > 0 {
			task.Yield(ctx)
		}
		w := &writes[i]
		old, fault := w.prepare(e.cfg.ChecksConflict)
		image := w.billed(old, fault.code == reasonCondition, e.cfg.AbsentFailureBySize)
		images[i] = int32(image)
		if w.kind == writeUpdate { // how much it writes is known only now
			b.BytesSent += w.offered()
		}
		b.write(w.table.name, units.TransactWrite(image))
		if fault.code == reasonCondition && in.actions[i].returnOnFailure == returnAllOld && old != "" {
			fault.item = &itemView{stored: stored{&w.table.schema, old}}
		}
		failed = failed || fault.code != reasonNone
		reasons[i] = fault
	}
	if failed {
		release(writes, reasons)
		return nil, canceled(reasons)
	}
	return images, nil
}

// prepare checks the write's condition, makes the item of an update, and takes hold
// of its item. old is the item, empty if there is none.
func (w *write) prepare(checksConflict bool) (old rows.Row, fault reason) {
	t := w.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.conflicts(checksConflict) {
		return "", reason{code: reasonConflict, message: conflictMessage}
	}
	old, _ = t.rows.Get(w.row)
	if !w.condition.holds(&stored{&t.schema, old}) {
		return old, reason{code: reasonCondition, message: conditionMessage}
	}
	if err := w.evaluate(old); err != nil {
		return old, reason{code: reasonItemInvalid, message: err.message}
	}
	id := w.row.Identity()
	h := t.held[id]
	if w.kind == writeCheck {
		h.checks++
	} else {
		h.written = true
	}
	t.held[id] = h
	return old, reason{}
}

// conflicts reports whether a transaction in flight keeps w, an action of another,
// from its item. The caller holds the table's lock.
func (w *write) conflicts(checksConflict bool) bool {
	h := w.table.held[w.row.Identity()]
	return h.written || h.checks > 0 && (w.kind != writeCheck || checksConflict)
}

// let ends the hold that prepare took; the caller holds the table's lock.
func (w *write) let() {
	id := w.row.Identity()
	h := w.table.held[id]
	if w.kind == writeCheck {
		h.checks--
	} else {
		h.written = false
	}
	if h.free() {
		delete(w.table.held, id)
		return
	}
	w.table.held[id] = h
}

// release lets go of the items that a cancelled transaction had prepared.
func release(writes []write, reasons []reason) {
	for i := range writes {
		if reasons[i].code == reasonNone {
			w := &writes[i]
			w.table.mu.Lock()
			w.let()
			w.table.mu.Unlock()
		}
	}
}

// commit makes all writes visible in one step: no reader of single items sees a
// part of a transaction. What the transaction's token stands for is known from the
// same step on, and is kept together with them.
func (e *Engine) commit(now time.Time, token string, writes []write, images []int32) {
	tables := tablesOf(writes)
	for _, t := range tables {
		t.mu.Lock()
	}
	for i := range writes {
		writes[i].apply()
		writes[i].let()
	}
	e.persistWrites(writes, e.complete(now, token, images))
	for _, t := range tables {
		t.mu.Unlock()
	}
}

// complete remembers the transaction under its token, if it has one.
func (e *Engine) complete(now time.Time, token string, images []int32) completed {
	if token == "" {
		return completed{}
	}
	return e.tokens.end(now, token, images)
}

// commitOneByOne makes the writes visible with time between them, in which others
// see some and not yet the others. What is left keeps its hold.
func (e *Engine) commitOneByOne(ctx context.Context, writes []write) {
	backward := e.commits.Add(1)%2 == 0
	for i := range writes {
		if i > 0 {
			_ = task.Sleep(ctx, e.cfg.CommitDelay)
		}
		w := &writes[i]
		if backward {
			w = &writes[len(writes)-1-i]
		}
		w.table.mu.Lock()
		w.apply()
		w.let()
		w.table.mu.Unlock()
	}
}

// tablesOf returns each table once, in the order in which all transactions lock
// them.
func tablesOf(writes []write) []*table {
	var tables []*table
	for i := range writes {
		if !slices.Contains(tables, writes[i].table) {
			tables = append(tables, writes[i].table)
		}
	}
	slices.SortFunc(tables, byNumber)
	return tables
}

// replay charges a repeated transaction: it reads the images of the first call
// (transaction-apis, "Idempotency").
func replay(writes []write, images []int32, b *bill) {
	for i := range writes {
		b.read(writes[i].table.name, units.Read(int64(images[i]), units.Transactional))
	}
}
