package workset

import (
	"strings"
	"testing"
)

// A file that another call of the same message may have changed is not called older than itself.
func TestChangesInTheSameMessage(t *testing.T) {
	for _, c := range []struct {
		touched int
		want    string
	}{
		{0, "written in message 3:"},
		{3, "written in message 3, before another call of this message, which may have changed " +
			"the file:"},
		{5, "written in message 3, before message 5, which may have changed the file:"},
	} {
		if got := (&Block{At: 3, Written: true, Touched: c.touched}).label(); got != c.want {
			t.Errorf("changed in message %d: %q, want %q", c.touched, got, c.want)
		}
	}
}

// opencode puts tags around the lines of a file, which are more than the lines of a short one.
func TestLinesBetweenTags(t *testing.T) {
	read := func(lines, note string) string {
		return "<path>/w/a.txt</path>\n<type>file</type>\n<content>\n" + lines + "\n\n" + note +
			"\n</content>"
	}
	const shown = "package a // read; func A() int { return 1 }"
	for output, want := range map[string]string{
		read("1: package a // read\n2: func A() int { return 1 }",
			"(End of file - total 2 lines)"): "/w/a.txt message 1, from line 1: " + shown,
		read("7: package a // read\n8: func A() int { return 1 }", "(Showing lines 7-8 of 12. "+
			"Use offset=9 to continue.)"): "/w/a.txt message 1, from line 7: " + shown,
		"<path>/w</path>\n<type>directory</type>\n<entries>\na.txt\nalpha_beta.txt\n</entries>": "",
	} {
		got := labels(new(talk).call("read", output, "filePath", "/w/a.txt").pool(t).Blocks)
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%q: %q, want %q", output, text, want)
		}
	}
}
