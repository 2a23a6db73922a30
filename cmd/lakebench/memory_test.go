package main

import (
	"testing"
	"testing/fstest"
)

func TestAvailableMemory(t *testing.T) {
	const meminfo = "MemTotal:       24684128 kB\nMemFree:        1000 kB\nMemAvailable:   2000 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"no Linux":            {nil, 0},
		"no limit":            {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 2_048_000},
		"a container":         {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000000\n"}, 1_000_000},
		"a larger limit":      {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "9000000\n"}, 2_048_000},
		"a group above":       {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "12:cpu:/x\n0::/a/b\n", "sys/fs/cgroup/a/memory.max": "5000"}, 5000},
		"the group":           {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/b/memory.max": "4000", "sys/fs/cgroup/a/memory.max": "5000"}, 4000},
		"nothing that parses": {map[string]string{"proc/meminfo": "MemAvailable: much\n", "proc/self/cgroup": "0::"}, 0},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := availableMemory(root); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
