package shell

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// Reading a command takes memory, and so work, in proportion to its length, and what is kept of its
// changes is bounded by the length too: no path is repeated for each of many names.
func TestCostlyPaths(t *testing.T) {
	const half = maxCommand/2 - 10
	many := func(s string, size int) string { return strings.Repeat(s, size/len(s)) }
	for name, c := range map[string]struct{ folder, command string }{
		"cp":        {"", "cp " + many("a ", half) + many("d/", half)},
		"mv":        {"", "mv " + many("a ", half) + many("d/", half)},
		"cd":        {"", many("cd d;", 2*half) + "rm x"},
		"git -C":    {"", "git " + many("-C d ", 2*half) + "rm x"},
		"rm":        {"", "cd " + many("d", half) + "&& rm " + many("a ", half)},
		"short":     {"", "cd " + many("d", maxPath-10) + "&& rm " + many("a ", 600)},
		"in folder": {"/" + many("d", maxPath-10), "rm " + many("a ", 600)},
		"in a long": {"/" + many("d", 1<<20), "rm " + many("a ", half)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read := ReadIn(c.folder, c.command)
		runtime.ReadMemStats(&after)
		// The parser alone takes 200 bytes for each name of one letter.
		if took := int(after.TotalAlloc - before.TotalAlloc); took > 64<<10+500*len(c.command) {
			t.Errorf("%s: took %d bytes for a command of %d", name, took, len(c.command))
		}
		kept := 0
		for i := range read.Changes {
			kept += int(unsafe.Sizeof(read.Changes[i])) + len(read.Changes[i].Path)
		}
		if most := leastRoom + roomFor*len(c.command) + 1<<10; kept > most {
			t.Errorf("%s: changes of %d bytes, want %d at most", name, kept, most)
		}
		if n := len(read.Changes); n == 0 || n > maxChanges+1 {
			t.Errorf("%s: %d changes", name, n)
		}
	}
}

// A path that is too long may be any one, and so may what no room is left for.
func TestPathsThatAreNotFollowed(t *testing.T) {
	long, most := strings.Repeat("d", maxPath+1), strings.Repeat("d", maxPath)
	for command, want := range map[string][]string{
		"rm " + most:                     {"delete! " + most},
		"rm " + long:                     {"edit? "},
		"rm " + long + " a.go":           {"edit? ", "delete! a.go"},
		"cd " + long + " && rm a.go":     {"delete? a.go"},
		"cd " + long + " && rm /a.go":    {"delete! /a.go"},
		"cd " + most + " && rm a.go":     {"edit? "},
		"cp a.go b.go " + long + "/":     {"edit? "},
		"cp -- a.go " + most + "/":       {"edit? "},
		"git -C " + long + " rm a.go":    {"delete? a.go"},
		"cd x && cd " + long + "; rm .a": {"delete? .a"},
	} {
		if got := spelled(Read(command).Changes); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
	got := Read("rm " + strings.Repeat("a ", maxChanges+1)).Changes
	if last := got[len(got)-1]; last.Path != "" || got[0].Path != "a" {
		t.Errorf("%d changes, the last of %q", len(got), last.Path)
	}
}

// Changes are in the folder in which the command runs, if their paths are relative.
func TestFolders(t *testing.T) {
	for command, want := range map[string][]string{
		"rm a.go":                  {"delete! /r/x/a.go"},
		"rm ./a.go ../b.go":        {"delete! /r/x/a.go", "delete! /r/b.go"},
		"rm /a.go ~/b.go":          {"delete! /a.go", "delete! ~/b.go"},
		"cd y && rm a.go":          {"delete! /r/x/y/a.go"},
		"cd $D && rm a.go":         {"delete? /r/x/a.go"},
		"git -C y rm a.go; rm b.c": {"delete? /r/x/y/a.go", "delete0 /r/x/b.c"},
		"git stash":                {"edit? "},
	} {
		if got := spelled(ReadIn("/r/x", command).Changes); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

// Braces are alternatives if what follows them in the word says so.
func TestBraces(t *testing.T) {
	for command, want := range map[string][]string{
		"rm {}a":        {"delete! {}a"},
		"rm {a}{b,c}":   {"delete? ** (pattern)"},
		"rm {a,b}{c}":   {"delete? *{c} (pattern)"},
		"rm }{,":        {"delete? }{, (pattern)"},
		"rm {a}..":      {"delete? *.. (pattern)"},
		"rm {a}.{b}..c": {"delete? *.*..c (pattern)"},
	} {
		if got := spelled(Read(command).Changes); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

// Paths meet if one is within the other, or continues it, part by part.
func TestPathsMeet(t *testing.T) {
	begins := func(names, with []string) bool {
		return len(with) <= len(names) && slices.Equal(names[:len(with)], with)
	}
	var paths []string
	for _, p := range []string{"", "/", "..", "/.."} {
		for _, q := range []string{"a", "b", "aa", "a/b", "b/a", "a/b/a", "a/a", "/a", "a/aa/a"} {
			paths = append(paths, p+q, p+"/"+q)
		}
	}
	for _, changed := range paths {
		for _, file := range paths {
			parts, names := strings.Split(clean(changed), "/"), strings.Split(clean(file), "/")
			want := false
			for i := range names {
				want = want || begins(names[i:], parts)
			}
			for i := range parts {
				want = want || begins(names, parts[i:])
			}
			if got := meet(clean(changed), clean(file)); got != want {
				t.Errorf("%q and %q: %v, want %v", changed, file, got, want)
			}
		}
	}
}
