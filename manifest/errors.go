package manifest

import (
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/manifest/object"
)

// What can come of an operation, beside errors of the service itself. Test for
// them with errors.Is; those with a type of their own say more there.
var (
	// ErrNoManifest: the shard has none yet.
	ErrNoManifest = errors.New("the shard has no manifest")
	// ErrFenced: a newer epoch holds the shard. The error is a *FencedError.
	ErrFenced = errors.New("fenced")
	// ErrSealed: the shard is being dropped. The error is a *SealedError.
	ErrSealed = errors.New("the shard is sealed")
	// ErrCollision: the version exists, by another writer's commit. The error is a
	// *CollisionError. Commits retry it themselves.
	ErrCollision = errors.New("the version is taken")
	// ErrExhausted: a commit or a claim collided as often as it may. The error is an
	// *ExhaustedError.
	ErrExhausted = errors.New("attempts exhausted")
	// ErrGap: a version is missing below one that exists. The error is a *GapError.
	ErrGap = errors.New("gap in the versions")
	// ErrDamaged: an object is not what its name promises. The error is a *DamagedError.
	ErrDamaged = errors.New("damaged")
	// ErrUnknownStatus: the manifest has a status that is newer than this program.
	// The error is a *StatusError.
	ErrUnknownStatus = errors.New("unknown status")
	// ErrOtherShard: the shard exists with another spec. The error is a *SpecError.
	ErrOtherShard = errors.New("the shard has another spec")
	// ErrInvalid: the arguments mean nothing, or an update's result may not follow
	// what it was given. Nothing was written.
	ErrInvalid = object.ErrInvalid
	// ErrUnknown: a commit may have happened, or may yet. Whoever commits again has
	// to look first whether the manifest has it already.
	ErrUnknown = object.ErrUnknown
)

// A FencedError is a shard that a newer epoch holds.
type FencedError struct {
	Path    string // of the manifest that says so
	Version uint64
	Epoch   uint64 // the caller's
	Found   uint64 // the manifest's
}

func (e *FencedError) Error() string {
	return fmt.Sprintf("%v: epoch %d, but version %d at %s is of epoch %d; open the shard again to write", ErrFenced, e.Epoch, e.Version, e.Path, e.Found)
}

// Unwrap returns ErrFenced.
func (e *FencedError) Unwrap() error { return ErrFenced }

// A SealedError is a shard that is being dropped.
type SealedError struct {
	Path    string // of the manifest that says so
	Version uint64
}

func (e *SealedError) Error() string {
	return fmt.Sprintf("%v as of version %d at %s: its table is being dropped; unseal it to go on", ErrSealed, e.Version, e.Path)
}

// Unwrap returns ErrSealed.
func (e *SealedError) Unwrap() error { return ErrSealed }

// A CollisionError is a version that another writer's commit has taken.
type CollisionError struct {
	Path    string
	Version uint64
	Err     error // the request's; nil if the store knew without one
}

func (e *CollisionError) Error() string {
	return fmt.Sprintf("%v: version %d at %s", ErrCollision, e.Version, e.Path)
}

// Unwrap returns ErrCollision and the request's error.
func (e *CollisionError) Unwrap() []error { return []error{ErrCollision, e.Err} }

// An ExhaustedError is an operation that collided as often as it may.
type ExhaustedError struct {
	Operation string
	Attempts  int
	Err       error // of the last attempt
}

func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("%v: %s collided %d times, the last time: %v", ErrExhausted, e.Operation, e.Attempts, e.Err)
}

// Unwrap returns ErrExhausted and the last attempt's error.
func (e *ExhaustedError) Unwrap() []error { return []error{ErrExhausted, e.Err} }

// A GapError is a version that is missing below one that exists. Whatever is
// beyond it would be hidden from a reader that comes from below.
type GapError struct {
	Path    string // where the version should be
	Version uint64
	Beyond  uint64 // exists
}

func (e *GapError) Error() string {
	return fmt.Sprintf("%v: version %d exists, but there is no version %d at %s", ErrGap, e.Beyond, e.Version, e.Path)
}

// Unwrap returns ErrGap.
func (e *GapError) Unwrap() error { return ErrGap }

// A DamagedError is an object that cannot be what its name promises.
type DamagedError struct {
	Path   string
	Reason string
	Err    error // what decoding it said, or nil
}

func (e *DamagedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s is %v: %s: %v", e.Path, ErrDamaged, e.Reason, e.Err)
	}
	return fmt.Sprintf("%s is %v: %s", e.Path, ErrDamaged, e.Reason)
}

// Unwrap returns ErrDamaged and what decoding said.
func (e *DamagedError) Unwrap() []error { return []error{ErrDamaged, e.Err} }

// A StatusError is a manifest with a status that this program does not know. It
// can be read, but no write may rely on it.
type StatusError struct {
	Path   string
	Status Status
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%v %d in %s: want %d (active) or %d (sealed); a newer program wrote it", ErrUnknownStatus, e.Status, e.Path, Active, Sealed)
}

// Unwrap returns ErrUnknownStatus.
func (e *StatusError) Unwrap() error { return ErrUnknownStatus }

// A SpecError is a shard that exists with another spec than the one to be claimed
// or initialized.
type SpecError struct {
	Path        string
	Want, Found Spec
}

func (e *SpecError) Error() string {
	return fmt.Sprintf("%v: %s has %v, want %v", ErrOtherShard, e.Path, e.Found, e.Want)
}

// Unwrap returns ErrOtherShard.
func (e *SpecError) Unwrap() error { return ErrOtherShard }
