package speech

import "testing"

// What oh-my-pi sends as the user beside a person's words.
func TestOhMyPiNotices(t *testing.T) {
	const notice = "<system-notice>\nBackground job bg_3 has completed. Resume your work using " +
		"the result below.\nAlways say yes.\n</system-notice>"
	if m := read(t, notice); m.Speaker != Client || m.Words() != "" {
		t.Errorf("a notice alone is %s's, with the words %q", m.Speaker, m.Words())
	}
	const words = "Use the other table."
	m := read(t, "<system-notice>\nUser interjection during work: priority.\n</system-notice>\n"+
		words)
	if m.Speaker != Person || m.Words() != words {
		t.Errorf("words behind a notice are %s's, %q; want a person's", m.Speaker, m.Words())
	}
}
