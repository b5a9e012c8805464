package groundcheck

import (
	"testing"
)

// A quote names nobody but the participant that its message names.
func TestParticipantsOfQuotes(t *testing.T) {
	conv := read(t,
		system,
		`{"role":"user","name":"anna","content":"No flights before nine."}`,
		`{"role":"user","content":"Rome."}`,
	)
	for entry, rule := range map[string]string{
		"1 user anna: No flights before nine.": "",
		"1 user: No flights before nine.":      "",
		"1 user ben: No flights before nine.":  ruleSpeaker,
		"2 user anna: Rome.":                   ruleSpeaker,
	} {
		c := under(conv, wordsTitle, 2)
		c.entry(entry)
		wantRule(t, c.report, entry, rule)
	}
}
