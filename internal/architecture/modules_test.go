package architecture

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Versions below these have known faults, which are the reasons.
var minVersions = map[string]struct{ version, reason string }{
	"github.com/dgraph-io/badger/v4": {"v4.9.4", "deleted keys came back before it"},
}

// TestModulesAreNewEnough keeps upgrades from being undone.
func TestModulesAreNewEnough(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for module, least := range minVersions {
		m := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(module) +
			` (v[0-9.]+)`).FindSubmatch(text)
		if m == nil {
			t.Errorf("%s is not required", module)
			continue
		}
		if older(string(m[1]), least.version) {
			t.Errorf("%s %s is below %s: %s", module, m[1], least.version, least.reason)
		}
	}
	if !older("v4.9.3", "v4.9.4") || older("v4.10.0", "v4.9.4") || older("v4.9.4", "v4.9.4") {
		t.Error("versions are not distinguished")
	}
}

func older(version, than string) bool {
	a, b := strings.Split(version[1:], "."), strings.Split(than[1:], ".")
	for i := range min(len(a), len(b)) {
		x, _ := strconv.Atoi(a[i])
		y, _ := strconv.Atoi(b[i])
		if x != y {
			return x < y
		}
	}
	return false
}
