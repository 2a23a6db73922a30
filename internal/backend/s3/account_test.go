package s3_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: the tests notice when a guard of this package is taken out.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }

// lake is the bucket of the tests.
const lake = "lake"

// An account is a service with one bucket.
type account struct{ *s3.Service }

// fataler is what a helper needs of a test, and of a property under test.
type fataler interface {
	Context() context.Context
	Fatal(args ...any)
	Helper()
}

func newAccount(t fataler, change func(*s3.Config)) account {
	t.Helper()
	cfg := s3.DefaultConfig()
	if change != nil {
		change(&cfg)
	}
	service, err := s3.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	a := account{service}
	if _, _, err := a.do(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String(lake)}); err != nil {
		t.Fatal(err)
	}
	return a
}

// do makes the SDK's call of an input, by the name of its type, and returns what the
// service reports of it besides the answer.
func (a account) do(ctx context.Context, in any) (out any, served s3.Served, err error) {
	client := newClient(a.Client(func(_ context.Context, s s3.Served) { served = s }))
	name := strings.TrimSuffix(reflect.TypeOf(in).Elem().Name(), "Input")
	results := reflect.ValueOf(client).MethodByName(name).Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(in)})
	err, _ = results[1].Interface().(error)
	return results[0].Interface(), served, err
}

func (a account) put(ctx context.Context, key, body string, changes ...func(*awss3.PutObjectInput)) error {
	in := &awss3.PutObjectInput{Bucket: aws.String(lake), Key: &key, Body: strings.NewReader(body)}
	for _, change := range changes {
		change(in)
	}
	_, _, err := a.do(ctx, in)
	return err
}

func ifAbsent(in *awss3.PutObjectInput) { in.IfNoneMatch = aws.String("*") }

func ifMatch(etag string) func(*awss3.PutObjectInput) {
	return func(in *awss3.PutObjectInput) { in.IfMatch = &etag }
}

// get returns an object's body, or "" and the error.
func (a account) get(ctx context.Context, key string) (string, error) {
	out, _, err := a.do(ctx, &awss3.GetObjectInput{Bucket: aws.String(lake), Key: &key})
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(out.(*awss3.GetObjectOutput).Body)
	return string(body), err
}

func (a account) delete(ctx context.Context, key string) error {
	_, _, err := a.do(ctx, &awss3.DeleteObjectInput{Bucket: aws.String(lake), Key: &key})
	return err
}

// answered returns the code of an error of the service, "" for none, and the text
// of any other.
func answered(err error) string {
	var api smithy.APIError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &api):
		return api.ErrorCode()
	}
	return err.Error()
}

func newClient(transport awss3.HTTPClient, changes ...func(*awss3.Options)) *awss3.Client {
	o := awss3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://embedded.invalid"), UsePathStyle: true, HTTPClient: transport,
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), Retryer: aws.NopRetryer{},
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
	}
	for _, change := range changes {
		change(&o)
	}
	return awss3.New(o)
}

func TestConfigIsValidated(t *testing.T) {
	for name, change := range map[string]func(*s3.Config){
		"Region":      func(c *s3.Config) { c.Region = "" },
		"CommitDelay": func(c *s3.Config) { c.CommitDelay = -time.Second },
	} {
		cfg := s3.DefaultConfig()
		change(&cfg)
		if _, err := s3.New(cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a wrong %s: %v", name, err)
		}
	}
}
