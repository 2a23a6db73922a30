package s3

import (
	"fmt"
	"time"
)

// Config holds the service's settings. Those that decide between behaviours say
// whose they are; the defaults are AWS's.
type Config struct {
	// Region is where the buckets are.
	Region string

	// ListPermission: callers have s3:ListBucket. Without it a HEAD or a GET of a
	// key that does not exist is 403 instead of 404 (HeadObject, API reference,
	// "Permissions"), and so are lists.
	ListPermission bool

	// CommitDelay is the time between the beginning of a conditional write and
	// its end, when its condition is looked at: what becomes of the key meanwhile
	// is a race. 0 only lets other tasks run.
	CommitDelay time.Duration

	// RacesConflict: a conditional write that lost to another one which was in
	// flight at the same time is answered 409, as Coreweave's object storage does
	// (docs/facts/s3.md §3.1) and as AWS may do for If-Match (User Guide, "How to
	// prevent object overwrites with conditional writes"). Otherwise it is 412.
	RacesConflict bool
}

// DefaultConfig returns what AWS does for a caller with all permissions.
func DefaultConfig() Config {
	return Config{Region: "us-east-1", ListPermission: true}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.Region == "":
		return fmt.Errorf("s3: Config.Region is empty: want a region name such as us-east-1")
	case c.CommitDelay < 0:
		return fmt.Errorf("s3: Config.CommitDelay is %v: want 0 or more", c.CommitDelay)
	}
	return nil
}
