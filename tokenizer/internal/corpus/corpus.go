// Package corpus makes texts for tests and benchmarks of counting, of Go's own
// sources and of generators. It is in no program, and counts nothing itself.
package corpus

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Corpora are made of Go's own sources and of text generated here:
// nothing is committed, and nothing is tuned to one fixture. Each is made to
// the size asked for and never says the same thing twice on purpose.

// source is Go's standard library: its code, and the prose of its comments.
type source struct {
	code, prose string
	sentences   []string
	names       []string
}

var goSource = sync.OnceValues(func() (*source, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("asking where Go is: %w", err)
	}
	s := &source{}
	var code, prose strings.Builder
	seen := make(map[string]bool)
	sources := filepath.Join(strings.TrimSpace(string(root)), "src")
	err = filepath.WalkDir(sources, func(path string, d fs.DirEntry, err error) error {
		if err != nil || code.Len() > 48<<20/Slower {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.Contains(path, "tables") {
			return nil
		}
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		code.Write(file)
		text := comments(file)
		if !seen[text] {
			seen[text] = true
			prose.WriteString(text)
		}
		return nil
	})
	s.code, s.prose = code.String(), prose.String()
	for p := range strings.SplitSeq(s.prose, "\n\n") {
		s.sentences = append(s.sentences, strings.Split(strings.ReplaceAll(p, "\n", " "), ". ")...)
	}
	names := make(map[string]bool)
	for _, name := range strings.FieldsFunc(s.code[:2<<20], func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		if len(name) > 3 && !names[name] {
			names[name] = true
			s.names = append(s.names, name)
		}
	}
	return s, err
})

// comments returns the text of the comments of a Go file.
func comments(file []byte) string {
	var b strings.Builder
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(file)), file, nil, scanner.ScanComments)
	last := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return b.String()
		}
		if tok != token.COMMENT || !strings.HasPrefix(lit, "// ") ||
			strings.Contains(lit, "Copyright") || strings.Contains(lit, "BSD-style") ||
			strings.Contains(lit, "license") {
			continue
		}
		if line := set.Position(pos).Line; line > last+1 {
			b.WriteString("\n\n")
			last = line
		} else {
			b.WriteByte('\n')
			last = line
		}
		b.WriteString(lit[3:])
	}
}

// Text returns size bytes of the kind named, different for each seed.
func Text(t testing.TB, kind string, size int, seed uint64) string {
	t.Helper()
	s, err := goSource()
	if err != nil {
		t.Fatalf("reading Go's sources: %v", err)
	}
	r := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for b.Len() < size {
		switch kind {
		case "prose":
			b.WriteString(slice(s.prose, size, seed))
		case "code":
			b.WriteString(slice(s.code, size, seed))
		case "json":
			b.WriteString(record(r, s))
		case "logs":
			b.WriteString(logLine(r, s))
		case "cjk":
			b.WriteString(cjkSentence(r))
		case "base64":
			raw := make([]byte, 4096)
			for i := range raw {
				raw[i] = byte(r.Uint32())
			}
			b.WriteString(base64.StdEncoding.EncodeToString(raw))
		case "chat":
			b.WriteString(turn(r, s))
		default:
			t.Fatalf("no corpus %q", kind)
		}
	}
	text := b.String()[:size]
	return strings.ToValidUTF8(text, "") // a rune may be cut at the end
}

// Kinds are the kinds of text that [Text] makes.
var Kinds = []string{"prose", "code", "json", "logs", "cjk", "base64", "chat"}

// slice is the seed-th part of that size of text, around its end again.
func slice(text string, size int, seed uint64) string {
	start := int(seed) * size % (len(text) - size)
	return text[start : start+size]
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func record(r *rand.Rand, s *source) string {
	items := make([]any, r.IntN(4)+1)
	for i := range items {
		items[i] = map[string]any{
			"name": pick(r, s.names),
			"path": "/" + pick(r, s.names) + "/" + pick(r, s.names) + ".go",
			"size": r.IntN(1 << 20), "ratio": r.Float64(), "ok": r.IntN(2) == 0, "parent": nil,
		}
	}
	b, _ := json.Marshal(map[string]any{
		"id":          fmt.Sprintf("%08x-%04x-%04x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<16)),
		"created_at":  time.Unix(1.7e9+r.Int64N(1e8), 0).UTC(),
		"description": pick(r, s.sentences), "items": items,
		"tags": []string{pick(r, s.names), pick(r, s.names)},
	})
	return string(b) + "\n"
}

func logLine(r *rand.Rand, s *source) string {
	return fmt.Sprintf("%s %s [%s] %s:%d request_id=%x client=%d.%d.%d.%d:%d status=%d "+
		"took=%.3fms %s\n",
		time.Unix(1.7e9+r.Int64N(1e8), r.Int64N(1e9)).UTC().Format(time.RFC3339Nano),
		pick(r, []string{"INFO", "WARN", "ERROR", "DEBUG"}),
		pick(r, s.names), pick(r, s.names)+".go", r.IntN(2000), r.Uint64(),
		r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(65536),
		200+r.IntN(400), r.Float64()*1000, pick(r, s.sentences))
}

func turn(r *rand.Rand, s *source) string {
	switch r.IntN(4) {
	case 0:
		return pick(r, s.sentences) + ". " + pick(r, s.sentences) + "?\n\n"
	case 1:
		start := r.IntN(len(s.code) - 1200)
		return "```go\n" + strings.ToValidUTF8(s.code[start:start+1000], "") + "\n```\n"
	case 2:
		return "tool: " + record(r, s) + strings.Repeat(logLine(r, s), 3)
	}
	return "I'll look at `" + pick(r, s.names) + "` first, since it's what " +
		pick(r, s.names) + " calls. " + pick(r, s.sentences) + ".\n\n1. **" +
		pick(r, s.names) + "**: " + pick(r, s.sentences) + "\n2. Don't touch `" +
		pick(r, s.names) + ".go`\n\n"
}

func cjkSentence(r *rand.Rand) string {
	var b strings.Builder
	words, gap, stop := zhWords, "", "。"
	switch r.IntN(5) {
	case 0, 1:
		words = jaWords
	case 2:
		words, gap, stop = koWords, " ", ". "
	}
	for n := 4 + r.IntN(16); n > 0; n-- {
		b.WriteString(pick(r, words))
		b.WriteString(gap)
		switch r.IntN(12) {
		case 0:
			b.WriteString("，")
		case 1: // names and rare words: any ideograph of the common block
			b.WriteRune(rune(0x4E00 + r.IntN(0x5200)))
		case 2:
			fmt.Fprintf(&b, "%d", r.IntN(1000))
		}
	}
	b.WriteString(stop)
	if r.IntN(4) == 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// Sentence returns a sentence of the comments of Go's sources.
func Sentence(t testing.TB, r *rand.Rand) string {
	t.Helper()
	s, err := goSource()
	if err != nil {
		t.Fatalf("reading Go's sources: %v", err)
	}
	return pick(r, s.sentences)
}

// Sequential skips a long test in which nothing runs at once, under the race detector.
func Sequential(t testing.TB) {
	t.Helper()
	if Slower > 1 {
		t.Skip("nothing runs at once in it: the race detector has nothing to find")
	}
}
