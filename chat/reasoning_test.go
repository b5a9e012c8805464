package chat

import (
	"testing"

	"killick/view"
)

func TestSignedReasoningIsLeftOut(t *testing.T) {
	for raw, want := range map[string]string{
		`{"role":"assistant", "reasoning_details" : [{"signature":"s"}], "content":"a" }`: `` +
			`{"role":"assistant", "content":"a" }`,
		`{"thinking_blocks":[{}],"role":"assistant","content":"a"}`: `` +
			`{"role":"assistant","content":"a"}`,
		`{"role":"assistant","reasoning_content":"r","reasoning":"r"}`: `` +
			`{"role":"assistant","reasoning_content":"r","reasoning":"r"}`,
		`{"role":"assistant","reasoning_details":null}`: `` +
			`{"role":"assistant","reasoning_details":null}`,
	} {
		m, err := ParseMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if m.Is(view.Signed) != (raw != want) {
			t.Errorf("%s: signed: %v", raw, m.Is(view.Signed))
		}
		if got := Format.WithoutSigned(&m); string(got) != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

func TestClaudeChecksWhatPrecedesItsThinking(t *testing.T) {
	for model, want := range map[string]bool{
		"anthropic/claude-opus-5.5": true, "claude-fable-5-2": true,
		"anthropic/claude-sonnet-4.6": false, "gpt-5.5": false, "google/gemini-3-pro": false,
	} {
		r, err := Parse([]byte(`{"model":"` + model + `","messages":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := Format.Rules(r).DropSigned; got != want {
			t.Errorf("%s: %v, want %v", model, got, want)
		}
	}
}
