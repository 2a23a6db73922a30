package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/lakebench/lakebench/internal/render"
)

// terminalOf returns the width of a terminal, and whether it shows colours; 80
// columns without colours elsewhere.
func terminalOf(w io.Writer) render.TextOptions {
	o := render.TextOptions{Width: render.DefaultWidth}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			o.Width = width
		}
		o.Color = os.Getenv("NO_COLOR") == ""
	}
	return o
}
