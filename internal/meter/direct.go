package meter

import "context"

// A Call is one call of a client that is not the SDK's. It is counted where
// [Meter.APIOptions] and [Meter.HTTPClient] count a call of one that is.
type Call struct{ call }

// Begin counts a call, before its input is checked. serviceID is the SDK's name
// of the service, input the SDK's type.
func (m *Meter) Begin(ctx context.Context, serviceID, api string, input any) *Call {
	c := &Call{call{m: m}}
	c.begin(ctx, serviceID, api, input)
	return c
}

// Attempt counts a pass through the client's retry loop. Unless ctx is done
// already, it has send hand the call's input to the service, with a context of
// the attempt's own, and books what came of it. Output and error are to be the
// SDK's types.
func (c *Call) Attempt(ctx context.Context, send func(ctx context.Context, input any) (any, error)) (any, error) {
	a := c.attempt(ctx)
	var output any
	err := context.Cause(ctx)
	if ctx.Err() == nil {
		a.send()
		output, err = send(a, c.input)
	}
	a.end(output, err)
	return output, err
}

// End tells how the call ended. It must be called once.
func (c *Call) End(err error) { c.end(err) }
