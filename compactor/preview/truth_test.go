package preview

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"killick/reference"
	"killick/transcript"
	"killick/view"
)

var (
	headingOf = regexp.MustCompile(`^\[Truncated on arrival to save context: (\d+) of (\d+) ` +
		`lines are shown(?:, and parts of (\d+))?, `)
	markOf = regexp.MustCompile(`^\[… ([0-9,]+) (bytes|lines?) left out\]\n`)
)

// checkTruth fails unless what a preview shows is verbatim, and its heading and the marks of its
// gaps count what the text has.
func checkTruth(t *testing.T, text string, shown int) {
	t.Helper()
	call := transcript.NewCall(view.ToolCall{Name: "Bash", Arguments: []byte(`"{}"`)}, 0)
	o := Output{Text: text, Tokens: len(text)/4 + 1, Shown: shown, Ref: "r", Call: &call,
		Names: func(string, reference.Finder, int, func(string) bool) []string { return nil }}
	heading, rest, _ := strings.Cut(o.Preview(), "\n")
	counts := headingOf.FindStringSubmatch(heading)
	if counts == nil {
		t.Fatalf("heading: %s", heading)
	}
	left := make([]bool, len(text)) // bytes that are left out
	at := 0
	for rest != "" {
		mark := markOf.FindStringSubmatch(rest)
		if mark == nil { // shown, up to a line feed of the text or before a mark
			line, after, _ := strings.Cut(rest, "\n")
			if !strings.HasPrefix(text[at:], line) {
				t.Fatalf("%q is shown, not %.200q", line, text[at:])
			}
			if at += len(line); at < len(text) && text[at] == '\n' {
				at++
			}
			rest = after
			continue
		}
		rest = rest[len(mark[0]):]
		n, _ := strconv.Atoi(strings.ReplaceAll(mark[1], ",", ""))
		from := at
		if mark[2] == "bytes" {
			at += n
		} else {
			for range n {
				if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
					at += i + 1
				} else if at < len(text) {
					at = len(text)
				} else {
					t.Fatalf("more lines are left out than there are: %s", mark[0])
				}
			}
		}
		for i := from; i < at; i++ {
			left[i] = true
		}
	}
	if at != len(text) {
		t.Fatalf("%d bytes are accounted for, want %d", at, len(text))
	}
	whole, parts, lines := 0, 0, 0
	for line := range strings.Lines(text) {
		n := 0
		for i := range line {
			if left[i] {
				n++
			}
		}
		left = left[len(line):]
		lines++
		switch {
		case n == 0:
			whole++
		case n < len([]rune(line)):
			parts++
		}
	}
	want := fmt.Sprint(whole, lines, parts)
	if counts[3] == "" {
		counts[3] = "0"
	}
	if got := strings.Join(counts[1:], " "); got != want {
		t.Errorf("the heading counts %s (shown, all, in part), want %s", got, want)
	}
}

func FuzzPreviewIsTrue(f *testing.F) {
	for _, unit := range []string{"a line of words\n", "a\nb\n\n", `{"k":"v\n w","n":[1,2,3]},`,
		"水の色 ", "word ", strings.Repeat("x", 500) + "\n" + strings.Repeat("y, ", 300) + "\nz\n"} {
		for _, times := range []int{1, 7, 100, 400} {
			f.Add(strings.Repeat(unit, times), 100)
			f.Add(strings.Repeat(unit, times)+"the end", 30)
		}
	}
	f.Fuzz(func(t *testing.T, text string, shown int) {
		if text == "" || shown < 0 || shown > 1<<20 || strings.Contains(text, "[…") {
			return
		}
		checkTruth(t, text, shown)
	})
}
