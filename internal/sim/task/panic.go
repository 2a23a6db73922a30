package task

import (
	"fmt"
	"path"
	goruntime "runtime"
	"runtime/debug"
	"strings"
)

// A PanicError is a panic of a task.
type PanicError struct {
	Task  string
	Value any
	// Where is the source line that panicked, as file.go:line.
	Where string
	// Stack is the goroutine's trace. It holds addresses, which differ from run
	// to run, so it is no part of the message.
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("task %q panicked at %s: %v", e.Task, e.Where, e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// unwinding is the panic that takes down a task whose run was given up.
type unwinding struct{ why error }

func (u unwinding) Error() string { return u.why.Error() }

// protect turns a panic of fn into an error.
func protect(name string, fn func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case unwinding:
			panic(v)
		default:
			err = &PanicError{Task: name, Value: v, Where: panicSite(), Stack: debug.Stack()}
		}
	}()
	return fn()
}

// panicSite finds the line that panicked. It is called by the function that
// recovers: the frames below runtime.gopanic are the panic's own.
func panicSite() string {
	pcs := make([]uintptr, 64)
	frames := goruntime.CallersFrames(pcs[:goruntime.Callers(2, pcs)])
	panicked := false
	for {
		f, more := frames.Next()
		ours := !strings.HasPrefix(f.Function, "runtime.")
		if panicked && ours {
			return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown line"
		}
	}
}
