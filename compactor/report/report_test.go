package report

import (
	"strings"
	"testing"
)

func TestReadReport(t *testing.T) {
	for _, stored := range []string{
		"", "{}", "an output", `{"object":"killick.summar"}`, `[{"object":"killick.summary"}]`,
	} {
		if r, err := Read([]byte(stored)); err == nil {
			t.Errorf("%q is taken for a report: %+v", stored, r)
		}
	}
	if _, err := Read([]byte(`{"object":"killick.summary"}`)); err != nil {
		t.Error(err)
	}
}

// Nothing in a record closes the block that a page shows it in.
func TestReportsFenceTheRecord(t *testing.T) {
	r := Report{Record: "a\n```\n````\n# b"}
	if page := string(r.Markdown()); !strings.HasSuffix(
		page,
		"\n`````text\n"+r.Record+"\n`````\n",
	) {
		t.Errorf("got %s", page)
	}
}
