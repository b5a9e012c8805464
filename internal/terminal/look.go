// Package terminal formats output for people: colours and glyphs as far as the terminal supports
// them, a progress line, readable numbers. It writes escape sequences only to terminals.
package terminal

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"
)

// Look says how output is drawn: with or without colours, in Unicode or ASCII, how wide. The zero
// value sets nothing; Plain is for pipes.
type Look struct {
	Terminal bool // the line can be rewritten
	Color    bool
	Glyphs   Glyphs
	Width    int
}

// Glyphs are what lines and charts are made of, each one column wide.
type Glyphs struct{ Rule, Axis, Corner, Raw, Sent, good, bad, Arrow string }

// The glyphs of a terminal that speaks UTF-8, and those of everything else.
var (
	Unicode = Glyphs{Rule: "─", Axis: "│", Corner: "└", Raw: "░", Sent: "█", good: "✓", bad: "✗",
		Arrow: "→"}
	ASCII = Glyphs{Rule: "-", Axis: "|", Corner: "+", Raw: ".", Sent: "#", good: "ok:",
		bad: "BAD:", Arrow: ">"}
)

// Plain is for files and pipes: ASCII without escapes.
var Plain = Look{Glyphs: ASCII, Width: MaxWidth}

// LookOf returns what can be drawn on w. NO_COLOR (https://no-color.org) is honoured.
func LookOf(w io.Writer, getenv func(string) string, noColor bool) Look {
	l := Plain
	if !Is(w) || getenv("TERM") == "dumb" {
		return l
	}
	l.Terminal = true
	l.Color = !noColor && getenv("NO_COLOR") == ""
	if speaksUTF8(getenv) {
		l.Glyphs = Unicode
	}
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			l.Width = min(MaxWidth, columns)
		}
	}
	return l
}

// speaksUTF8 reads the locale as a C library would.
func speaksUTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToUpper(getenv(name)); value != "" {
			return strings.Contains(value, "UTF-8") || strings.Contains(value, "UTF8")
		}
	}
	return os.Getenv("WT_SESSION") != "" // Windows Terminal sets no locale
}

// The colours are the terminal's own sixteen, so that they fit its theme.
var (
	dimStyle    = lipgloss.NewStyle().Faint(true)
	strongStyle = lipgloss.NewStyle().Bold(true)
	goodStyle   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	badStyle    = lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true)
	rawStyle    = lipgloss.NewStyle().Foreground(lipgloss.BrightBlack)
	sentStyle   = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

func (l Look) paint(s string, style lipgloss.Style) string {
	if !l.Color || strings.TrimSpace(s) == "" {
		return s
	}
	return style.Render(s)
}

// Dim paints a text that is less important.
func (l Look) Dim(s string) string { return l.paint(s, dimStyle) }

// Strong paints a text that is more important.
func (l Look) Strong(s string) string { return l.paint(s, strongStyle) }

// Raw paints what came from a client.
func (l Look) Raw(s string) string { return l.paint(s, rawStyle) }

// Sent paints what went to the model.
func (l Look) Sent(s string) string { return l.paint(s, sentStyle) }

// Mark says whether something is as it should be.
func (l Look) Mark(good bool, s string) string {
	if good {
		return l.paint(l.Glyphs.good, goodStyle) + " " + s
	}
	return l.paint(l.Glyphs.bad+" "+s, badStyle)
}

// Saved writes the share of a figure that was saved, or by how much it grew.
func (l Look) Saved(before, after float64) string {
	if before == 0 {
		return ""
	}
	switch p := math.Round(100 * (1 - after/before)); {
	case p > 0:
		return l.paint(fmt.Sprintf("%.0f%% saved", p), goodStyle)
	case p < 0:
		return l.paint(fmt.Sprintf("%.0f%% more", -p), badStyle)
	}
	return "0% saved"
}

// Wrap breaks a text into lines after an indent.
func (l Look) Wrap(text string, indent int) string {
	width := max(MinWidth, l.Width) - indent
	pad := strings.Repeat(" ", indent)
	var b strings.Builder
	line := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == 0:
			b.WriteString(pad)
		case line+1+len(word) > width:
			b.WriteString("\n" + pad)
			line = 0
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += len(word)
	}
	return b.String()
}

// Is reports whether a writer is a terminal.
func Is(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// The maximum width of all output, and the least at which a chart is readable.
const (
	MaxWidth = 78
	MinWidth = 48
)
