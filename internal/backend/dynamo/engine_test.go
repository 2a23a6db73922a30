package dynamo

import (
	"strings"
	"testing"
)

// A panic, which no request should be able to cause, is answered as the
// service's own fault.
func TestPanicIsServerError(t *testing.T) {
	out, err := protect("GetItem", func() ([]byte, *serviceError) { panic("broken") })
	if out != nil || err == nil || err.status() != 500 || err.outcome() != OutcomeServerError {
		t.Fatalf("answer %s, error %v", out, err)
	}
	if !strings.Contains(err.message, "GetItem panicked: broken") {
		t.Errorf("message %q", err.message)
	}
}

func TestConfigValidate(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"Region":                    func(c *Config) { c.Region = "" },
		"PhysicalPartitions is 0":   func(c *Config) { c.PhysicalPartitions = 0 },
		"PhysicalPartitions is 1e9": func(c *Config) { c.PhysicalPartitions = 1e9 },
		"CommitDelay":               func(c *Config) { c.CommitDelay = -1 },
	} {
		cfg := DefaultConfig()
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), strings.Fields(name)[0]) {
			t.Errorf("%s: error %v does not name it", name, err)
		}
	}
}
