package counts_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/counts"
)

// fill sets every number of a Usage: from n, counting up.
func fill(u *counts.Usage, n int64) {
	for _, group := range []reflect.Value{reflect.ValueOf(&u.Work).Elem(), reflect.ValueOf(&u.Units).Elem()} {
		for i := range group.NumField() {
			switch f := group.Field(i); f.Kind() {
			case reflect.Int64:
				f.SetInt(n)
			case reflect.Float64:
				f.SetFloat(float64(n))
			case reflect.String:
				continue
			default:
				panic(f.Kind())
			}
			n++
		}
	}
}

// A sum has every count, and is reported once a part of it is.
func TestAdd(t *testing.T) {
	var a, b counts.Usage
	fill(&a, 100)
	fill(&b, 1000)
	a.Source, b.Source = counts.Reported, counts.Computed
	sum := a
	sum.Add(b)
	for i, f := range counts.Fields() {
		if got, want := f.Of(&sum), float64(1100+2*i); got != want {
			t.Errorf("%s: got %v, want %v", f.Path(), got, want)
		}
	}
	if sum.Source != counts.Reported {
		t.Errorf("the sum is %s", sum.Source)
	}
	if b.Add(a); b.Source != counts.Reported {
		t.Errorf("the sum is %s", b.Source)
	}
}

// Each number of the JSON is a count under its name, and nothing else is.
func TestNamesAreThoseOfTheJSON(t *testing.T) {
	var u counts.Usage
	fill(&u, 1)
	data, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	left := strings.Count(string(data), ":") - 1 // the object of the units
	for _, f := range counts.Fields() {
		object := doc
		if f.Group != "" {
			object = doc[f.Group].(map[string]any)
		}
		byName, ok := u.Value(f.Name)
		if n := f.Of(&u); object[f.Name] != n || !ok || byName != n {
			t.Errorf("%s: document %v, field %v, by name %v", f.Path(), object[f.Name], n, byName)
		}
		left--
	}
	if left != 0 {
		t.Errorf("%d more members than counts: %s", left, data)
	}
	if _, ok := u.Value("rows"); ok {
		t.Error("there is a count of rows")
	}
	names := []string{}
	for _, f := range counts.Fields() {
		names = append(names, f.Name)
	}
	if slices.Sort(names); len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("a name stands twice: %v", names)
	}
}

func TestAbsent(t *testing.T) {
	u := counts.Absent()
	for _, f := range counts.Fields() {
		if n := f.Of(&u); !math.IsNaN(n) && n != -1 {
			t.Errorf("%s is %v", f.Path(), n)
		}
	}
}
