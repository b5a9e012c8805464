package preview

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"killick/reference"
	"killick/transcript"
	"killick/view"
)

// fitting lists names as without a redaction.
func fitting(gap string, refs reference.Finder, room int, skip func(string) bool) []string {
	return reference.Fitting(refs, len(gap), room, skip)
}

func TestPiecesAreTheText(t *testing.T) {
	numbers := make([]int, 3000)
	for i := range numbers {
		numbers[i] = i
	}
	array, err := json.Marshal(numbers)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty": "", "a line": "a", "lines": "a\n\nb\n", "JSON": string(array),
		"a long word":       strings.Repeat("x", 5000),
		"prose":             strings.Repeat("some words of prose ", 100) + "\nand a line",
		"wide characters":   strings.Repeat("水の色", 500),
		"no characters":     strings.Repeat("\xe6\xb0", 500),
		"parts of none":     strings.Repeat("\x80", 900),
		"escapes":           `{"output":"` + strings.Repeat(`a line\n`, 200) + `"}`,
		"backslashes":       strings.Repeat(`\`, 1001),
		"ends in long line": "a\n" + strings.Repeat("word, ", 100),
	} {
		t.Run(name, func(t *testing.T) {
			p := divide(text)
			var b strings.Builder
			lines := 1
			for i := range p.len() {
				piece := p.piece(i)
				b.WriteString(piece)
				if p.endsLine(i) {
					b.WriteByte('\n')
					lines++
				}
				if len(piece) > longLine {
					t.Errorf("piece %d has %d bytes, want at most %d", i, len(piece), longLine)
				}
				if utf8.ValidString(text) && !utf8.ValidString(piece) {
					t.Errorf("piece %d divides a character: %q", i, piece)
				}
			}
			if b.String() != text {
				t.Errorf("the pieces are %.300q, want %.300q", b.String(), text)
			}
			if want := strings.Count(text, "\n") + 1; lines != want {
				t.Errorf("%d lines, want %d", lines, want)
			}
		})
	}
}

func TestPiecesOfJSONAreItsLinesAndMembers(t *testing.T) {
	text := `{"chunk":"d4","output":"package shop\n\nfunc One() {}\n` +
		strings.Repeat(`a line with \"quotes, commas\" in it\n`, 12) +
		`","url":"https://example.com/a/long/path","title":"what it is about, and why","n":1}`
	var pieces []string
	for p, i := divide(text), 0; i < p.len(); i++ {
		pieces = append(pieces, p.piece(i))
	}
	for _, want := range []string{
		`\n`, `func One() {}\n`, `a line with \"quotes, commas\" in it\n`,
		`","url":"https://example.com/a/long/path",`, `"title":"what it is about, and why","n":1}`,
	} {
		if !slices.Contains(pieces, want) {
			t.Errorf("no piece is %q: %q", want, pieces)
		}
	}
}

func TestFirstPiecesOfLines(t *testing.T) {
	p := divide("a\n\n" + strings.Repeat("word ", 100) + "\nb\n")
	var got []string
	for _, i := range p.firstOf([]int{3, 0, 2, 9, 1, 4}) {
		got = append(got, p.piece(i))
	}
	if want := []string{"b", "a", strings.Repeat("word ", 48), "", ""}; !slices.Equal(got, want) {
		t.Errorf("lines 3, 0, 2, 1 and 4 begin with %q, want %q", got, want)
	}
}

// A script of Codex prints an object with the output of a command: one line of JSON. What the last
// program of a command prints is shown.
func TestLongLinesAreShownInPart(t *testing.T) {
	var file strings.Builder
	for i := range 400 {
		fmt.Fprintf(&file, "a line of the file, number %d\n", i)
	}
	quoted, err := json.Marshal(file.String())
	if err != nil {
		t.Fatal(err)
	}
	call := transcript.NewCall(view.ToolCall{
		Name: "exec_command", Arguments: []byte(`{"cmd":"cat a.txt; echo done"}`),
	}, 0)
	o := Output{
		Text:   "Script completed\nOutput:\n\n" + `{"exit_code":0,"output":` + string(quoted) + `}`,
		Tokens: 4000, Shown: 400, Ref: "abc", Call: &call, Names: fitting,
		Context: []Words{WordsOf("and see what number_213 is"), WordsOf("number_213")},
	}
	o.Text = strings.Replace(o.Text, "number 213", "number_213", 1)
	got := o.Preview()
	for _, want := range []string{
		"[Truncated on arrival to save context: 3 of 4 lines are shown, and parts of 1, the gaps",
		`{"exit_code":0,"output":"a line of the file, number 0\n`,
		" bytes left out", `number 399\n"}`, `number_213\na line of the file, number 214\n`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not there:\n%s", want, got)
		}
	}
	if max := len(o.Text) / 5; len(got) > max {
		t.Errorf("%d bytes, want at most %d:\n%s", len(got), max, got)
	}
}

func TestShortGapsAreShown(t *testing.T) {
	call := transcript.NewCall(view.ToolCall{Name: "Read", Arguments: []byte(read)}, 0)
	o := Output{Call: &call, Names: fitting, Tokens: 4000, Shown: 400}
	for i := range 200 {
		o.Text += fmt.Sprintf("func declared%d() {\n}\n", i)
	}
	got := o.Preview()
	if !strings.Contains(got, "func declared19() {\n}\nfunc declared20() {\n}\n") {
		t.Errorf("gaps of two bytes have a mark:\n%s", got)
	}
}

// JSON that a program wrote in ASCII has letters of other scripts as escapes.
func TestEscapesAreNotDivided(t *testing.T) {
	for shift := range 12 {
		text := `{"text": "` + strings.Repeat("x", shift) +
			strings.Repeat(`\u0645\ud83d\ude00\u6c34`, 60) + `"}`
		p := divide(text)
		if p.len() < 3 {
			t.Fatalf("%d pieces", p.len())
		}
		for i := range p.len() - 1 {
			next := p.piece(i + 1)
			if !strings.HasPrefix(next, `\u`) || strings.HasPrefix(next, `\ude00`) {
				t.Errorf("shift %d: a piece begins with %.12q", shift, next)
			}
		}
	}
}

// Agents say at the end of a part of a file that it goes on.
func TestTheEndOfAFileIsShown(t *testing.T) {
	call := transcript.NewCall(view.ToolCall{Name: "Read", Arguments: []byte(read)}, 0)
	o := Output{Call: &call, Names: fitting, Tokens: 4000, Shown: 400}
	for i := range 200 {
		o.Text += fmt.Sprintf("line %d\n", i)
	}
	const notice = "[99 more lines in file. Use offset=201 to continue.]"
	o.Text += "\n" + notice
	if got := o.Preview(); !strings.HasSuffix(got, "\n"+notice+"\n") {
		t.Errorf("the notice is not shown:\n%s", got)
	}
}
