package s3

import (
	"cmp"
	"context"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// A bucket holds objects and uploads.
type bucket struct {
	name    string
	created time.Time

	mu      sync.RWMutex // guards the rest; never held over a yield
	deleted bool
	objects btree.Map[string, *object]
	// inFlight are the conditional writes that have begun and not ended.
	inFlight map[string][]*write
	uploads  map[string]*upload
}

// bucket returns a bucket by its name.
func (s *Service) bucket(name string) (*bucket, *serviceError) {
	s.mu.RLock()
	b := s.buckets[name]
	s.mu.RUnlock()
	if b == nil {
		return nil, missingBucket(name)
	}
	return b, nil
}

// bucketName are the characters and the length of a name (User Guide, "General
// purpose bucket naming rules").
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func checkBucketName(name string) *serviceError {
	_, address := netip.ParseAddr(name)
	if !bucketName.MatchString(name) || strings.Contains(name, "..") || address == nil {
		return fail(invalidBucketName, "The specified bucket is not valid: %.100q", name)
	}
	return nil
}

type createBucket struct {
	bucket   string
	location string // LocationConstraint, "" if there is none
}

// regionWithoutConstraint is the one Region whose name is not given when a bucket
// is made in it, and where making a bucket twice is no error (CreateBucket, API
// reference, "LocationConstraint" and "BucketAlreadyOwnedByYou").
const regionWithoutConstraint = "us-east-1"

func (r *createBucket) do(ctx context.Context, s *Service, _ *bill) (answer, *serviceError) {
	if err := checkBucketName(r.bucket); err != nil {
		return nil, err
	}
	if here := cmp.Or(r.location, regionWithoutConstraint); here != s.cfg.Region {
		return nil, fail(illegalLocationConstraint, "The %.100s location constraint is incompatible for the region specific endpoint this request was sent to.",
			cmp.Or(r.location, "unspecified"))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.buckets[r.bucket] != nil {
		if s.cfg.Region == regionWithoutConstraint {
			return &bucketCreated{r.bucket}, nil
		}
		return nil, fail(bucketAlreadyOwnedByYou, "Your previous request to create the named bucket succeeded and you already own it.")
	}
	s.buckets[r.bucket] = &bucket{
		name: r.bucket, created: now(ctx),
		inFlight: map[string][]*write{}, uploads: map[string]*upload{},
	}
	return &bucketCreated{r.bucket}, nil
}

// now is the time in whole seconds, which is what a Last-Modified header holds.
func now(ctx context.Context) time.Time { return task.Now(ctx).UTC().Truncate(time.Second) }

type headBucket struct{ bucket string }

func (r *headBucket) do(_ context.Context, s *Service, _ *bill) (answer, *serviceError) {
	if _, err := s.bucket(r.bucket); err != nil {
		return nil, err
	}
	if !s.cfg.ListPermission {
		return nil, s.denied()
	}
	return &bucketHead{s.cfg.Region}, nil
}

// denied is the answer to a caller without s3:ListBucket.
func (s *Service) denied() *serviceError {
	return fail(accessDenied, "User is not authorized to perform: s3:ListBucket")
}

type deleteBucket struct{ bucket string }

func (r *deleteBucket) do(_ context.Context, s *Service, _ *bill) (answer, *serviceError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[r.bucket]
	if b == nil {
		return nil, missingBucket(r.bucket)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.objects.Len() > 0 {
		return nil, fail(bucketNotEmpty, "The bucket you tried to delete is not empty")
	}
	b.deleted = true
	delete(s.buckets, r.bucket)
	return &noContent{}, nil
}

type listBuckets struct{}

func (*listBuckets) do(_ context.Context, s *Service, _ *bill) (answer, *serviceError) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := &bucketList{}
	for _, b := range s.buckets {
		list.buckets = append(list.buckets, listedBucket{b.name, b.created})
	}
	slices.SortFunc(list.buckets, func(a, b listedBucket) int { return strings.Compare(a.name, b.name) })
	return list, nil
}
