package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	runner "github.com/lakebench/lakebench/run"
)

// memory returns what this process may use.
func memory() runner.Memory {
	m := runner.Memory{Available: availableMemory(os.DirFS("/"))}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 { // it changes nothing
		m.Limit = float64(limit)
	}
	return m
}

// availableMemory reads what Linux says is available (proc_meminfo(5)), or the limit
// of a control group above the process if that is less (cgroups(7), version 2), in
// bytes; 0 is unknown.
func availableMemory(root fs.FS) float64 {
	least := math.Inf(1)
	info, _ := fs.ReadFile(root, "proc/meminfo") // what cannot be read is not known
	for line := range bytes.Lines(info) {
		var kB float64
		if n, _ := fmt.Sscanf(string(line), "MemAvailable: %f kB", &kB); n == 1 {
			least = kB * 1024
		}
	}
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::/")
		for ; ok; group = path.Dir(group) {
			text, _ := fs.ReadFile(root, path.Join("sys/fs/cgroup", group, "memory.max")) // "max" is no limit
			if limit, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64); err == nil {
				least = min(least, limit)
			}
			ok = group != "." && group != ""
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}
