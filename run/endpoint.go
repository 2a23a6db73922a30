package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/results"
)

// A Consent is what its user allows a run on an endpoint to cost.
type Consent struct {
	// Payee is who sends the bill, such as AWS; empty if nobody does.
	Payee string
	// Agreed reports whether the user agreed to a cost of at most BudgetUSD.
	Agreed    bool
	BudgetUSD float64
	// Estimated, if not nil, hears of the estimate before it is decided.
	Estimated func(usd float64)
}

// A CostError is a cost that nobody agreed to. Nothing was sent.
type CostError struct {
	Payee          string
	USD, BudgetUSD float64
}

func (e *CostError) Error() string {
	if e.USD > e.BudgetUSD {
		return fmt.Sprintf("nothing was sent: the estimated cost of %.4f USD exceeds the budget of %.4f USD; --budget sets another", e.USD, e.BudgetUSD)
	}
	return fmt.Sprintf("nothing was sent: this costs money on %s; add --yes to agree", e.Payee)
}

// Ask returns nil if a run of that cost may begin, else a *CostError.
func (c Consent) Ask(usd float64) error {
	if c.Payee == "" {
		return nil
	}
	if c.Estimated != nil {
		c.Estimated(usd)
	}
	if !(usd <= c.BudgetUSD) || !c.Agreed { // NaN is refused
		return &CostError{c.Payee, usd, c.BudgetUSD}
	}
	return nil
}

// OnEndpoint runs cfg, which opens an endpoint. The embedded services count the run
// first: so its cost is known before the endpoint sees a request, and what it reports
// can be compared with the rules afterwards. The document comes back beside errors as
// Run returns it.
func OnEndpoint(ctx context.Context, cfg Config, consent Consent) (*results.Document, error) {
	counting := cfg
	counting.Open = func(ctx context.Context) (*backend.Backend, error) { return backend.Open(ctx, backend.DefaultConfig()) }
	counting.Worker.Meet, counting.Meet = false, nil
	counting.Faults = nil // the shadow is what the rules say, without mishaps
	shadow, err := MeasureShadow(ctx, counting)
	if err != nil {
		return nil, err
	}
	if err := consent.Ask(shadow.USD); err != nil {
		return nil, err
	}
	doc, err := Run(ctx, cfg)
	var invalid *InvalidError
	var open *InconclusiveError
	if err != nil && !errors.As(err, &invalid) && !errors.As(err, &open) {
		return doc, err // interrupted, or the endpoint was not reached: nothing to compare
	}
	if _, err := shadow.Compare(doc); err != nil {
		return doc, err
	}
	return doc, Validity(doc)
}
