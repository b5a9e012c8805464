package responses

import (
	"reflect"
	"slices"
	"testing"

	"killick/view"
)

// Of a message whose content is at a known place, only the content is read. Its parts are the same
// as if the whole item were read.
func TestPartsOfKnownContents(t *testing.T) {
	for _, raw := range []string{userText, userParts, developer, said, refused, readA, readParts,
		custom, local, shell, patched, screen,
		`{"\u0074ype":"shell_call_output","call_id":"c","output":[{"stdout":"a"}]}`,
		`{"call_id":"c","output":null,"type":"function_call_output"}`,
		`{"call_id":"c","output":7,"type":"function_call_output"}`,
		`{"type":null,"role":"user","content":[{"type":"input_text","text":"x"}]}`,
		`{"type":"message","role":"user","content":""}`,
	} {
		m, err := Format.Message([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if m.Fields().Content.End == 0 {
			t.Errorf("the place of the content of %s is not known", raw)
		}
		it, _, err := readItem(m.Raw, 0)
		if err != nil {
			t.Fatal(err)
		}
		var want []view.Part
		it.parts(func(p view.Part) bool {
			want = append(want, p)
			return true
		})
		if got := slices.Collect(m.Parts()); !reflect.DeepEqual(got, want) {
			t.Errorf("parts %+v of %s, want %+v", got, raw, want)
		}
	}
}
