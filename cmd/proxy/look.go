package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"
)

// look is how things are drawn: with colours or without, in Unicode or ASCII,
// how wide. The zero value is none of it; plainLook is what pipes get.
type look struct {
	terminal bool // the line can be rewritten
	color    bool
	glyphs   glyphs
	width    int
}

// glyphs are what lines and charts are made of, each one column wide.
type glyphs struct{ rule, axis, corner, raw, sent, good, bad, arrow string }

var (
	unicodeGlyphs = glyphs{rule: "─", axis: "│", corner: "└", raw: "░", sent: "█", good: "✓", bad: "✗", arrow: "→"}
	asciiGlyphs   = glyphs{rule: "-", axis: "|", corner: "+", raw: ".", sent: "#", good: "ok:", bad: "BAD:", arrow: ">"}
)

// plainLook is for files and pipes: ASCII without escapes.
var plainLook = look{glyphs: asciiGlyphs, width: reportWidth}

// lookOf finds out what can be drawn on w. NO_COLOR (https://no-color.org) is
// honoured.
func lookOf(w io.Writer, getenv func(string) string, noColor bool) look {
	l := plainLook
	if !isTerminal(w) || getenv("TERM") == "dumb" {
		return l
	}
	l.terminal = true
	l.color = !noColor && getenv("NO_COLOR") == ""
	if speaksUTF8(getenv) {
		l.glyphs = unicodeGlyphs
	}
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			l.width = min(reportWidth, columns)
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

func (l look) paint(s string, style lipgloss.Style) string {
	if !l.color || strings.TrimSpace(s) == "" {
		return s
	}
	return style.Render(s)
}

func (l look) dim(s string) string    { return l.paint(s, dimStyle) }
func (l look) strong(s string) string { return l.paint(s, strongStyle) }
func (l look) raw(s string) string    { return l.paint(s, rawStyle) }
func (l look) sent(s string) string   { return l.paint(s, sentStyle) }

// mark says whether something is as it should be.
func (l look) mark(good bool, s string) string {
	if good {
		return l.paint(l.glyphs.good, goodStyle) + " " + s
	}
	return l.paint(l.glyphs.bad+" "+s, badStyle)
}

// change writes by how much a figure went down or up.
func (l look) change(before, after float64) string {
	if before == 0 {
		return ""
	}
	p := math.Round(100 * (after/before - 1))
	s := fmt.Sprintf("%+.0f%%", p)
	switch {
	case p < 0:
		return l.paint(s, goodStyle)
	case p > 0:
		return l.paint(s, badStyle)
	}
	return "+-0%"
}

// wrap breaks a text into lines behind an indent.
func (l look) wrap(text string, indent int) string {
	width := max(leastWidth, l.width) - indent
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

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// The width of everything that is drawn, and the least at which a chart says
// anything.
const (
	reportWidth = 78
	leastWidth  = 48
)
