package backend

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// unsigned signs no request: the embedded services check no signature, and making
// one takes a quarter of a call's time.
type unsigned struct{}

// SignHTTP implements the SDK's HTTPSignerV4.
func (unsigned) SignHTTP(
	context.Context, aws.Credentials, *http.Request, string, string, string, time.Time, ...func(*v4.SignerOptions),
) error {
	return nil
}
