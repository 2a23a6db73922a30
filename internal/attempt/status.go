package attempt

import "errors"

// Status returns the HTTP status of the answer that err comes from, 0 if there was
// no answer or the transport has no status.
func Status(err error) int {
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) {
		return answer.HTTPStatusCode()
	}
	return 0
}

// Code returns the error code of the answer that err is about; "" if it has none.
func Code(err error) string {
	var api interface{ ErrorCode() string }
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}
