package storetest

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Attempts is how often a Client makes one call, at most: the SDK's default for
// DynamoDB.
const Attempts = 4

// Client returns an SDK client for a service in memory. It retries as the SDK
// does by default, but without waiting, and however many calls have failed before.
func Client(service aws.HTTPClient) *dynamodb.Client {
	return ClientAt("http://embedded.invalid", service)
}

// ClientAt is Client for a service at an address.
func ClientAt(endpoint string, service aws.HTTPClient) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		BaseEndpoint: &endpoint,
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		HTTPClient:   service,
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = Attempts
			o.RateLimiter = ratelimit.None
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		}),
	})
}
