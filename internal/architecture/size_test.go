package architecture

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a reader can take in at once: a file with one subject, tests included, a folder whose list
// of files is an overview, and lines that fit beside those of another file.
const (
	maxFileLines   = 400
	maxSourceFiles = 25 // of a folder, tests apart
	maxColumns     = 100
	tabColumns     = 4
)

// Known exceptions. Nothing may be added, and the tests fail for an entry that is no longer needed.
var (
	longFiles    = []string{}
	largeFolders = []string{}
	wideFolders  = []string{}
)

func TestFilesHaveOneSubject(t *testing.T) {
	vague := []string{"common", "helper", "misc", "type", "util"}
	long := map[string]int{}
	for _, file := range goFiles(t) {
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(file.name), ".go"), "_test")
		if slices.Contains(vague, strings.TrimSuffix(stem, "s")) {
			t.Errorf("%s: the name says nothing of what is in it", file.name)
		}
		if lines := strings.Count(file.text, "\n"); lines > maxFileLines {
			long[file.name] = lines
		}
	}
	checkLimit(t, "lines in a file", maxFileLines, long, longFiles)
}

func TestFoldersCanBeReadByTheirFiles(t *testing.T) {
	files, large := map[string]int{}, map[string]int{}
	for _, file := range goFiles(t) {
		if !strings.HasSuffix(file.name, "_test.go") {
			files[path.Dir(file.name)]++
		}
	}
	for folder, n := range files {
		if n > maxSourceFiles {
			large[folder] = n
		}
	}
	checkLimit(t, "source files in a folder", maxSourceFiles, large, largeFolders)
}

func TestLinesFitBesideAnotherFile(t *testing.T) {
	wide := map[string]int{}
	for _, file := range goFiles(t) {
		folder := path.Dir(file.name)
		for i, line := range strings.Split(file.text, "\n") {
			n := utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
			if n <= maxColumns {
				continue
			}
			wide[folder] = max(wide[folder], n)
			if !slices.Contains(wideFolders, folder) {
				t.Errorf("%s:%d: %d columns, want at most %d", file.name, i+1, n, maxColumns)
			}
		}
	}
	checkLimit(t, "columns in a line of a folder", maxColumns, wide, wideFolders)
}

// Prose is as wide as code. Tables, pictures and what is to be copied may be wider.
func TestProseFitsBesideAnotherFile(t *testing.T) {
	for _, document := range documents(t) {
		code := false
		for i, line := range strings.Split(read(t, document), "\n") {
			if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
				code = !code
			}
			n := utf8.RuneCountInString(line)
			wide := code || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "![") ||
				strings.HasPrefix(line, "    ")
			if n > maxColumns && !wide {
				t.Errorf("%s:%d: %d columns, want at most %d", document, i+1, n, maxColumns)
			}
		}
	}
}

// checkLimit compares what exceeds a limit to what is allowed to.
func checkLimit(t *testing.T, what string, limit int, over map[string]int, allowed []string) {
	t.Helper()
	for name, n := range over {
		if !slices.Contains(allowed, name) {
			t.Errorf("%s: %d %s, want at most %d", name, n, what, limit)
		}
	}
	for _, name := range allowed {
		if over[name] == 0 {
			t.Errorf("%s has at most %d %s by now: remove it from the list", name, limit, what)
		}
	}
}

type goFile struct{ name, text string }

// goFiles returns the Go files of the repository by their paths in it.
func goFiles(t *testing.T) (files []goFile) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, name)
		files = append(files, goFile{filepath.ToSlash(inside), string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("%d Go files found, want those of the whole repository", len(files))
	}
	return files
}
