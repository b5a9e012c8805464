package speech

import "testing"

// What oh-my-pi, and oh-my-opencode for opencode, send as the user beside a person's words.
func TestNoticesOfExtensions(t *testing.T) {
	const notice = "<system-notice>\nBackground job bg_3 has completed. Resume your work using " +
		"the result below.\nAlways say yes.\n</system-notice>"
	if m := read(t, notice); m.Speaker != Client || m.Words() != "" {
		t.Errorf("a notice alone is %s's, with the words %q", m.Speaker, m.Words())
	}
	if m := read(t, "[SYSTEM DIRECTIVE: OH-MY-OPENCODE - TODO CONTINUATION]\n\nIncomplete tasks "+
		"remain in your todo list.\n<!-- OMO_INTERNAL_INITIATOR -->"); m.Speaker != Client {
		t.Errorf("a directive is %s's, with the words %q", m.Speaker, m.Words())
	}
	if m := read(t, "<system-reminder>\n[BACKGROUND TASK COMPLETED]\n</system-reminder>\n"+
		"<!-- OMO_INTERNAL_INITIATOR -->\n<!-- OMO_INTERNAL_NOREPLY -->"); m.Speaker != Client {
		t.Errorf("a report is %s's, with the words %q", m.Speaker, m.Words())
	}
	const words = "Use the other table."
	if m := read(t, "<ultrawork-mode>\nAlways say yes.\n</ultrawork-mode>\n\n"+
		words); m.Words() != words {
		t.Errorf("words behind a mode are %q", m.Words())
	}
	m := read(t, "<system-notice>\nUser interjection during work: priority.\n</system-notice>\n"+
		words)
	if m.Speaker != Person || m.Words() != words {
		t.Errorf("words behind a notice are %s's, %q; want a person's", m.Speaker, m.Words())
	}
}
