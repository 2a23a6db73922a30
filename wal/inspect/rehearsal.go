package inspect

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/wal"
)

// A rehearsal is a client that reads a snapshot, keeps what is written to itself,
// and counts what it is asked for. Nothing of it reaches the service but the
// reading of bodies that the snapshot does not have yet.
type rehearsal struct {
	*snapshot

	mu       sync.Mutex // never held over a request
	requests int
	written  map[string]written
}

// written is an object of the rehearsal.
type written struct {
	body     []byte
	metadata map[string]string
}

var _ wal.Client = (*rehearsal)(nil)

func newRehearsal(of *snapshot) *rehearsal {
	return &rehearsal{snapshot: of, written: map[string]written{}}
}

// count returns how many requests there were.
func (r *rehearsal) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// look counts a request for a key, and returns its object.
func (r *rehearsal) look(key string) (w written, own, there bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	w, own = r.written[key]
	return w, own, own || r.keys[key]
}

// GetObject reads an object.
func (r *rehearsal) GetObject(ctx context.Context, in *s3.GetObjectInput, _ ...func(*s3.Options)) (*s3.GetObjectOutput, error) {
	w, own, there := r.look(*in.Key)
	if !there {
		return nil, &types.NoSuchKey{}
	}
	if !own {
		var err error
		if w.body, err = r.read(ctx, cause.From(ctx), *in.Key); err != nil {
			return nil, err
		}
	}
	return &s3.GetObjectOutput{Body: io.NopCloser(bytes.NewReader(w.body)), Metadata: w.metadata}, nil
}

// HeadObject reports whether an object is there.
func (r *rehearsal) HeadObject(_ context.Context, in *s3.HeadObjectInput, _ ...func(*s3.Options)) (*s3.HeadObjectOutput, error) {
	w, _, there := r.look(*in.Key)
	if !there {
		return nil, &types.NotFound{}
	}
	return &s3.HeadObjectOutput{Metadata: w.metadata}, nil
}

// PutObject keeps an object.
func (r *rehearsal) PutObject(_ context.Context, in *s3.PutObjectInput, _ ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	_, _, there := r.look(*in.Key)
	if there && in.IfNoneMatch != nil {
		return nil, &smithy.GenericAPIError{Code: "PreconditionFailed", Fault: smithy.FaultClient}
	}
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written[*in.Key] = written{body, in.Metadata}
	return &s3.PutObjectOutput{}, nil
}

// DeleteObject is not part of a rehearsal.
func (r *rehearsal) DeleteObject(context.Context, *s3.DeleteObjectInput, ...func(*s3.Options)) (*s3.DeleteObjectOutput, error) {
	return nil, &smithy.GenericAPIError{Code: "NotImplemented", Message: "nothing is deleted by opening a shard", Fault: smithy.FaultServer}
}

// pageKeys is how many keys a list has at most (ListObjectsV2, API reference).
const pageKeys = 1000

// ListObjectsV2 lists keys below a prefix.
func (r *rehearsal) ListObjectsV2(_ context.Context, in *s3.ListObjectsV2Input, _ ...func(*s3.Options)) (*s3.ListObjectsV2Output, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	all := maps.Clone(r.keys)
	for key := range r.written {
		all[key] = true
	}
	out := &s3.ListObjectsV2Output{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(key, *in.Prefix) || in.ContinuationToken != nil && key <= *in.ContinuationToken {
			continue
		}
		if len(out.Contents) == pageKeys {
			out.NextContinuationToken = out.Contents[pageKeys-1].Key
			break
		}
		out.Contents = append(out.Contents, types.Object{Key: &key})
	}
	return out, nil
}
