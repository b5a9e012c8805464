package truncate

import (
	"strings"
	"testing"

	"killick/gemini"
	"killick/view"
)

// An oversized output with an image beside it stays whole, like one with an image in it.
func TestOutputsWithMediaStayWhole(t *testing.T) {
	for beside, whole := range map[string]bool{
		``:            false,
		`,"parts":[]`: false,
		`,"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]`: true,
	} {
		body := `{"contents":[{"parts":[{"text":"Look."}]},` +
			`{"role":"model","parts":[{"functionCall":{"name":"see","args":{"id":1}}}]},` +
			`{"parts":[{"functionResponse":{"name":"see","response":{"output":"` +
			strings.Repeat(`a line of it\n`, 400) + `"}` + beside + `}}]}]}`
		req, err := view.Parse(gemini.Format, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		v, originals := pass(t, req, 50)
		if (len(originals) == 0) != whole {
			t.Errorf("%s: %d outputs were truncated", beside, len(originals))
		}
		if got := string(v.Messages[2].Raw); !strings.HasSuffix(got, beside+"}}") {
			t.Errorf("%s became …%s", beside, got[max(0, len(got)-200):])
		}
	}
}
