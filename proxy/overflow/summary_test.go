package overflow

import "testing"

// Refusals of a provider's summary are known by their codes and by what they name; other errors,
// and a server that is at fault for the moment, are none.
func TestRefusalsOfSummaries(t *testing.T) {
	const e = `{"type":"error","error":{"type":"invalid_request_error","message":"`
	for body, want := range map[string]struct {
		status int
		found  bool
	}{
		e + `As it was.","details":{"error_code":"compaction_signature_invalid"}}}`: {400, true},
		e + `messages.0.content.0: Input tag 'compaction' found using 'type' does not match any ` +
			`of the expected tags"}}`: {400, true},
		e + "Unexpected value(s) `compact-2026-09-04` for `anthropic-beta`\"}}": {400, true},
		e + `Again.","details":{"error_code":"compaction_unavailable"}}}`:       {529, false},
		e + `messages.1: all messages must have content"}}`:                     {400, false},
		e + `No.","details":[{"error_code":"compaction_misplaced"}]}}`:          {400, false},
	} {
		r := Read(want.status, []byte(body))
		if got := r != nil && r.Summary; got != want.found {
			t.Errorf("%d %s: %t, want %t", want.status, body, got, want.found)
		}
	}
}
