package main

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
)

// defaultRegion is used on loopback endpoints, where a region means nothing but
// a signature needs one.
const defaultRegion = "us-east-1"

// awsConfig loads the usual AWS configuration: environment, shared files, roles.
// An endpoint on this machine needs none of it: it gets static dummies where no
// credentials are set, and is never a reason to ask the network for some.
func awsConfig(ctx context.Context, endpoint, region string) (aws.Config, error) {
	local := isLoopback(endpoint)
	var opts []func(*config.LoadOptions) error
	if region != "" {
		opts = append(opts, config.WithRegion(region))
	}
	if local {
		opts = append(opts, config.WithEC2IMDSClientEnableState(imds.ClientDisabled))
	}
	cfg, err := config.LoadDefaultConfig(ctx, opts...)
	if err != nil {
		return aws.Config{}, usagef("AWS configuration: %w", err)
	}
	if local {
		if cfg.Region == "" {
			cfg.Region = defaultRegion
		}
		if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
			cfg.Credentials = credentials.NewStaticCredentialsProvider("lakebench", "lakebench", "")
		}
		return cfg, nil
	}
	if cfg.Region == "" {
		return aws.Config{}, usagef("no AWS region is set: use --region or AWS_REGION")
	}
	return cfg, nil
}

// isLoopback reports whether an endpoint is on this machine. An empty endpoint is AWS.
func isLoopback(endpoint string) bool {
	if endpoint == "" {
		return false
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// checkEndpoint refuses an endpoint that is not an HTTP address; flag names its source.
func checkEndpoint(flag, endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return usagef("%s %q: expected an address such as http://127.0.0.1:8000", flag, endpoint)
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return usagef("%s %q: expected nothing after %s", flag, endpoint, fmt.Sprintf("%s://%s", u.Scheme, u.Host))
	}
	return nil
}
