package chat

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// checkPrefix holds parseAfter to Parse: over the body itself, over one that
// goes on, and over ones that break off or go wrong behind the prefix.
func checkPrefix(t *testing.T, r *Request) {
	t.Helper()
	p := r.prefix(newPrefixHash())
	if p == nil {
		return
	}
	body := r.Raw()
	for _, rest := range []string{
		string(body[p.end:]), `,{"role":"user","content":"more"}],"n":1}`, `]}`,
		`, {"role":"user"} ] , "messages":[]}`,
		``, `,`, `]`, `],}`, `,]}`, `]}x`, `,7]}`, `],"model":"m"}`,
	} {
		next := append(append([]byte(nil), body[:p.end]...), rest...)
		want, wantErr := Parse(next)
		got, err := parseAfter(p, next)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, scanned whole %v", next, err, wantErr)
		}
		if err == nil {
			sameView(t, got, want)
		}
	}
}

func sameView(t *testing.T, got, want *Request) {
	t.Helper()
	if len(got.Messages()) != len(want.Messages()) || got.Model() != want.Model() ||
		!bytes.Equal(got.Field("n"), want.Field("n")) ||
		!bytes.Equal(got.Field("messages"), want.Field("messages")) {
		t.Fatalf("%q: another view than scanned whole", want.Raw())
	}
	for i := range want.Messages() {
		a, b := &got.Messages()[i], &want.Messages()[i]
		if !bytes.Equal(a.Raw, b.Raw) || a.Fingerprint() != b.Fingerprint() ||
			a.Role() != b.Role() || a.Text() != b.Text() {
			t.Fatalf("%q: message %d differs", want.Raw(), i)
		}
	}
	if n := len(got.Messages()); !bytes.Equal(got.Splice([]Piece{{To: n}}), want.Raw()) {
		t.Fatalf("%q: no round trip", want.Raw())
	}
}

func TestParserGivesTheViewOfParse(t *testing.T) {
	p := Parser{MaxMessages: 500}
	opening := `{"model":"m","messages":[{"role":"system","content":"` + strings.Repeat("s", 5000) +
		`"}`
	// Three conversations with one opening, interleaved, each growing; one is cut
	// back and goes on otherwise.
	bodies := make([]string, 3)
	for i := range bodies {
		bodies[i] = opening
	}
	for turn := range 60 {
		for i := range bodies {
			bodies[i] += fmt.Sprintf(`, {"role":"user","content":"turn %d of %d"}`, turn, i)
			if turn == 30 && i == 1 {
				bodies[i] = opening + `,{"role":"user","content":"anew"}`
			}
			body := []byte(bodies[i] + fmt.Sprintf(`],"n":%d}`, turn))
			for range 2 { // sent twice
				got, err := p.Parse("ann", body)
				if err != nil {
					t.Fatal(err)
				}
				want, err := Parse(body)
				if err != nil {
					t.Fatal(err)
				}
				sameView(t, got, want)
			}
			if _, err := p.Parse("ann", body[:len(body)-1]); err == nil {
				t.Fatal("a torn body was taken")
			}
		}
	}
	if p.messages > 500 {
		t.Errorf("%d messages are remembered, want at most 500", p.messages)
	}
	for _, branches := range p.known {
		if len(branches) > mostBranches {
			t.Errorf("%d branches, want at most %d", len(branches), mostBranches)
		}
	}
}

func TestParserScopesShareNothing(t *testing.T) {
	var p Parser
	body := history(8 << 10)
	for _, scope := range []string{"ann", "bob"} {
		if _, err := p.Parse(scope, body); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.known) != 2 {
		t.Errorf("%d conversations are known, want one for each scope", len(p.known))
	}
}

func BenchmarkParserNewMessage(b *testing.B) {
	var p Parser
	body := history(1 << 20)
	if _, err := p.Parse("ann", body); err != nil {
		b.Fatal(err)
	}
	next := append(bytes.TrimSuffix(body, []byte("]}")),
		`,{"role":"user","content":"one more"}]}`...)
	key, branches := p.lookUp("ann", body)
	b.SetBytes(int64(len(next)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Parse("ann", next); err != nil {
			b.Fatal(err)
		}
		p.known[key] = branches // back to the turn before
	}
}
