package dynamo

import (
	"errors"
	"strconv"

	"github.com/lakebench/lakebench/internal/attr"
)

// A request is the typed form of an operation's JSON body.
type request interface {
	// member reads the value of the body's member called name, with r in front
	// of it. Members that the operation does not know are skipped, as the
	// service does.
	member(r *attr.Reader, name string) error
	// validate checks what can be checked without looking at a table.
	validate() *serviceError
}

// decode reads a body into in.
func (e *Engine) decode(body []byte, in request) *serviceError {
	r, ok := e.readers.Get().(*attr.Reader)
	if !ok {
		r = new(attr.Reader)
	}
	defer e.readers.Put(r)
	r.Reset(body)
	err := object(r, in.member)
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return bodyError(err)
	}
	return in.validate()
}

// bodyError is the service's answer to a body that cannot be read.
func bodyError(err error) *serviceError {
	if own := new(serviceError); errors.As(err, &own) {
		return own
	}
	if value := new(attr.ValueError); errors.As(err, &value) {
		return invalid("%s", value.Message)
	}
	return &serviceError{code: serializationException, message: err.Error()}
}

// object reads an object whose null members count as absent.
func object(r *attr.Reader, member func(r *attr.Reader, name string) error) error {
	return r.Object(func(name string) error {
		if null, err := r.Null(); null || err != nil {
			return err
		}
		return member(r, name)
	})
}

func readString(r *attr.Reader, to *string) (err error) {
	*to, err = r.String()
	return err
}

// readText keeps apart empty and absent.
func readText(r *attr.Reader, to **string) error {
	text, err := r.String()
	*to = &text
	return err
}

func readBool(r *attr.Reader, to *bool) (err error) {
	*to, err = r.Bool()
	return err
}

// readInt keeps apart 0 and absent.
func readInt(r *attr.Reader, to **int64) error {
	n, err := r.Int()
	*to = &n
	return err
}

func readItem(r *attr.Reader, to *attr.Item) (err error) {
	*to, err = r.Item()
	return err
}

// readList reads an array of objects.
func readList[T any](r *attr.Reader, to *[]T, member func(t *T, r *attr.Reader, name string) error) error {
	return r.Array(func(int) error {
		var t T
		err := object(r, func(r *attr.Reader, name string) error { return member(&t, r, name) })
		*to = append(*to, t)
		return err
	})
}

// readTables reads an object with one member per table.
func readTables(r *attr.Reader, member func(r *attr.Reader, table string) error) error {
	seen := map[string]bool{}
	return object(r, func(r *attr.Reader, table string) error {
		if seen[table] {
			return &serviceError{code: serializationException, message: "table " + strconv.Quote(table) + " occurs twice in one request"}
		}
		seen[table] = true
		return member(r, table)
	})
}
