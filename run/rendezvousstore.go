package run

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v1"
)

// placeName names the place among all that the run makes.
const placeName = "workers"

// tablePlace is a table whose items are the notes.
type tablePlace struct {
	backend *backend.Backend
	client  *dynamodb.Client
	table   string
}

func (p *tablePlace) open(ctx context.Context) error {
	var err error
	p.table, err = p.backend.Table(ctx, placeName, func(ctx context.Context, name string) error { return v1.Create(ctx, p.client, name) })
	var inUse *types.ResourceInUseException
	if errors.As(err, &inUse) {
		return &startedError{"table " + p.table}
	}
	return err
}

func (p *tablePlace) join() { p.table = p.backend.SharedTable(placeName) }

func (p *tablePlace) leave(ctx context.Context, name string) error {
	_, err := p.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &p.table, Item: v1.Item(name, nil)})
	return err
}

func (p *tablePlace) has(ctx context.Context, name string) (bool, error) {
	out, err := p.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &p.table, Key: map[string]types.AttributeValue{keyspace.AttrKey: &types.AttributeValueMemberS{Value: name}},
		ConsistentRead: aws.Bool(true),
	})
	var none *types.ResourceNotFoundException
	if errors.As(err, &none) {
		return false, nil
	}
	return err == nil && out.Item != nil, err
}

// bucketPlace is a bucket, or a prefix of one, whose objects are the notes.
type bucketPlace struct {
	backend *backend.Backend
	client  *s3.Client
	bucket  string
}

// open makes the bucket. In one that is there already, a note that no other run may
// have left says whose turn it is.
func (p *bucketPlace) open(ctx context.Context) error {
	var err error
	p.bucket, err = p.backend.Bucket(ctx)
	var foreign *backend.ForeignBucketError
	if errors.As(err, &foreign) {
		return &startedError{"bucket " + foreign.Bucket}
	}
	if err != nil {
		return err
	}
	key := p.key("opened")
	_, err = p.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &p.bucket, Key: &key, IfNoneMatch: aws.String("*")})
	if attempt.Status(err) == http.StatusPreconditionFailed {
		return &startedError{"s3://" + p.bucket + "/" + key}
	}
	return err
}

func (p *bucketPlace) join() { p.bucket = p.backend.SharedBucket() }

func (p *bucketPlace) key(name string) string { return p.backend.KeyPrefix() + placeName + "/" + name }

func (p *bucketPlace) leave(ctx context.Context, name string) error {
	key := p.key(name)
	_, err := p.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &p.bucket, Key: &key})
	return err
}

func (p *bucketPlace) has(ctx context.Context, name string) (bool, error) {
	key := p.key(name)
	_, err := p.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &p.bucket, Key: &key})
	if attempt.Status(err) == http.StatusNotFound {
		return false, nil
	}
	return err == nil, err
}

// A startedError is errStarted with what is there already.
type startedError struct{ what string }

func (e *startedError) Error() string { return ErrStarted.Error() + " (" + e.what + " is there)" }
func (e *startedError) Unwrap() error { return ErrStarted }
