package workset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"killick/transcript"
)

// changesOf returns the changes that a command makes if it succeeds.
func changesOf(t *testing.T, command string) []transcript.Change {
	t.Helper()
	s := new(talk).call("bash", "ok", "command", command).source(t)
	return s.Calls[0].Changes()
}

// The index of changes gives the same answers as a comparison with each change.
func TestIndexOfChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	names := []string{"a", "b", "c.go", "a.go", "..", ".", "x*", "/", "~/a"}
	path := func() string {
		var parts []string
		for range 1 + rng.IntN(3) {
			parts = append(parts, names[rng.IntN(len(names))])
		}
		return strings.Join(parts, "/")
	}
	commands := []string{"rm %s", "sed -i s/a/b/ %s", "rm %s || true", "git checkout main # %s",
		"mv %s b/c.go", "cat > %s <<'E'\nx\nE"}
	for range 3000 {
		var n newerLines
		for i := range 1 + rng.IntN(5) {
			command := fmt.Sprintf(commands[rng.IntN(len(commands))], path())
			for _, c := range changesOf(t, command) {
				n.changes.add(change{c, i + 1})
			}
		}
		file := path()
		var want changed
		for i := range n.changes.all {
			c := &n.changes.all[i]
			if want.replaced = c.Replaces(file); want.replaced {
				break
			}
			if c.Touches(file) {
				want.touched = c.at
			}
		}
		got := n.changedSince(file)
		if got.replaced != want.replaced || !want.replaced && got.touched != want.touched {
			t.Fatalf("%q after %+v: %+v, want %+v", file, n.changes.all, got, want)
		}
	}
}

// A path is compared with the changes of its own names, and with a limited number of them.
func TestComparedChangesAreLimited(t *testing.T) {
	others, patterns := changesOf(t, "rm x.go"), changesOf(t, "rm *.py")
	same := changesOf(t, "rm a.go || true")
	for name, c := range map[string]struct {
		changes []transcript.Change
		most    int
		state   changed
	}{
		"other names": {others, 0, changed{}},
		"patterns":    {patterns, maxPatterns + 1, changed{touched: 9}},
		"its name":    {same, maxCompared + 1, changed{replaced: true}},
	} {
		var n newerLines
		for range 5000 {
			n.changes.add(change{c.changes[0], 9})
		}
		got := n.changedSince("d/a.go")
		if got.compared > c.most || got.replaced != c.state.replaced ||
			!got.replaced && got.touched != c.state.touched {
			t.Errorf("%s: %+v, want %d compared at most and %+v", name, got, c.most, c.state)
		}
	}
}

// Long paths and patterns are compared in a limited number of steps, and of the changes of many
// names in a path only as many are looked up as are compared.
func TestWorkOfComparisonsIsLimited(t *testing.T) {
	folders := strings.Repeat("x/", 140)
	for name, c := range map[string]struct{ command, file string }{
		"patterns": {"rm '*.go' *" + strings.Repeat("a", 140) + "b", strings.Repeat("a", 290)},
		"folders":  {"rm " + strings.Repeat("*/", 70) + "b", strings.Repeat("a/", 140) + "c"},
		"paths":    {"rm " + strings.Repeat("a/", 100) + "x || true", "x/" + folders + "c"},
		"names":    {"rm x || true", folders + "c"},
	} {
		var n newerLines
		changes := changesOf(t, c.command)
		for range 5000 {
			n.changes.add(change{changes[len(changes)-1], 9})
		}
		got, one := n.changedSince(c.file), changes[len(changes)-1].Work(c.file)
		if got.work > maxWork+one || !got.replaced && got.touched == 0 {
			t.Errorf("%s: %+v, want %d steps at most", name, got, maxWork+one)
		}
		if looked := len(n.changes.since(0, c.file)); looked > maxCompared+1 {
			t.Errorf("%s: looked up %d changes, want %d at most", name, looked, maxCompared+1)
		}
	}
}

// Merging keeps the first numbers of all lists.
func TestMerged(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		var m merged
		var all []int
		for range rng.IntN(6) {
			var list []int
			for range rng.IntN(2 * maxCompared) {
				list = append(list, rng.IntN(4*maxCompared))
			}
			slices.Sort(list)
			list = slices.Compact(list)
			m.add(list)
			all = append(all, list...)
		}
		slices.Sort(all)
		all = slices.Compact(all)
		if want := all[:min(len(all), maxCompared+1)]; !slices.Equal(m.list, want) {
			t.Fatalf("%v, want %v", m.list, want)
		}
	}
}

// A block is compared with a limited number of replaced lines.
func TestComparedLinesAreLimited(t *testing.T) {
	c := new(talk).says("Work.")
	for i := range 20 {
		c.call("edit", "ok", "path", "a.go", "old",
			fmt.Sprintf("the first line of edit %d is long\n", i)+strings.Repeat("a\n", 1000),
			"new", "another line")
	}
	s := c.source(t)
	var n newerLines
	for i := range s.Calls {
		for _, src := range sourcesOf(s, &s.Calls[i], nil, nil) {
			n.addSource(&src)
		}
	}
	lines := 0
	for _, r := range n.of("a.go", 0).runs {
		lines += len(r.lines)
	}
	if lines == 0 || lines > maxRunLines {
		t.Errorf("%d lines of runs, want some and %d at most", lines, maxRunLines)
	}
}

// Blocks of equal lines are not compared again with each run of these lines.
func TestEqualLinesAreComparedOnce(t *testing.T) {
	lines := make([]string, maxLines)
	for i := range lines {
		lines[i] = "\tan equal line"
	}
	equal := strings.Repeat("an equal line\n", 60)
	var f newerFile
	for range maxParts {
		r, ok := runOf(equal+"the last one", []string{"another"})
		if !ok {
			t.Fatal("no run")
		}
		f.runs = append(f.runs, r)
	}
	if replaced := f.replaced(lines); slices.Contains(replaced, false) {
		t.Errorf("%v, want all replaced", replaced)
	}
	if most := 4 * maxLines * maxLines; f.compared > most {
		t.Errorf("%d lines were compared, want %d at most", f.compared, most)
	}
}
