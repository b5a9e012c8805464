// Package viewtest checks a wire format against what package view demands of every format, for
// tests.
package viewtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"killick/view"
)

// Parse returns the view of a body in a format.
func Parse(t testing.TB, f view.Format, body string) *view.Request {
	t.Helper()
	r, err := view.Parse(f, []byte(body))
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return r
}

// Same checks whether two messages have the same canonical bytes.
func Same(t testing.TB, f view.Format, name, one, other string, same bool) {
	t.Helper()
	a, errA := f.Message([]byte(one))
	b, errB := f.Message([]byte(other))
	if errA != nil || errB != nil {
		t.Fatal(name, errA, errB)
	}
	if got := bytes.Equal(a.AppendCanonical(nil), b.AppendCanonical(nil)); got != same {
		t.Errorf("%s: the same: %t, want %t", name, got, same)
	}
}

// Describe returns a line for each message of a view: its role and text, its calls, the call that
// it answers, whether that failed, and whether it has more than text.
func Describe(r *view.Request) string {
	var lines []string
	for _, m := range r.Messages() {
		line := fmt.Sprintf("%s %q", m.Role(), m.Text())
		for _, c := range m.ToolCalls() {
			line += fmt.Sprintf(" %s=%s(%s)", c.ID, c.Name, c.Text())
		}
		if m.Role().Result() {
			line += " to " + m.ToolCallID()
		}
		if m.Is(view.Failed) {
			line += " failed"
		}
		if !m.OnlyText() {
			line += " and more"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Check checks the view of a body in a format, if it has one, and what becomes of the body when
// the messages between two are replaced.
func Check(t testing.TB, f view.Format, body []byte, from, to int) {
	t.Helper()
	r, err := view.Parse(f, body)
	if err != nil {
		return
	}
	if !json.Valid(body) {
		t.Fatalf("a view of what is not JSON: %q", body)
	}
	checkResumed(t, r)
	n := len(r.Messages())
	if got := r.Splice([]view.Piece{{To: n}}); !bytes.Equal(got, body) {
		t.Fatalf("round trip: %q became %q", body, got)
	}
	if without := r.WithoutSigned(); !json.Valid(without) {
		t.Fatalf("without signed parts %q is %q", body, without)
	}
	from, to = min(max(from, 0), n), min(max(to, 0), n)
	spliced := r.Splice([]view.Piece{{To: from}, {Raw: f.Spelling().UserMessage([]byte(`"new"`))},
		{From: max(from, to), To: n}})
	if !json.Valid(spliced) {
		t.Fatalf("splicing %q made %q", body, spliced)
	}
	edits := []view.Piece{}
	for i := range r.Messages() {
		m := &r.Messages()[i]
		_, _, _ = m.Text(), m.ToolCalls(), m.HostedCalls()
		_ = m.AppendCanonical(nil)
		again, err := f.Message(m.Raw)
		if err != nil {
			t.Fatalf("reading %q alone: %v", m.Raw, err)
		}
		if !bytes.Equal(again.AppendCanonical(nil), m.AppendCanonical(nil)) {
			t.Fatalf("%q is another message when it is read alone", m.Raw)
		}
		edited := m.WithContent([]byte(`"x"`))
		if _, err := f.Message(edited); err != nil {
			t.Fatalf("editing %q made %q: %v", m.Raw, edited, err)
		}
		edits = append(edits, view.Piece{From: i, To: i + 1, Raw: edited})
	}
	if spliced := r.Splice(edits); !json.Valid(spliced) {
		t.Fatalf("editing all of %q made %q", body, spliced)
	}
	view.Groups(r.Messages())
}

// end returns where the last element of the list ends in the body.
func end(r *view.Request) int {
	list := r.Field(r.Format().List())
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(list))) -
		uintptr(unsafe.Pointer(unsafe.SliceData(r.Raw()))))
	return at + len(bytes.TrimRight(list[:len(list)-1], " \t\r\n"))
}

// checkResumed compares a Parser that has seen a body with Parse: on that body, on a longer one,
// and on ones that end or become invalid after it.
func checkResumed(t testing.TB, r *view.Request) {
	t.Helper()
	body := r.Raw()
	n := len(r.Messages())
	if n == 0 {
		return
	}
	last := end(r)
	for _, rest := range []string{
		string(body[last:]), `,{"role":"user","content":"more"}],"n":1}`, `]}`,
		`,{"role":"assistant","content":"more"}],"n":1}`,
		`, {"role":"user"} ] , "messages":[]}`,
		`,{"role":"user","parts":[]}],"n":1},"model":"m"}`, `]},"model":"m"}`,
		``, `,`, `]`, `],}`, `,]}`, `]}x`, `,7]}`, `],"model":"m"}`,
	} {
		p := view.Parser{MinBytes: 1}
		if _, err := p.Parse(r.Format(), "ann", body); err != nil {
			t.Fatal(err)
		}
		next := append(append([]byte(nil), body[:last]...), rest...)
		want, wantErr := view.Parse(r.Format(), next)
		got, err := p.Parse(r.Format(), "ann", next)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, scanned whole %v", next, err, wantErr)
		}
		if err == nil {
			SameView(t, got, want)
		}
	}
}

// SameView fails unless two views of bodies with the same bytes are the same.
func SameView(t testing.TB, got, want *view.Request) {
	t.Helper()
	if len(got.Messages()) != len(want.Messages()) || got.Model() != want.Model() ||
		!bytes.Equal(got.Field("n"), want.Field("n")) ||
		!bytes.Equal(got.Field(got.Format().List()), want.Field(got.Format().List())) {
		t.Fatalf("%q: another view than scanned whole", want.Raw())
	}
	for i := range want.Messages() {
		a, b := &got.Messages()[i], &want.Messages()[i]
		if !bytes.Equal(a.Raw, b.Raw) || a.Fingerprint() != b.Fingerprint() ||
			a.Role() != b.Role() || a.Text() != b.Text() {
			t.Fatalf("%q: message %d differs", want.Raw(), i)
		}
	}
	if n := len(got.Messages()); !bytes.Equal(got.Splice([]view.Piece{{To: n}}), want.Raw()) {
		t.Fatalf("%q: no round trip", want.Raw())
	}
}
