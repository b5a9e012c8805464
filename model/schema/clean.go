package schema

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxExcess is by which factor an answer may exceed a limit: a small excess is accepted here;
// anything longer is a copy and not an answer, and so a defect.
const MaxExcess = 4

// Cleaner cleans the texts of an answer and collects their defects.
type Cleaner struct {
	Redact  func(string) string // removes credentials
	MaxText int                 // the maximum length that the prompt allows for a text
	Faults  []string
}

// Faultf adds a defect.
func (c *Cleaner) Faultf(format string, args ...any) {
	if len(c.Faults) < maxFaults {
		c.Faults = append(c.Faults, fmt.Sprintf(format, args...))
	}
}

// Line returns a text as valid UTF-8 on one line, without credentials.
func (c *Cleaner) Line(name, text string) string {
	if n := utf8.RuneCountInString(text); n > MaxExcess*c.MaxText {
		c.Faultf("%s has %d characters, at most %d are allowed", name, n, c.MaxText)
		return ""
	}
	return strings.Join(strings.Fields(c.Redact(strings.ToValidUTF8(text, "\uFFFD"))), " ")
}

// Letters returns s in lower case, letters and digits alone.
func Letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
