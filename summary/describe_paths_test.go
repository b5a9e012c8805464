package summary

import "testing"

// Paths are relative to a folder only if that is certain: a path in a record must name one file.
func TestDirectory(t *testing.T) {
	for name, c := range map[string]struct {
		paths []string
		want  string
	}{
		"one folder": {[]string{"/home/me/app/a.go", "/home/me/app/b/c.go", "/home/me/app/d.go"},
			"/home/me/app"},
		"two files": {[]string{"/home/me/app/a.go", "/home/me/app/b/c.go"}, ""},
		"on Windows": {[]string{`C:\me\app\a.go`, `C:\me\app\b\c.go`, `C:\me\app\d.go`},
			`C:\me\app`},
		"on two drives":      {[]string{`C:\me\app\a.go`, `D:\me\app\b.go`, `D:\me\app\c.go`}, ""},
		"not below a folder": {[]string{`C:\me\a.go`, `C:\me\b.go`, `C:\me\c.go`}, ""},
		"and relative ones": {[]string{"/home/me/app/a.go", "/home/me/app/b/c.go",
			"/home/me/app/d.go", "x/y.go"}, ""},
	} {
		if got := directory(c.paths); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// What outputs name says nothing of the agent's folder.
func TestOutputsSayNothingOfTheFolder(t *testing.T) {
	sum := &Summary{First: 1, Last: 9, Files: []File{{Path: "core/loader.py", Last: 5,
		Uses: []Use{{Tool: "Edit", Times: 1, Last: 5}}, Changed: true}}}
	for _, name := range []string{"core/loader.py", "core/queue.py", "net/http.py"} {
		sum.Names = append(sum.Names,
			Name{Word: "/usr/lib/python3/" + name, Of: "run_job()", At: 3})
	}
	if dir := sum.directory(); dir != "" {
		t.Errorf("paths are relative to %s, which only a traceback names", dir)
	}
}

// Paths of Windows are shortened like others.
func TestPathsOfWindowsAreShortened(t *testing.T) {
	const dir, path = `C:\me\app`, `C:\me\app\web\pages\index.tsx`
	if got := under(dir, path); got != `web\pages\index.tsx` {
		t.Errorf("in its folder: %s", got)
	}
	if got := shortPath(path, 20); got != `…\web\pages\index.tsx` {
		t.Errorf("without folders: %s", got)
	}
	sum := &Summary{First: 1, Last: 9}
	for _, name := range []string{"a.tsx", "b.tsx", "c.tsx"} {
		sum.Files = append(sum.Files, File{Path: dir + `\web\` + name, Last: 5, Changed: true,
			Uses: []Use{{Tool: "Edit", Times: 1, Last: 5}}})
	}
	got := sectionsText(nil, nil, sum.directory())
	if want := `Paths in C:\me\app\web\ are written without it.` + "\n"; got != want {
		t.Errorf("the folder is stated as %q, want %q", got, want)
	}
}
