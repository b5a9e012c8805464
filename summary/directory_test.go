package summary

import (
	"fmt"
	"slices"
	"testing"

	"killick/summary/names"
)

// What outputs name says nothing of the agent's folder.
func TestOutputsSayNothingOfTheFolder(t *testing.T) {
	sum := &Summary{First: 1, Last: 9, Files: []File{{Path: "core/loader.py", Last: 5,
		Uses: []Use{{Tool: "Edit", Times: 1, Last: 5}}, Changed: true}}}
	for _, name := range []string{"core/loader.py", "core/queue.py", "net/http.py"} {
		sum.Names = append(sum.Names,
			names.Name{Word: "/usr/lib/python3/" + name, Of: "run_job()", At: 3})
	}
	if dir := sum.directory(); dir != "" {
		t.Errorf("paths are relative to %s, which only a traceback names", dir)
	}
}

// A folder of Windows is stated with its separator.
func TestFoldersOfWindowsAreStated(t *testing.T) {
	const dir = `C:\me\app`
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

// Numbers that the index lists beside each other are names, each of them.
func TestReferencesOfAnIndex(t *testing.T) {
	record := Mark + "\n" + names.Heading + "- 38 get_issue(PAY-914): 32061 51192\n\n(ref)\n"
	if got := References(record); !slices.Contains(got, "32061") ||
		!slices.Contains(got, "51192") {
		t.Errorf("%q, want 32061 and 51192 too", got)
	}
}

// A path without its folder names the whole path too.
func TestReferencesOfARecord(t *testing.T) {
	for folder, want := range map[string]string{
		"Paths in /srv/app/ are written without it.": "[/srv/app /etc/hosts net/http.go m.Run " +
			"/srv/app/net/http.go /srv/app/m.Run]",
		"": "[/etc/hosts net/http.go m.Run]",
	} {
		record := Mark + "\n" + folder + "\n\n## Files\n" +
			"- Read (3): /etc/hosts, net/http.go: m.Run\n"
		if got := fmt.Sprint(References(record)[len(names.Words(Mark)):]); got != want {
			t.Errorf("%q: %s, want %s", folder, got, want)
		}
	}
}
