package checkpoint

import (
	"errors"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/view"
)

// A form that would break a request is discarded, whatever made it.
func TestFormsThatBreakRequests(t *testing.T) {
	record := []Record{{Raw: []byte(chattest.Says(view.User, "R")), Tokens: 1}}
	summary := ProviderSummary{Raw: []byte(chattest.Says(view.Assistant, "S")), Tokens: 1}
	summary.Place = 4
	for name, c := range map[string]struct {
		letters string
		cp      Checkpoint
		want    string // in the error, "" for none
	}{
		"nothing":                      {"ucau", Checkpoint{}, ""},
		"a fold":                       {"ucau", Checkpoint{Fold: 3, Records: record}, ""},
		"a fold before an instruction": {"uasau", Checkpoint{Fold: 2, Records: record}, ""},
		"a fold behind one":            {"uasau", Checkpoint{Fold: 4, Records: record}, ""},
		"a mask": {"ucau", Checkpoint{Masks: []Mask{{Index: 2, Text: "P"}}},
			""},
		"a summary": {"uacu", Checkpoint{Fold: 1, Records: record, Provider: &summary},
			""},
		"a call folded without its result": {"ucau", Checkpoint{Fold: 2, Records: record},
			"1 results without a call"},
		"a mask of an instruction": {"uasau", Checkpoint{Masks: []Mask{{Index: 2, Text: "P"}}},
			"must be sent as received"},
		"a torn record": {"ucau", Checkpoint{Fold: 3, Records: []Record{{Raw: []byte(`{"role"`)}}},
			"invalid form: "},
	} {
		err := Validate(withClaude(t, summarizes, c.letters), &c.cp)
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want != "" && (!errors.Is(err, errInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
