package run

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// A run begins only if its cost is within the budget and agreed to, or nobody is paid.
func TestConsent(t *testing.T) {
	for _, c := range []struct {
		consent Consent
		usd     float64
		want    string // of the error
	}{
		{Consent{}, 1000, ""},
		{Consent{Payee: "AWS", Agreed: true, BudgetUSD: 1}, 1, ""},
		{Consent{Payee: "AWS", Agreed: true, BudgetUSD: 1}, 1.5, "the estimated cost of 1.5000 USD exceeds the budget of 1.0000 USD"},
		{Consent{Payee: "AWS", BudgetUSD: 1}, 1.5, "exceeds the budget"},
		{Consent{Payee: "AWS", BudgetUSD: 1}, 0.5, "this costs money on AWS; add --yes to agree"},
		{Consent{Payee: "AWS", Agreed: true, BudgetUSD: 1}, math.NaN(), "nothing was sent"},
	} {
		told := math.Inf(1)
		c.consent.Estimated = func(usd float64) { told = usd }
		err := c.consent.Ask(c.usd)
		var refused *CostError
		if errors.As(err, &refused) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v for %v: %v, want %q", c.consent, c.usd, err, c.want)
		}
		if (told == c.usd || math.IsNaN(told)) != (c.consent.Payee != "") {
			t.Errorf("%+v for %v: told %v", c.consent, c.usd, told)
		}
	}
}
