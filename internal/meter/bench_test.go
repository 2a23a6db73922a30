package meter

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/counts"
)

// constant answers every request with the same body, as fast as can be: what is
// left is the SDK and the meter.
type constant struct {
	m    *Meter // reports to it, if not nil
	body []byte
}

func (c constant) Do(req *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return nil, err
	}
	if c.m != nil {
		c.m.Served(req.Context(), Served{Service: "dynamodb", API: "GetItem", Usage: counts.Usage{Work: counts.Work{Evaluated: 1, Returned: 1, BytesReceived: 1024}, Units: counts.Units{RRU: 0.5}}})
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(bytes.NewReader(c.body)), ContentLength: int64(len(c.body)), Request: req,
	}, nil
}

// BenchmarkGetItem is one GetItem of 1 KB through the SDK in memory: without a
// meter, the SDK's own ceiling, and with each kind of metering.
func BenchmarkGetItem(b *testing.B) {
	body := fmt.Appendf(nil, `{"Item":{"pk":{"S":"k"},"value":{"B":"%s"}}}`, strings.Repeat("QUJD", 340))
	for _, c := range []struct {
		name string
		cfg  func(*Config)
	}{
		{"bare", nil},
		{"metered", func(*Config) {}},
		{"reported", func(c *Config) { c.ReportCapacity = true }},
		{"traced", func(c *Config) { c.Trace = func(TraceRecord) {} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := dynamodb.Options{
				Region:       "us-east-1",
				Credentials:  credentials.NewStaticCredentialsProvider("a", "b", ""),
				BaseEndpoint: aws.String("http://dynamodb.invalid"),
				HTTPClient:   constant{body: body},
			}
			if c.cfg != nil {
				cfg := DefaultConfig()
				c.cfg(&cfg)
				m, err := New(cfg)
				if err != nil {
					b.Fatal(err)
				}
				o.HTTPClient = m.HTTPClient(constant{m, body})
				o.APIOptions = m.APIOptions()
			}
			client := dynamodb.New(o)
			ctx := InPhase(b.Context(), PhaseSteady)
			in := &dynamodb.GetItemInput{
				TableName: aws.String("t"),
				Key:       map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "k"}},
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.GetItem(ctx, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCounting is what the meter itself does for one call, its middleware's
// place in the SDK's stack aside.
func BenchmarkCounting(b *testing.B) {
	m, err := New(DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	ctx := InPhase(b.Context(), PhaseSteady)
	in, out := &dynamodb.GetItemInput{}, &dynamodb.GetItemOutput{}
	b.ReportAllocs()
	for b.Loop() {
		c := &call{m: m}
		c.begin(ctx, "DynamoDB", "GetItem", in)
		a := c.attempt(ctx)
		attemptFrom(a).send()
		m.Served(a, Served{Service: "dynamodb", API: "GetItem"})
		a.end(out, nil)
		c.end(nil)
	}
}
