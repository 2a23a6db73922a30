package wal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/generation"
)

// generations reads the generations of a shard, and keeps what it has read of one
// beside its rows: an object below a generation's path never changes, and no path
// is used twice.
type generations struct {
	client   object.ReadClient
	objects  object.Reader
	location manifest.Location

	mu    sync.Mutex // never held over a yield
	known map[string]generation.Contents
}

func newGenerations(client object.ReadClient, objects object.Reader, location manifest.Location) *generations {
	return &generations{client: client, objects: objects, location: location, known: map[string]generation.Contents{}}
}

func (g *generations) keep(path string, c generation.Contents) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known[path] = c
}

func (g *generations) kept(path string) (generation.Contents, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c, ok := g.known[path]
	return c, ok
}

// forget drops what no manifest lists any more.
func (g *generations) forget(listed []manifest.Generation) {
	g.mu.Lock()
	defer g.mu.Unlock()
	still := make(map[string]generation.Contents, len(listed))
	for _, l := range listed {
		if c, ok := g.known[l.Path]; ok {
			still[l.Path] = c
		}
	}
	g.known = still
}

// key is where an object of a generation is.
func (g *generations) key(path, name string) string { return g.location.GenerationPrefix(path) + name }

// get reads an object of a generation and has check look at it.
func (g *generations) get(ctx context.Context, path, name string, check func(body []byte) error) error {
	o, err := g.objects.Get(ctx, g.key(path, name))
	if err != nil {
		return err
	}
	if err := check(o.Body); err != nil {
		return &GenerationError{Path: g.location.URL(g.key(path, name)), Err: err}
	}
	return nil
}

// refer is a check that an object is what refers to it says, before others.
func refer(to generation.Reference, then func(body []byte) error) func([]byte) error {
	return func(body []byte) error {
		if err := to.Check(body); err != nil {
			return err
		}
		return then(body)
	}
}

// contents returns what there is beside the rows. What it does not know yet it
// reads: one object, and one more if rows are replaced.
func (g *generations) contents(ctx context.Context, path string) (generation.Contents, error) {
	if c, ok := g.kept(path); ok {
		return c, nil
	}
	ctx = cause.With(ctx, cause.Data)
	var c generation.Contents
	err := g.get(ctx, path, generation.VersionPath, func(body []byte) (err error) {
		c.Version, err = generation.DecodeVersion(body)
		return err
	})
	if err == nil && c.Version.Deletions != nil {
		err = g.get(ctx, path, c.Version.Deletions.Path, refer(*c.Version.Deletions, func(body []byte) (err error) {
			c.Replaced, err = generation.DecodeDeletions(body)
			return err
		}))
	}
	if err == nil {
		g.keep(path, c)
	}
	return c, err
}

// indexed is contents with what a point read needs: two objects more.
func (g *generations) indexed(ctx context.Context, path string) (generation.Contents, error) {
	c, err := g.contents(ctx, path)
	if err != nil || c.Bloom != nil && c.Lookup != nil {
		return c, err
	}
	ctx = cause.With(ctx, cause.Index)
	err = g.get(ctx, path, c.Version.Bloom.Path, refer(c.Version.Bloom, func(body []byte) error {
		c.Bloom = body
		return nil
	}))
	if err != nil {
		return c, err
	}
	lookup := c.Version.KeyIndex.Lookup
	err = g.get(ctx, path, lookup.Path, refer(lookup, func(body []byte) (err error) {
		c.Lookup, err = generation.DecodeLookup(body)
		return err
	}))
	if err == nil {
		g.keep(path, c)
	}
	return c, err
}

// rows reads the newest row of each key, tombstones included: one request once the
// contents are known.
func (g *generations) rows(ctx context.Context, path string) (rows []Row, err error) {
	c, err := g.contents(ctx, path)
	if err != nil {
		return nil, err
	}
	err = g.get(cause.With(ctx, cause.Data), path, c.Version.Data.Path, func(body []byte) (err error) {
		rows, err = c.Rows(body)
		return err
	})
	return rows, err
}

// row reads the row of a key: no request if the filter knows that there is none,
// else one for a page of the index, and one for the data if the key is there.
func (g *generations) row(ctx context.Context, path, key string) (row Row, found bool, err error) {
	c, err := g.indexed(ctx, path)
	if err != nil || !c.Bloom.MayHold(key) {
		return Row{}, false, err
	}
	page, ok := c.Lookup.Find(key)
	if !ok {
		return Row{}, false, nil
	}
	name := c.Version.KeyIndex.Pages.Path
	body, err := g.part(cause.With(ctx, cause.Index), g.key(path, name), page.Offset, page.Bytes)
	if err != nil {
		return Row{}, false, err
	}
	number, found, err := page.Row(body, key)
	if err != nil {
		return Row{}, false, &GenerationError{Path: g.location.URL(g.key(path, name)), Err: err}
	}
	if !found {
		return Row{}, false, nil
	}
	err = g.get(cause.With(ctx, cause.Data), path, c.Version.Data.Path, func(body []byte) (err error) {
		row, err = c.Row(body, number, key)
		return err
	})
	return row, err == nil, err
}

// part reads some bytes of an object.
func (g *generations) part(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	out, err := g.client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &g.location.Bucket, Key: &key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)),
	})
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", g.location.URL(key), err)
	}
	body, err := io.ReadAll(out.Body)
	if err = errors.Join(err, out.Body.Close()); err != nil {
		return nil, fmt.Errorf("GET %s: %w", g.location.URL(key), err)
	}
	return body, nil
}
