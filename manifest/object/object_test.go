package object_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest/object"
)

// A bucket is one of an embedded service, and a writer for it.
type bucket struct {
	*object.Writer
	backend *backend.Backend
	meter   *meter.Meter
}

// open returns a bucket whose requests fail by the rules.
func open(t *testing.T, rules string) *bucket {
	t.Helper()
	b, err := backend.Open(t.Context(), backend.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	name, err := b.Bucket(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMeter(nil)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := fault.Parse("test", rules)
	if err != nil {
		t.Fatal(err)
	}
	w, err := object.NewWriter(config(b.S3Under(m, fault.New(t.Context(), parsed, fault.DefaultConfig())), name))
	if err != nil {
		t.Fatal(err)
	}
	return &bucket{Writer: w, backend: b, meter: m}
}

func config(client object.Client, name string) object.Config {
	return object.Config{Client: client, Bucket: name, Random: rand.NewPCG(1, 2), Backoff: object.DefaultBackoff()}
}

func TestReadAndWrite(t *testing.T) {
	b, ctx := open(t, ""), t.Context()
	if _, err := b.Get(ctx, "k"); !errors.Is(err, object.ErrAbsent) || !strings.Contains(err.Error(), "GET s3://"+b.Bucket+"/k: no such object") {
		t.Errorf("GET of nothing: %v", err)
	}
	if _, err := b.Head(ctx, "k"); !errors.Is(err, object.ErrAbsent) {
		t.Errorf("HEAD of nothing: %v", err)
	}
	id := b.NewIdentity()
	if err := b.Create(ctx, "k", []byte("body"), id); err != nil {
		t.Fatal(err)
	}
	if o, err := b.Get(ctx, "k"); err != nil || string(o.Body) != "body" || o.Identity != id {
		t.Errorf("GET: %q as %q, %v", o.Body, o.Identity, err)
	}
	if got, err := b.Head(ctx, "k"); err != nil || got != id {
		t.Errorf("HEAD: %q, %v", got, err)
	}
	if err := b.Create(ctx, "k", []byte("body"), b.NewIdentity()); !errors.Is(err, object.ErrExists) {
		t.Errorf("a second creation: %v", err)
	}
	if err := b.Create(ctx, "k", nil, ""); !errors.Is(err, object.ErrInvalid) {
		t.Errorf("a creation without identity: %v", err)
	}
	if err := b.Put(ctx, "k", []byte("other")); err != nil {
		t.Error(err)
	}
	if o, err := b.Get(ctx, "k"); err != nil || string(o.Body) != "other" || o.Identity != "" {
		t.Errorf("GET after a PUT: %q as %q, %v", o.Body, o.Identity, err)
	}
	for key, want := range map[string]bool{"k": true, "l": false} {
		if there, err := b.Exists(ctx, key); err != nil || there != want {
			t.Errorf("%s exists: %t, %v", key, there, err)
		}
	}
}

// TestMissingBucket: an answer for the whole bucket is none about a key.
func TestMissingBucket(t *testing.T) {
	b, ctx := open(t, ""), t.Context()
	r := object.Reader{Client: b.Client, Bucket: "missing"}
	if _, err := r.Get(ctx, "k"); err == nil || errors.Is(err, object.ErrAbsent) {
		t.Errorf("GET: %v; want an error, and not ErrAbsent", err)
	}
	for _, err := range r.List(ctx, "", "") {
		if err == nil || errors.Is(err, object.ErrAbsent) {
			t.Errorf("LIST: %v; want an error, and not ErrAbsent", err)
		}
	}
}

func TestList(t *testing.T) {
	b, ctx := open(t, ""), t.Context()
	var want []string
	for i := range 2100 { // three pages
		key := fmt.Sprintf("dir/%04d", i)
		want = append(want, key)
		if err := b.Put(ctx, key, make([]byte, i%7)); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"dir/sub/a", "dir/sub/b", "other"} {
		if err := b.Put(ctx, key, nil); err != nil {
			t.Fatal(err)
		}
	}
	var keys []string
	for l, err := range b.List(ctx, "dir/", "/") {
		if err != nil {
			t.Fatal(err)
		}
		if l.Prefix {
			l.Key = "prefix " + l.Key
		} else if n := int64(len(keys) % 7); l.Size != n {
			t.Errorf("%s has %d bytes, want %d", l.Key, l.Size, n)
		}
		keys = append(keys, l.Key)
	}
	if want := append(want, "prefix dir/sub/"); !slices.Equal(keys, want) {
		t.Errorf("listed %d entries, the last %v; want %d", len(keys), keys[len(keys)-1], len(want))
	}
	for l, err := range b.List(ctx, "", "") {
		if l.Key != "dir/0000" || err != nil {
			t.Errorf("the first is %s, %v", l.Key, err)
		}
		break
	}
}

// TestCutBody: a body that breaks off is asked for again, a few times.
func TestCutBody(t *testing.T) {
	for rules, fine := range map[string]bool{
		"on s3 GetObject nth 1..2 : cut": true, "on s3 GetObject nth 1..3 : cut": false, "on s3 GetObject nth 1 : cut 1": true,
	} {
		b, ctx := open(t, rules), t.Context()
		if err := b.Put(ctx, "k", []byte("body")); err != nil {
			t.Fatal(err)
		}
		o, err := b.Get(ctx, "k")
		if fine && (err != nil || string(o.Body) != "body") || !fine && (err == nil || !strings.Contains(err.Error(), "broke off")) {
			t.Errorf("%s: %q, %v", rules, o.Body, err)
		}
	}
}

// TestEndedContext: a creation that was never sent is not unknown; one that was is,
// when its caller gives up.
func TestEndedContext(t *testing.T) {
	b := open(t, "on s3 PutObject key \"late\" : timeout 1h")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Create(ctx, "k", nil, b.NewIdentity()); !errors.Is(err, context.Canceled) || errors.Is(err, object.ErrUnknown) {
		t.Errorf("not sent: %v", err)
	}
	_, err := task.Run(t.Context(), task.DefaultVirtualConfig(), func(ctx context.Context) error {
		ctx, cancel := task.WithTimeout(ctx, 1e9)
		defer cancel()
		return b.Create(ctx, "late", nil, b.NewIdentity())
	})
	if !errors.Is(err, object.ErrUnknown) {
		t.Errorf("given up: %v, want ErrUnknown", err)
	}
}

// deaf is a client that does not ask the retryer.
type deaf struct {
	object.Client
	put func() error
}

func (d deaf) PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	return &s3.PutObjectOutput{}, d.put()
}

// TestDeafClient: a transport that does not ask the retryer makes one attempt a
// call, and is judged by the error's fault where there is no status.
func TestDeafClient(t *testing.T) {
	b, ctx := open(t, ""), t.Context()
	id := b.NewIdentity()
	if err := b.Create(ctx, "landed", nil, id); err != nil {
		t.Fatal(err)
	}
	refused := func(code string, fault smithy.ErrorFault) error {
		return &smithy.GenericAPIError{Code: code, Fault: fault}
	}
	for _, c := range []struct {
		key  string
		err  error
		want error
	}{
		{"landed", refused("InternalError", smithy.FaultServer), nil},
		{"landed", errors.New("broken pipe"), nil},
		{"landed", refused("PreconditionFailed", smithy.FaultClient), object.ErrExists},
		{"absent", refused("InternalError", smithy.FaultServer), object.ErrUnknown},
		{"absent", refused("ConditionalRequestConflict", smithy.FaultClient), object.ErrBusy},
	} {
		calls := 0
		cfg := config(deaf{b.Client.(object.Client), func() error { calls++; return c.err }}, b.Bucket)
		cfg.Backoff = object.Backoff{Tries: 3}
		w, err := object.NewWriter(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Create(ctx, c.key, nil, id); !errors.Is(err, c.want) {
			t.Errorf("%s, %v: %v, want %v", c.key, c.err, err, c.want)
		}
		if want := map[bool]int{true: 3, false: 1}[c.key == "absent"]; calls != want {
			t.Errorf("%s, %v: %d calls, want %d", c.key, c.err, calls, want)
		}
	}
}

// TestDenied: a PUT that is refused for lack of permission says so, and is no
// mystery.
func TestDenied(t *testing.T) {
	b, ctx := open(t, "on s3 PutObject : error-before 403"), t.Context()
	for what, err := range map[string]error{"creation": b.Create(ctx, "k", nil, b.NewIdentity()), "PUT": b.Put(ctx, "k", nil)} {
		var denied *object.PermissionError
		if !errors.As(err, &denied) || !strings.Contains(err.Error(), "s3:PutObject") || errors.Is(err, object.ErrUnknown) {
			t.Errorf("%s: %v; want a PermissionError that names s3:PutObject", what, err)
		}
	}
}
