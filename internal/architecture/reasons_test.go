package architecture

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"killick/compaction"
)

var (
	reasonGiven = regexp.MustCompile(
		`(?:[fF]ailOpen\(|FailOpen\{Reason: |failOpens\.with\()"([a-z_]+)"`)
	reasonList = regexp.MustCompile(`(?s)var FailOpenReasons = .*?\n}`)
)

// Every reason that is given is listed, and every one that is listed is given: only those have a
// series in killick_fail_opens_total from the start.
func TestReasonsOfFaultsAreListed(t *testing.T) {
	var elsewhere strings.Builder
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file.name, "_test.go") {
			continue
		}
		for _, m := range reasonGiven.FindAllStringSubmatch(file.text, -1) {
			if !slices.Contains(compaction.FailOpenReasons, m[1]) {
				t.Errorf("%s: %s is not in compaction.FailOpenReasons", file.name, m[1])
			}
		}
		elsewhere.WriteString(reasonList.ReplaceAllString(file.text, ""))
	}
	for _, reason := range compaction.FailOpenReasons {
		if !strings.Contains(elsewhere.String(), `"`+reason+`"`) {
			t.Errorf("compaction.FailOpenReasons has %s, which is no reason of any fault", reason)
		}
	}
}
