package explore

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/lakebench/lakebench/internal/sim/checker"
)

// The files that WriteFiles makes.
const (
	HistoryFile  = "history.json" // all operations of the smallest failing run
	FailingFile  = "failing.json" // a part of them that fails on its own
	DrawingFile  = "failing.html" // that part, drawn
	TimelineFile = "timeline.txt" // everything that happened
	ReplayFile   = "replay.txt"   // the line that replays it
)

// timelineWidth is that of the timeline's file, which need not fit on a
// screen.
const timelineWidth = 200

// WriteFiles writes the failure into dir, which is made if need be, and returns
// the names of the files. The part that fails on its own is there only if the
// check that failed has one.
func (f *Failure) WriteFiles(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	type file struct {
		name  string
		write func(w io.Writer) error
	}
	files := []file{
		{HistoryFile, func(w io.Writer) error { return checker.WriteJSON(w, f.Smallest.History) }},
		{TimelineFile, func(w io.Writer) error { return f.Smallest.WriteTimeline(w, timelineWidth) }},
		{ReplayFile, func(w io.Writer) error { _, err := fmt.Fprintln(w, f.Command()); return err }},
	}
	if failing := f.Check.Failing; len(failing.Operations) > 0 {
		files = append(files,
			file{FailingFile, func(w io.Writer) error { return checker.WriteJSON(w, failing) }},
			file{DrawingFile, func(w io.Writer) error { return checker.WriteHTML(w, failing) }})
	}
	var names []string
	for _, out := range files {
		var b bytes.Buffer
		if err := out.write(&b); err != nil {
			return names, err
		}
		if err := os.WriteFile(filepath.Join(dir, out.name), b.Bytes(), 0o600); err != nil {
			return names, err
		}
		names = append(names, out.name)
	}
	return names, nil
}
