package bpe

import (
	"encoding/json"
	"testing"
)

// FuzzReference compares every encoding with tiktoken-go, and the count of a
// text in JSON with that of the text.
func FuzzReference(f *testing.F) {
	for _, text := range append(samples, fragments...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 { // the reference is quadratic
			text = text[:4<<10]
		}
		for _, name := range allEncodings {
			e := mustLoad(name)
			got := e.CountString(text)
			if want := len(reference(t, name).EncodeOrdinary(text)); got != want && !known(text) {
				t.Fatalf("%s: %q: %d tokens, want %d%s", name, text, got, want, pieces(e, text))
			}
			body, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			if inJSON := e.CountJSON(body[1 : len(body)-1]); inJSON != got {
				t.Fatalf("%s: %q: %d tokens in JSON, want %d", name, text, inJSON, got)
			}
		}
	})
}
