package conversation

import (
	"slices"
	"testing"
)

// What a reply cites divides its text into blocks, in the middle of sentences. Documents and search
// results have a name, or else an address or an id.
func TestMessagesWithCitations(t *testing.T) {
	m, err := readMessage([]byte(`{"role":"assistant","content":[{"type":"text","text":"EUR 9"},` +
		`{"type":"text","text":"0","citations":[{"document_index":0}]},` +
		`{"type":"text","text":".25"},{"type":"text","text":"Bye."}]}`))
	if err != nil || m.Text() != "EUR 90.25\nBye." {
		t.Errorf("got %q, %v", m.Text(), err)
	}
	m, err = readMessage([]byte(`{"role":"user","content":[` +
		`{"type":"document","citations":{"enabled":true},"source":{"type":"file","file_id":"f"}},` +
		`{"type":"search_result","title":"S","source":"u","content":[]},` +
		`{"type":"search_result","source":"u","content":[]},` +
		`{"type":"file","file":{"file_id":"g"}},{"type":"text","text":"a","citations":null},` +
		`{"type":"text","text":"b"}]}`))
	want := []string{`document "f"`, `search result "S; u"`, `search result "u"`, `file "g"`}
	if err != nil || !slices.Equal(m.Files, want) || m.Text() != "a\nb" {
		t.Errorf("got %q, %q, %v", m.Files, m.Text(), err)
	}
}

// A part after what a call in text returned is a person's, unless it is what another one returned.
func TestTextsBehindWhatACallReturned(t *testing.T) {
	before := &Message{Role: "assistant", texts: []string{"Action: ls\nAction Input: {}"}}
	for _, c := range []struct {
		texts      []string
		words, out string
	}{
		{[]string{"Observation: a", "Observation: b"}, "", " a\nObservation: b"},
		{[]string{"Observation: a", "Use tabs.", "Observation: b"},
			"Use tabs.\nObservation: b", ""},
	} {
		m, out := &Message{Role: "user", texts: c.texts, before: before}, ""
		if call := m.written(); call != nil {
			out = call.Output()
		}
		if m.TypedWords() != c.words || out != c.out {
			t.Errorf("%q: %q, returned %q", c.texts, m.TypedWords(), out)
		}
	}
}

// A command that a signal ended has no exit code, and failed.
func TestNegativeReturnCodes(t *testing.T) {
	before := &Message{Role: "assistant", texts: []string{"I look.\n```bash\nls\n```"}}
	m := &Message{Role: "user", before: before, texts: []string{
		"<returncode>-9</returncode>\n<output>\n</output>"}}
	if c := m.written(); c == nil || c.end.Stated || !c.end.Bad() {
		t.Errorf("%+v", c)
	}
}
