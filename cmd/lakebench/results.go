package main

import (
	"cmp"
	"context"
	"net"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/location"
)

// loadResults reads the results at a place, as all verbs take them.
func loadResults(ctx context.Context, place string) ([]results.Named, error) {
	return location.Sources{Git: git, Bucket: resultsBucket}.Load(ctx, place)
}

// resultsBucket opens the S3 that holds results: the one that the AWS configuration
// names, by AWS_ENDPOINT_URL_S3 for instance. The flags for the measured services do
// not affect it, and its requests are not metered.
func resultsBucket(ctx context.Context) (location.Client, error) {
	byDefault, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, usagef("AWS configuration: %w", err)
	}
	endpoint := aws.ToString(awss3.NewFromConfig(byDefault).Options().BaseEndpoint)
	region := byDefault.Region
	if endpoint != "" {
		region = cmp.Or(region, defaultRegion)
	}
	cfg, err := awsConfig(ctx, endpoint, region)
	if err != nil {
		return nil, err
	}
	where := cmp.Or(endpoint, "S3 in "+cfg.Region)
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return nil, &backend.UnreachableError{Endpoint: where, Reason: backend.ReasonAnonymous, Err: err}
	}
	cfg.HTTPClient = awshttp.NewBuildableClient().WithDialerOptions(func(d *net.Dialer) { d.Timeout = connectTimeout })
	return &resultsClient{where: where, client: awss3.NewFromConfig(cfg, func(o *awss3.Options) {
		o.UsePathStyle = endpoint != "" // a name for each bucket takes a server that has set them up
		o.Retryer = retry.AddWithErrorCodes(retry.NewStandard(), "ConditionalRequestConflict")
		o.DisableLogOutputChecksumValidationSkipped = true
	})}, nil
}

const connectTimeout = 5 * time.Second

// resultsClient reports an S3 that does not answer, or refuses, with the same errors
// as the clients of package backend.
type resultsClient struct {
	client *awss3.Client
	where  string
}

// GetObject implements location.Client.
func (c *resultsClient) GetObject(ctx context.Context, in *awss3.GetObjectInput, o ...func(*awss3.Options)) (*awss3.GetObjectOutput, error) {
	out, err := c.client.GetObject(ctx, in, o...)
	return out, backend.Classify(err, c.where)
}

// PutObject implements location.Client.
func (c *resultsClient) PutObject(ctx context.Context, in *awss3.PutObjectInput, o ...func(*awss3.Options)) (*awss3.PutObjectOutput, error) {
	out, err := c.client.PutObject(ctx, in, o...)
	return out, backend.Classify(err, c.where)
}

// ListObjectsV2 implements location.Client.
func (c *resultsClient) ListObjectsV2(ctx context.Context, in *awss3.ListObjectsV2Input, o ...func(*awss3.Options)) (*awss3.ListObjectsV2Output, error) {
	out, err := c.client.ListObjectsV2(ctx, in, o...)
	return out, backend.Classify(err, c.where)
}
