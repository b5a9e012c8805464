package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxSourceBytes bounds how much source code is read, longestLine which lines are left out: tables.
const (
	maxSourceBytes = 16 << 20
	longestLine    = 200
)

// leftOut are folders of code that was mostly generated, and of tables.
var leftOut = map[string]bool{"cmd": true, "syscall": true, "testdata": true, "unicode": true,
	"vendor": true}

// source is source code, escaped as in a JSON string, and where each of its lines starts.
type source struct {
	text   string
	starts []int
}

// goSource is the code of Go's own packages, which is on each machine that runs this.
var goSource = sync.OnceValue(func() *source {
	s, err := readSource()
	if err != nil {
		panic(fmt.Errorf("reading the source code that requests are made of: %w", err))
	}
	return s
})

func readSource() (*source, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	var s source
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\r", `\r`, "\n", `\n`)
	folder := filepath.Join(strings.TrimSpace(string(root)), "src")
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && leftOut[d.Name()]:
			return fs.SkipDir
		case b.Len() > maxSourceBytes:
			return fs.SkipAll
		case d.IsDir(), !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if len(line) > longestLine || !utf8.ValidString(line) ||
				strings.ContainsFunc(line, otherControl) {
				continue
			}
			s.starts = append(s.starts, b.Len())
			_, _ = escape.WriteString(&b, line) // a Builder takes everything
		}
		return nil
	})
	s.text = b.String()
	if err == nil && len(s.text) < maxSourceBytes/2 {
		err = fmt.Errorf("%d bytes in %s, want %d at least", len(s.text), folder, maxSourceBytes/2)
	}
	return &s, err
}

// otherControl reports whether a JSON string needs an escape for r that readSource does not make.
func otherControl(r rune) bool { return r < ' ' && r != '\t' && r != '\r' && r != '\n' }

// piece returns n bytes of source code, from the start of a line on, which need no escapes in a
// JSON string. Spaces take the place of a rune or an escape that the end would cut.
func piece(random *rand.Rand, n int) string {
	s := goSource()
	n = min(max(n, 1), len(s.text)/2)
	first := random.IntN(sort.SearchInts(s.starts, len(s.text)-n))
	at := s.starts[first]
	end := at + n
	last := s.starts[sort.SearchInts(s.starts, end+1)-1] // of the line that the end is in
	cut := strings.IndexFunc(s.text[last:end], func(r rune) bool {
		return r == '\\' || r >= utf8.RuneSelf
	})
	if cut < 0 {
		return s.text[at:end]
	}
	return s.text[at:last+cut] + strings.Repeat(" ", end-last-cut)
}
