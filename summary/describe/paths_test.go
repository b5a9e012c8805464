package describe

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
		if got := Directory(c.paths); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Paths of Windows are shortened like others.
func TestPathsOfWindowsAreShortened(t *testing.T) {
	const dir, path = `C:\me\app`, `C:\me\app\web\pages\index.tsx`
	if got := Under(dir, path); got != `web\pages\index.tsx` {
		t.Errorf("in its folder: %s", got)
	}
	if got := ShortPath(path, 20); got != `…\web\pages\index.tsx` {
		t.Errorf("without folders: %s", got)
	}
}
