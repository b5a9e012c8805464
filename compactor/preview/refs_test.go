package preview

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"killick/reference"
)

// checkRefs compares the references of runs of pieces, and of each piece, with those that are found
// in their text.
func checkRefs(t *testing.T, text string, r *rand.Rand) {
	t.Helper()
	p := divide(text)
	p.findRefs()
	for i := range p.len() {
		if got, want := p.refsOf(i, i+1), refsOfText(p.piece(i)); !slices.Equal(got, want) {
			t.Fatalf("piece %d of %q has %v, want %v", i, text, got, want)
		}
	}
	if want := refsOfText(text); !p.divided && !slices.Equal(p.refs, want) {
		t.Fatalf("all pieces of %q have %v, want %v", text, p.refs, want)
	}
	for range 20 {
		from := r.IntN(p.len())
		to := from + 1 + r.IntN(p.len()-from)
		part := p.text[p.start(from):p.ends[to-1]]
		var got []reference.Found
		p.refsIn(from, to)(func(word string, kind reference.Kind) {
			got = append(got, reference.Found{Word: word, Kind: kind})
		})
		if want := refsOfText(part); !slices.Equal(got, want) {
			t.Fatalf("%q has %v, want %v", part, got, want)
		}
	}
}

func refsOfText(text string) (refs []reference.Found) {
	reference.Each(text, func(word string, kind reference.Kind) {
		refs = append(refs, reference.Found{Word: word, Kind: kind})
	})
	return refs
}

// TestReferencesOfPieces reads generated texts, with all that reading a reference looks at around
// it, in short lines and in lines that are divided.
func TestReferencesOfPieces(t *testing.T) {
	parts := []string{
		"src/main.go", "a/b.go", "b/c.go", "--- ", "+++ ", "diff --git ", "readLine",
		"max_items", "https://a.example/x", "12345678", "deadbeef01", "limit=max_items",
		"${DIR:-/var/x}", "\\", "<", "</tag>", "[48m", ";31m", "*", "]", "}", ")", "$",
		"é", "façade.ts", "auth.go:42:7", "a%20b.pdf", "@acme/kit", ".eslintrc.json",
		" ", ",", "\"", "\\n", "\r", "\t", "word ", "日本", "/", "-", ".", "\n", "\n",
		"\n", "\r\n",
	}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		var b strings.Builder
		for range r.IntN(150) {
			if part := parts[r.IntN(len(parts))]; part != "\n" || seed%3 > 0 { // or a long line
				b.WriteString(part)
			}
		}
		checkRefs(t, b.String(), r)
	}
	checkRefs(t, "@@ -140,7 +140,7 @@ func compactAssistantEntry(entry kiroHistoryEntry, "+
		"nextUserContent json.RawMessa\n base := line_of(a)\n", rand.New(rand.NewPCG(0, 7)))
}

// TestReferencesOfRecordedPieces reads the texts of recorded conversations.
func TestReferencesOfRecordedPieces(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("KILLICK_DATA"), "*.jsonl"))
	if os.Getenv("KILLICK_DATA") == "" || len(files) == 0 {
		t.Skip("KILLICK_DATA names no folder with recorded conversations")
	}
	r := rand.New(rand.NewPCG(1, 7))
	read := 0
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case string:
			read++
			checkRefs(t, v, r)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name])
			}
		}
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			var value any
			if err := json.Unmarshal([]byte(line), &value); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			walk(value)
		}
	}
	if read < 1000 {
		t.Errorf("only %d texts were read", read)
	}
}
