package direct

import (
	"context"

	"github.com/lakebench/lakebench/internal/meter"
)

// Act has the engine serve one request.
type Act func(ctx context.Context, input any) (any, error)

// Intercept puts a test's function in the place of the engine.
func (c *Client) Intercept(with func(engine Act) Act) { c.act = with(c.act) }

// Unsent is the error of an attempt without an answer.
func Unsent(ctx context.Context, err error) error { return unsent(ctx, err) }

// Meter returns what counts the client's requests.
func (c *Client) Meter() *meter.Meter { return c.cfg.Meter }
