package results

import (
	"bytes"
	"strings"

	"killick/rawjson"
	"killick/view"
)

// endBytes is how much of a long result is decoded at each end.
const endBytes = 2000

// Head returns the beginning of the first text of a result.
func Head(m *view.Message) string {
	for part := range m.Parts() {
		head, _ := rawjson.CutEscaped(part.Text.StringBody(), endBytes)
		return unescaped(head)
	}
	return ""
}

// endsOf returns the beginning and the end of a result, without decoding the text between them. The
// tail begins at the start of a line.
func endsOf(m *view.Message, decode func() string) (head, tail string) {
	body := m.Content().StringBody()
	if len(body) <= 2*endBytes {
		text := strings.TrimSpace(decode())
		return text, text
	}
	first, _ := rawjson.CutEscaped(body[:endBytes+12], endBytes)
	return strings.TrimLeft(unescaped(first), " \t\r\n"),
		strings.TrimSpace(linesFrom(body, len(body)-endBytes))
}

// linesFrom returns the text after the first line feed of body[from:], the inside of a string. So
// it begins with no incomplete escape sequence.
func linesFrom(body []byte, from int) string {
	for {
		i := bytes.Index(body[from:], []byte(`\n`))
		if i < 0 {
			return ""
		}
		at := from + i
		before := len(body[:at]) - len(bytes.TrimRight(body[:at], `\`))
		if from = at + len(`\n`); before%2 == 0 { // else it is a backslash, and an n
			return unescaped(body[from:])
		}
	}
}

func unescaped(body []byte) string {
	return string(rawjson.AppendUnescaped(make([]byte, 0, len(body)), body, rawjson.ReplaceLone))
}
