package groundcheck

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"killick/internal/groundcheck/conversation"
)

// A name that a command printed from a file is listed under the file, which the command names.
func TestNamesOfPrintedFiles(t *testing.T) {
	for command, holds := range map[string]bool{
		"sed -n '1,9p' ./app/main.go":          true,
		"cd docs; cat '/home/me/app/main.go'":  true,
		"cat app/main.go.bak":                  false,
		"cat app/main.go2 && cat xapp/main.go": false,
	} {
		printed := slices.Clone(client)
		arguments, _ := json.Marshal(map[string]string{"command": command})
		printed[3] = calls("Looking.", "a", "bash", string(arguments))
		record := strings.Replace(truth, "edit (7), read (3):", "edit (7):", 1)
		report := Check(body(printed), body(forward(record)))
		if named := !fired(report, ruleGrammar); named != holds {
			t.Errorf("%s: %v, want the line of names to hold: %t", command, report.Faults, holds)
		}
	}
}

// The files of an editor are listed with what it was told to do, those of a patch with the
// direction in which it moved them.
func TestActionsOnFiles(t *testing.T) {
	for arguments, holds := range map[string][]string{
		`{"command":"view","path":"a.go"}`: {"edit view", "edit"},
		`{"patch":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n*** End Patch"}`: {
			"patch move from"},
		`{"patch":"*** Begin Patch\n*** Update File: c.go\n*** Move to: a.go\n*** End Patch"}`: {
			"patch move to"},
		`{"patch":"*** Begin Patch\n*** Update File: a.go\n*** End Patch"}`: {"patch update"},
	} {
		conv, err := conversation.Read(body([]string{calls("", "a", "edit", arguments)}))
		if err != nil {
			t.Fatal(err)
		}
		k := conv.Messages[0].Calls[0]
		for _, tool := range []string{"edit", "edit view", "edit create", "patch update",
			"patch move to", "patch move from"} {
			if got := namesFile(k, "a.go", tool); got != slices.Contains(holds, tool) {
				t.Errorf("%s, %s: %t", arguments, tool, got)
			}
		}
	}
}

// A label that has all names of a line stands alone, and must be true.
func TestLabelsWithoutNames(t *testing.T) {
	for line, holds := range map[string]bool{
		"9 bash(go test ./...)":  true,
		"app/main.go (7, 3)":     true,
		"9 bash(make lint)":      false,
		"8 bash(go test ./...)":  false,
		"app/other.go (7)":       false,
		"app/main.go (8)":        false,
		"9 bash(go test ./...):": false,
	} {
		record := strings.Replace(truth, "- app/main.go (7, 3): parseAll", "- "+line, 1)
		report := Check(body(client), body(forward(record)))
		if got := len(report.Faults) == 0; got != holds {
			t.Errorf("%s: %v, want it to hold: %t", line, report.Faults, holds)
		}
	}
}

// A part of a name is a name that nobody wrote.
func TestPartsOfNamesDoNotOccur(t *testing.T) {
	for text, parts := range map[string]map[string]bool{
		"see .github/a.yml, .env.local": {"github/a.yml": false, ".github/a.yml": true,
			"env.local": false, ".env.local": true},
		"use @acme/ui-kit here":     {"acme/ui-kit": false, "@acme/ui-kit": true},
		"app/[id]/page.tsx":         {"/page.tsx": false},
		"cat ${DIR}/a.go $X/b.go":   {"/a.go": false, "X/b.go": false},
		"**/*_test.go **main.go**":  {"_test.go": false, "main.go": true},
		"façade.ts, 在main.go里":      {"ade.ts": false, "main.go": true},
		"r.ServeHTTP .ServeHTTP()":  {"ServeHTTP": true},
		"test_راتب 10117٫48 ４12345": {"test_": false, "10117": false, "12345": false},
		"编号48151623，结算_test.go":     {"48151623": true, "_test.go": false},
	} {
		for name, want := range parts {
			if got := occurs(text, name); got != want {
				t.Errorf("%q in %q: %t, want %t", name, text, got, want)
			}
		}
	}
}
