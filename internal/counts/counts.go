// Package counts declares what is counted of requests. A count is declared here
// once, with its name: services, the meter, result documents, their merging and
// checking, and traces take it from [Usage] and do not name it again.
package counts

import (
	"math"
	"reflect"
	"slices"
	"strings"
)

// Usage is what requests used. The JSON name of a field is the count's name in
// documents and traces, and as a quantity of metrics.
type Usage struct {
	Work
	Units `json:"units"`
}

// Work is what requests did. The client's view decides: sent is what it sends.
type Work struct {
	// Evaluated and Returned are items. Evaluated are those that a read looked at,
	// before any filter. Returned are those in the answer, old images included;
	// with Select COUNT, those in the count. Errors return none.
	Evaluated int64 `json:"evaluated"`
	Returned  int64 `json:"returned"`
	// BytesSent and BytesReceived are decoded bodies: DynamoDB item bytes by the
	// sizing rules, S3 object bytes; never headers or wire framing. Sent are those
	// to be put, whether stored or refused; received are those in the answer.
	BytesSent     int64 `json:"bytes_sent"`
	BytesReceived int64 `json:"bytes_received"`
}

// Units are what a service bills.
type Units struct {
	RRU float64 `json:"rru"` // DynamoDB read request units
	WRU float64 `json:"wru"` // DynamoDB write request units
	// S3's request classes: A are PUT, COPY, POST and LIST, B are GET, HEAD and
	// all others; DELETE and the end of an upload without its completion are free
	// (AWS S3 pricing). What the caller did wrong is billed, failed conditions
	// included (User Guide, "Conditional requests"); what the service failed at is
	// not ("Error responses", 5xx).
	S3ClassA int64 `json:"s3_class_a"`
	S3ClassB int64 `json:"s3_class_b"`
	// Unreported counts requests whose units, if any, an endpoint did not report:
	// an error carries none, and a lost reply carries nothing.
	Unreported int64  `json:"unreported"`
	Source     Source `json:"source,omitzero"`
}

// Source is who computed units.
type Source string

// The sources (docs/spec/results.md §1).
const (
	// Computed units come from the documented rules, in the embedded service.
	Computed Source = "computed"
	// Reported units are what an endpoint said about itself.
	Reported Source = "reported"
)

// Add adds what other requests used. A sum of computed and reported units was
// not computed.
func (u *Usage) Add(other Usage) {
	u.Evaluated += other.Evaluated
	u.Returned += other.Returned
	u.BytesSent += other.BytesSent
	u.BytesReceived += other.BytesReceived
	u.RRU += other.RRU
	u.WRU += other.WRU
	u.S3ClassA += other.S3ClassA
	u.S3ClassB += other.S3ClassB
	u.Unreported += other.Unreported
	if u.Source != Reported {
		u.Source = other.Source
	}
}

// A Field is the declaration of a count.
type Field struct {
	// Group is the object of a document's series that holds the count, "" for the
	// series itself.
	Group string
	Name  string
	Whole bool // it is an integer

	group, index int // where it is in a Usage
}

// Fields returns all counts, in the order of their declaration.
func Fields() []Field { return slices.Clone(fields) }

var fields = fieldsOf(reflect.TypeFor[Usage]())

func fieldsOf(usage reflect.Type) (all []Field) {
	for i := range usage.NumField() {
		group := usage.Field(i)
		for j := range group.Type.NumField() {
			f := group.Type.Field(j)
			if kind := f.Type.Kind(); kind != reflect.String {
				all = append(all, Field{jsonName(group), jsonName(f), kind == reflect.Int64, i, j})
			}
		}
	}
	return all
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func (f Field) in(u *Usage) reflect.Value {
	return reflect.ValueOf(u).Elem().Field(f.group).Field(f.index)
}

// Path is where the count is in a series, such as "units.rru".
func (f Field) Path() string { return strings.TrimPrefix(f.Group+"."+f.Name, ".") }

// Of returns the count.
func (f Field) Of(u *Usage) float64 {
	v := f.in(u)
	if f.Whole {
		return float64(v.Int())
	}
	return v.Float()
}

// Value returns a count by its name; false if there is none.
func (u *Usage) Value(name string) (float64, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f.Of(u), true
		}
	}
	return 0, false
}

// Absent returns a Usage whose counts have all been left out: they are negative,
// or not a number.
func Absent() (u Usage) {
	for _, f := range fields {
		if v := f.in(&u); f.Whole {
			v.SetInt(-1)
		} else {
			v.SetFloat(math.NaN())
		}
	}
	return u
}
