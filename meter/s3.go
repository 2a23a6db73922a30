package meter

import "strings"

// s3 is S3, whose requests are billed by class.
type s3 struct{}

func (s3) name() string { return "s3" }

func (s3) ask(input any) any { return input }

// absent is false: S3 says so with an error.
func (s3) absent(any) bool { return false }

// usage counts the request's class (AWS S3 pricing: PUT, COPY, POST and LIST
// requests; GET, SELECT and all other requests; DELETE and CANCEL are free).
// Answers of 404 and 412 are billed as well (facts/s3.md §3.1); errors of the
// service itself are not.
func (s3) usage(api string, _, _ any, err error, outcome Outcome) Usage {
	if err != nil && errorStatus(err) == 0 {
		return Usage{Unreported: 1} // no answer: nobody knows
	}
	if outcome == Throttled || outcome == ServerError {
		return Usage{}
	}
	switch {
	case strings.HasPrefix(api, "Delete"), strings.HasPrefix(api, "Abort"):
		return Usage{}
	case strings.HasPrefix(api, "Put"), strings.HasPrefix(api, "Copy"), strings.HasPrefix(api, "List"),
		strings.HasPrefix(api, "Create"), strings.HasPrefix(api, "Upload"), strings.HasPrefix(api, "Complete"):
		return Usage{S3ClassA: 1}
	default:
		return Usage{S3ClassB: 1}
	}
}

func (s3) targets(any, []string) []Target { return nil }
