package meter

import (
	attempts "github.com/lakebench/lakebench/internal/attempt"

	"github.com/lakebench/lakebench/internal/counts"
)

// service is what the meter knows of a service's API.
type service interface {
	// name is the service's name in results.
	name() string
	// ask returns the input with the wish that the answer say what it cost; it
	// does not change the input.
	ask(input any) any
	// absent reports whether an output means that there was nothing to get.
	absent(output any) bool
	// usage returns what an attempt cost, as far as request and answer tell. A
	// failed attempt has an error and no output.
	usage(api string, input, output any, err error, outcome Outcome) counts.Usage
	// targets returns what the request is about, for a trace.
	targets(input any, keyAttributes []string) []Target
}

// serviceOf returns the service of one of the SDK's service ids.
func serviceOf(id string) service {
	switch id {
	case "DynamoDB":
		return dynamoDB{}
	case "S3":
		return s3{}
	default:
		return unknownService(id)
	}
}

// unknownService is one that the meter only counts the requests of.
type unknownService string

func (s unknownService) name() string { return string(s) }

func (unknownService) ask(input any) any { return input }

func (unknownService) absent(any) bool { return false }

func (unknownService) usage(string, any, any, error, Outcome) counts.Usage { return counts.Usage{} }

func (unknownService) targets(any, []string) []Target { return nil }

// refused reports whether the service turned a request away before it did anything
// that costs: it was over a limit, or wrong, or not allowed. What the service
// failed at, what found its condition not to hold and what got no answer may
// have cost something.
func refused(err error, outcome Outcome) bool {
	status := attempts.Status(err)
	return status >= 400 && status < 500 && (outcome == Throttled || outcome == Other)
}
