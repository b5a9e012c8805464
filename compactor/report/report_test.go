package report

import (
	"strings"
	"testing"
)

func TestPointers(t *testing.T) {
	name, ok := PointsTo([]byte(pointer + "a\x00prefix"))
	if !ok || name != "a\x00prefix" {
		t.Errorf("points to %q, %t", name, ok)
	}
	for _, stored := range []string{"", "{}", "an output", `{"object":"killick.summary"}`} {
		if name, ok := PointsTo([]byte(stored)); ok {
			t.Errorf("%q points to %q", stored, name)
		}
	}
}

// Nothing in a record closes the block that a page shows it in.
func TestReportsFenceTheRecord(t *testing.T) {
	r := Report{Record: "a\n```\n````\n# b"}
	page := string(r.Markdown())
	if !strings.HasSuffix(page, "\n`````text\n"+r.Record+"\n`````\n") {
		t.Errorf("got %s", page)
	}
}
