package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/lakebench/lakebench/internal/render"
)

// terminalOf describes what w is shown on: the width is that of $COLUMNS or of the
// terminal, and unknown without either, where nothing is cut. Only a terminal shows
// colours.
func terminalOf(w io.Writer) render.TextOptions {
	var o render.TextOptions
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			o.Width = max(width, 0)
		}
		o.Color = os.Getenv("NO_COLOR") == ""
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		o.Width = columns
	}
	return o
}

// isTerminal reports whether somebody can answer a question there.
func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
