package wal

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
)

// A Collection is what Collect has deleted.
type Collection struct{ Entries, Generations, Objects int }

// Collect deletes what is no longer needed: entries of the log whose rows a
// generation holds, and the objects of generations that the manifest does not list,
// whose number is below the current generation, and which are older than grace.
//
// It never deletes a sentinel: one that is gone would let the writer that it keeps
// out append in its place. Only who holds the shard may collect, and only after a
// look at storage.
//
// grace is for readers that still go by an older manifest; one that comes too late
// refreshes it.
func (w *Writer) Collect(ctx context.Context, grace time.Duration) (Collection, error) {
	if err := w.flushing.Lock(ctx); err != nil {
		return Collection{}, err
	}
	defer w.flushing.Unlock()
	tip, err := w.RefreshManifest(ctx)
	if err == nil && tip.WriterEpoch > w.epoch {
		err = &FencedError{w.epoch, tip.WriterEpoch}
	}
	if err != nil {
		return Collection{}, err
	}
	var done Collection
	err = errors.Join(w.collectEntries(ctx, tip, &done), w.collectGenerations(ctx, tip, grace, &done))
	return done, err
}

func (w *Writer) collectEntries(ctx context.Context, tip manifest.Manifest, done *Collection) error {
	all, err := w.log.positions(ctx)
	if err != nil {
		return err
	}
	slices.Sort(all)
	for _, position := range all {
		if position > tip.ReplayAfter {
			break
		}
		sentinel, err := w.isSentinel(ctx, position)
		if err != nil {
			return err
		}
		if sentinel {
			continue
		}
		if err := w.delete(cause.With(ctx, cause.WAL), w.cfg.Location.WALKey(position)); err != nil {
			return err
		}
		done.Entries++
		done.Objects++
	}
	return nil
}

// isSentinel reports whether the entry at a position must stay. Those that this
// writer has neither written nor replayed are read.
func (w *Writer) isSentinel(ctx context.Context, position uint64) (bool, error) {
	w.mu.Lock()
	known, sentinel := position >= w.known, w.sentinels[position]
	w.mu.Unlock()
	if known || sentinel {
		return sentinel, nil
	}
	e, err := w.log.read(ctx, position)
	if err != nil {
		return false, err
	}
	w.saw(position, e)
	return e.Sentinel, nil
}

// collectGenerations lists the shard's directories, and the objects of those that
// are to go.
func (w *Writer) collectGenerations(ctx context.Context, tip manifest.Manifest, grace time.Duration, done *Collection) error {
	before := task.Now(ctx).Add(-grace)
	listed := map[string]bool{}
	for _, g := range tip.Generations {
		listed[g.Path] = true
	}
	ctx = cause.With(ctx, cause.Data)
	for d, err := range w.objects.List(ctx, w.cfg.Location.Prefix(), "/") {
		if err != nil {
			return err
		}
		name := path.Base(d.Key)
		number, ok := generationNumber(name)
		if !d.Prefix || !ok || listed[name] || number >= tip.CurrentGeneration {
			continue
		}
		if err := w.collectGeneration(ctx, d.Key, before, done); err != nil {
			return err
		}
	}
	return nil
}

// generationNumber reads the name that generation.Directory gives.
func generationNumber(name string) (uint64, bool) {
	random, number, ok := strings.Cut(name, "_gen_")
	if _, err := strconv.ParseUint(random, 16, 32); !ok || len(random) != 8 || err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(number, 10, 64)
	return n, err == nil
}

// collectGeneration deletes the objects below a directory, if all of them are old
// enough.
func (w *Writer) collectGeneration(ctx context.Context, prefix string, before time.Time, done *Collection) error {
	keys, newest, err := w.contentsOf(ctx, prefix)
	if err != nil || !newest.Before(before) {
		return err
	}
	for _, key := range keys {
		if err := w.delete(ctx, key); err != nil {
			return err
		}
		done.Objects++
	}
	done.Generations++
	return nil
}

// contentsOf lists the keys below a prefix, and when the last one was written.
func (w *Writer) contentsOf(ctx context.Context, prefix string) (keys []string, newest time.Time, err error) {
	in := &s3.ListObjectsV2Input{Bucket: &w.cfg.Location.Bucket, Prefix: &prefix}
	for {
		out, err := w.cfg.Client.ListObjectsV2(ctx, in)
		if err != nil {
			return nil, time.Time{}, fmt.Errorf("LIST %s: %w", w.cfg.Location.URL(prefix), err)
		}
		for _, o := range out.Contents {
			keys = append(keys, *o.Key)
			if o.LastModified != nil && o.LastModified.After(newest) {
				newest = *o.LastModified
			}
		}
		if out.NextContinuationToken == nil {
			return keys, newest, nil
		}
		next := *in // a request may still be on its way with the old one
		next.ContinuationToken = out.NextContinuationToken
		in = &next
	}
}

func (w *Writer) delete(ctx context.Context, key string) error {
	_, err := w.cfg.Client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &w.cfg.Location.Bucket, Key: &key})
	if err != nil {
		return fmt.Errorf("DELETE %s: %w", w.cfg.Location.URL(key), err)
	}
	return nil
}
