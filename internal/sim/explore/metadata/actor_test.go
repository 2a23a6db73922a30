package metadata

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
)

// A mutation is held against the contract if somebody was told how it ended.
func TestAnswersAreJudged(t *testing.T) {
	crashed, cancel := context.WithCancel(t.Context())
	cancel()
	throttled := &types.ThrottlingException{}
	reasons := func(codes ...string) error {
		e := &types.TransactionCanceledException{}
		for _, c := range codes {
			e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: &c})
		}
		return e
	}
	for name, test := range map[string]struct {
		ctx       context.Context
		err, last error
		wrong     bool
	}{
		"ok":                                 {t.Context(), nil, nil, false},
		"unknown":                            {t.Context(), store.ErrUnknown, nil, false},
		"conflict":                           {t.Context(), &store.ConflictError{}, nil, false},
		"guard":                              {t.Context(), &store.GuardError{}, nil, false},
		"not found":                          {t.Context(), store.ErrNotFound, nil, false},
		"an error of the service":            {t.Context(), throttled, throttled, true},
		"the same, to a crashed node":        {crashed, throttled, throttled, false},
		"contention after a throttle":        {t.Context(), store.ErrContention, throttled, false},
		"contention after nothing":           {t.Context(), store.ErrContention, nil, true},
		"contention after a lost reply":      {t.Context(), store.ErrContention, errors.New("reset"), true},
		"contention after a conflict":        {t.Context(), store.ErrContention, reasons("None", "TransactionConflict"), false},
		"contention after a condition":       {t.Context(), store.ErrContention, reasons("None", "ConditionalCheckFailed"), true},
		"contention, but a condition first":  {t.Context(), store.ErrContention, reasons("ConditionalCheckFailed", "TransactionConflict"), true},
		"contention first, then a condition": {t.Context(), store.ErrContention, reasons("ThrottlingError", "ConditionalCheckFailed"), false},
		"contention without a reason":        {t.Context(), store.ErrContention, reasons("None", "None"), true},
	} {
		a := &actor{world: &World{}}
		a.judge(test.ctx, &operation{number: 3, last: test.last}, test.err)
		if got := len(a.world.answers.texts) > 0; got != test.wrong {
			t.Errorf("%s: complaints %q", name, a.world.answers.texts)
		}
	}
}
