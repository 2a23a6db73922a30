package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/backend/tally"
)

func (o *serveOptions) serveS3(ctx context.Context, out io.Writer) error {
	service, err := s3.New(s3.DefaultConfig())
	if err != nil {
		return err
	}
	l, err := listen(ctx, out, "S3", "--s3", o.s3)
	if err != nil {
		return err
	}
	if err := o.limits.serve(ctx, l, service.HTTPHandler()); err != nil {
		return err
	}
	_, err = io.WriteString(out, s3Totals(service.Totals()))
	return err
}

// s3Totals returns the requests that the service got and the classes that AWS would bill.
func s3Totals(t tally.Totals) string {
	var text strings.Builder
	text.WriteString("S3 served\n")
	t.Requests.WriteTable(&text)
	fmt.Fprintf(&text, "billed %d class A and %d class B requests; %d bytes written, %d bytes read\n", t.S3ClassA, t.S3ClassB, t.BytesSent, t.BytesReceived)
	return text.String()
}
