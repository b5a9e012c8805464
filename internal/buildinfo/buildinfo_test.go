package buildinfo

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionIsTheStampedOne(t *testing.T) {
	built := &debug.BuildInfo{Main: debug.Module{Version: "v0.0.1"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
	}}
	for _, c := range []struct {
		stamped string
		info    *debug.BuildInfo
		want    string
	}{
		{"v1.2.3", built, "killick v1.2.3, "},
		{"", built, "killick v0.0.1, "},
		{"v1.2.3", nil, "killick v1.2.3, "},
		{"", nil, "killick (devel), "},
		{"", &debug.BuildInfo{}, "killick (devel), "},
	} {
		got := infoOf(c.stamped, c.info).String()
		if !strings.HasPrefix(got, c.want) || strings.HasSuffix(got,
			", revision abc with changes") != (c.info == built) {
			t.Errorf("%q over %v: %s, want %s", c.stamped, c.info, got, c.want)
		}
	}
}

// The linker says nothing of a name that there is none of, so the files that pass one
// to it are held to this package's.
func TestBuildsStampTheVersion(t *testing.T) {
	for _, file := range []string{"../../Makefile", "../../Dockerfile"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "-X killick/internal/buildinfo.stamped=") {
			t.Errorf("%s stamps no version", file)
		}
	}
	version, err := os.ReadFile("../../VERSION")
	if err != nil || !strings.HasPrefix(string(version), "v") ||
		strings.TrimSpace(string(version)) != string(version[:len(version)-1]) {
		t.Errorf("VERSION holds %q, %v; want one line such as v1.2.3", version, err)
	}
}
