package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// wantUnreachable checks the reason and that the message is one line that names
// the endpoint and says what was found.
func wantUnreachable(t *testing.T, what string, err error, endpoint string, reason Reason, found string) {
	t.Helper()
	var e *UnreachableError
	if !errors.As(err, &e) || e.Reason != reason || e.Endpoint != endpoint {
		t.Errorf("%s: got %#v (%v), want reason %q of %s", what, err, err, reason, endpoint)
		return
	}
	text := err.Error()
	if !strings.HasPrefix(text, endpoint+" "+string(reason)+": ") || !strings.Contains(text, found) || strings.Contains(text, "\n") {
		t.Errorf("%s: message %q, want %q in it", what, text, found)
	}
}

// closedPort is an address at which nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return "http://" + l.Addr().String()
}

func answering(t *testing.T, status int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestOpenUnreachable(t *testing.T) {
	nobody := closedPort(t)
	_, err := Open(t.Context(), endpointConfig(nobody))
	wantUnreachable(t, "nobody listens", err, nobody, ReasonNoAnswer, "connection refused")

	unknown := "http://no-such-host.invalid"
	_, err = Open(t.Context(), endpointConfig(unknown))
	wantUnreachable(t, "no such host", err, unknown, ReasonNoAnswer, "no-such-host.invalid")

	for code, reason := range map[string]Reason{
		"UnrecognizedClientException":         ReasonCredentials,
		"InvalidSignatureException":           ReasonCredentials,
		"ExpiredTokenException":               ReasonCredentials,
		"MissingAuthenticationTokenException": ReasonCredentials,
		"OptInRequired":                       ReasonPermission,
		"AuthorizationHeaderMalformed":        ReasonRegion,
		"ValidationException":                 ReasonNoAnswer, // no DynamoDB at all
	} {
		address := answering(t, 400, `{"__type":"x#`+code+`","message":"as it says"}`)
		_, err := Open(t.Context(), endpointConfig(address))
		wantUnreachable(t, code, err, address, reason, "ListTables: "+code+": as it says")
	}
	page := answering(t, 404, "<html>not here</html>")
	_, err = Open(t.Context(), endpointConfig(page))
	wantUnreachable(t, "a web server", err, page, ReasonNoAnswer, "ListTables")
}

// The first request is made once: what is there now must not take several
// timeouts to find out.
func TestOpenAsksOnce(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer server.Close()
	_, err := Open(t.Context(), endpointConfig(server.URL))
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) || asked != 1 {
		t.Errorf("got %v after %d requests", err, asked)
	}
}

// A caller who is known, but may not list tables, can go on.
func TestOpenWithoutPermissionToList(t *testing.T) {
	open(t, endpointConfig(answering(t, 400, `{"__type":"x#AccessDeniedException","message":"no"}`)))
}

// Somebody who takes the connection and never answers costs the connect timeout,
// once.
func TestOpenDoesNotWaitForEver(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	cfg := endpointConfig("http://" + l.Addr().String())
	cfg.ConnectTimeout = 50 * time.Millisecond
	_, err = Open(t.Context(), cfg)
	wantUnreachable(t, "silence", err, cfg.DynamoDBEndpoint, ReasonNoAnswer, "no answer within 50ms")
}

func TestOpenInterrupted(t *testing.T) {
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client is gone
		cancel(why)
		<-r.Context().Done()
	}))
	defer server.Close()
	_, err := Open(ctx, endpointConfig(server.URL))
	var unreachable *UnreachableError
	if !errors.Is(err, why) || errors.As(err, &unreachable) {
		t.Errorf("got %v, want the interrupt", err)
	}
}

type noCredentials struct{}

func (noCredentials) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{}, errors.New("no profile")
}

func TestOpenWithoutCredentials(t *testing.T) {
	_, address := serve(t)
	cfg := endpointConfig(address)
	cfg.AWS.Credentials = noCredentials{}
	_, err := Open(t.Context(), cfg)
	wantUnreachable(t, "no credentials", err, address, ReasonCredentials, "no profile")
}

// A redirect would be one more request than is counted.
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		elsewhere++
		fmt.Fprint(w, "{}")
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer server.Close()
	_, err := Open(t.Context(), endpointConfig(server.URL))
	var unreachable *UnreachableError
	if !errors.As(err, &unreachable) || elsewhere != 0 {
		t.Errorf("got %v, and %d requests elsewhere", err, elsewhere)
	}
}

func TestClassify(t *testing.T) {
	_, address := serve(t)
	b := open(t, endpointConfig(address))
	m := newMeter(t, b)
	_, missing := b.DynamoDB(m).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("nowhere")})
	wantUnreachable(t, "missing table", b.Classify(fmt.Errorf("opening: %w", missing)), address, ReasonMissing, "DescribeTable: ResourceNotFoundException")
	if err := b.Classify(missing); !errors.Is(err, missing) {
		t.Errorf("%v hides its cause", err)
	}

	code := func(c string) error {
		return &smithy.OperationError{OperationName: "GetObject", Err: &smithy.GenericAPIError{Code: c, Message: "m"}}
	}
	for c, reason := range map[string]Reason{
		"NoSuchBucket": ReasonMissing, "PermanentRedirect": ReasonRegion, "InvalidAccessKeyId": ReasonCredentials, "AccessDenied": ReasonPermission,
	} {
		wantUnreachable(t, c, b.Classify(code(c)), address, reason, "GetObject: "+c+": m")
	}
	lost := &smithyhttp.RequestSendError{Err: &net.OpError{Op: "read", Err: errors.New("reset")}}
	wantUnreachable(t, "lost", b.Classify(lost), address, ReasonNoAnswer, "read: reset")

	for _, err := range []error{
		nil,
		code("ValidationException"),
		code("NoSuchKey"),
		errors.New("something else"),
		&smithyhttp.RequestSendError{Err: context.Canceled},
		&smithy.CanceledError{Err: context.Canceled},
	} {
		if got := b.Classify(err); got != err { //nolint:errorlint // the very same error
			t.Errorf("%v became %v", err, got)
		}
	}
	once := b.Classify(lost)
	if twice := b.Classify(once); twice != once { //nolint:errorlint // the very same error
		t.Errorf("classified twice: %v", twice)
	}
}

// AWS has no address; it is named by its region.
func TestWhereIsAWS(t *testing.T) {
	b := &Backend{cfg: endpointConfig("")}
	wantUnreachable(t, "AWS", b.Classify(&smithyhttp.RequestSendError{Err: errors.New("x")}), "DynamoDB in eu-west-1", ReasonNoAnswer, "x")
}
