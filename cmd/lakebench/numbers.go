package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lakebench/lakebench/internal/quantity"
)

// A number is a numeric flag whose text package quantity reads. It keeps the type of
// the flag that it wraps.
type number struct{ pflag.Value }

// readNumbers has every numeric flag of every verb read 1_000, 1e6 and 7d.
func readNumbers(root *cobra.Command) {
	wrap := func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "duration":
			f.DefValue = number{f.Value}.String()
			if f.DefValue == "0s" {
				f.DefValue = "" // help leaves out a default of nothing
			}
		case "int", "int64", "uint64", "float64":
		default:
			return
		}
		if _, wrapped := f.Value.(number); !wrapped {
			f.Value = number{f.Value}
		}
	}
	visit(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(wrap)
		cmd.PersistentFlags().VisitAll(wrap)
	})
}

// Set implements pflag.Value.
func (n number) Set(text string) error {
	switch n.Type() {
	case "duration":
		d, err := quantity.Duration(text)
		if err != nil {
			return err
		}
		text = d.String()
	case "float64":
		f, err := quantity.Float(text)
		if err != nil {
			return err
		}
		text = fmt.Sprint(f)
	default:
		digits, err := quantity.Whole(text)
		if err != nil {
			return err
		}
		if n.Value.Set(digits) != nil {
			return fmt.Errorf("%q is out of range", text)
		}
		return nil
	}
	return n.Value.Set(text)
}

// String implements pflag.Value.
func (n number) String() string {
	if n.Value == nil {
		return ""
	}
	if d, err := time.ParseDuration(n.Value.String()); err == nil && n.Type() == "duration" {
		return quantity.FormatDuration(d)
	}
	return n.Value.String()
}
