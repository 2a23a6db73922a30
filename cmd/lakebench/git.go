package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// git runs git in the current folder. What it complains about becomes the error,
// in a line.
func git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		said := strings.TrimPrefix(strings.Join(strings.Fields(stderr.String()), " "), "fatal: ")
		return nil, fmt.Errorf("git %s: %s", args[0], said)
	}
	return out, err
}
