package architecture

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testNamed   = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)(?:/([^`]+))?`")
	testWritten = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)\(`)
)

// A document that promises something names the test of it, and that test exists; a name after a
// slash is one of its cases.
func TestTestsThatDocumentsNameExist(t *testing.T) {
	written := testsByName(t, "../..")
	named := 0
	for _, document := range documents(t) {
		for _, m := range testNamed.FindAllStringSubmatch(read(t, document), -1) {
			named++
			name, part := m[1], m[2]
			source, ok := written[name]
			switch {
			case !ok:
				t.Errorf("%s names %s, which is no test", document, name)
			case part != "" && !strings.Contains(source, `"`+part+`"`):
				t.Errorf("%s names the case %q of %s, which has none", document, part, name)
			}
		}
	}
	if named < 50 {
		t.Errorf("the documents name %d tests: they are not read as they are written", named)
	}
}

// testsByName returns, for each test, the sources of its package.
func testsByName(t *testing.T, root string) map[string]string {
	t.Helper()
	names, sources := map[string][]string{}, map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		dir := filepath.Dir(name)
		sources[dir] += string(source)
		for _, m := range testWritten.FindAllSubmatch(source, -1) {
			names[string(m[1])] = append(names[string(m[1])], dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]string{}
	for name, dirs := range names {
		for _, dir := range dirs {
			written[name] += sources[dir]
		}
	}
	return written
}

var (
	metricNamed = regexp.MustCompile(`\bkillick_([a-z]+(?:_[a-z]+)*)\b`)
	headerNamed = regexp.MustCompile("`(Killick-[A-Z][a-z]+)[`:]")
)

// The metrics and headers that documents name are in the code. A metric's name is written there
// whole, or without a prefix that several metrics have.
func TestMetricsAndHeadersThatDocumentsNameExist(t *testing.T) {
	source := programText(t, "../..")
	has := func(name string) bool { return strings.Contains(source, `"`+name+`"`) }
	named := 0
	for _, document := range append(documents(t), "../../config.example.yaml") {
		text := read(t, document)
		for _, m := range headerNamed.FindAllStringSubmatch(text, -1) {
			if named++; !has(m[1]) {
				t.Errorf("%s names the header %s, which is not in the code", document, m[1])
			}
		}
		for _, m := range metricNamed.FindAllStringSubmatch(text, -1) {
			named++
			found := has(m[0])
			for rest := m[1]; strings.Contains(rest, "_") && !found; {
				found = has(rest)
				_, rest, _ = strings.Cut(rest, "_")
			}
			if !found {
				t.Errorf("%s names %s, which is not in the code", document, m[0])
			}
		}
	}
	if named < 30 {
		t.Errorf("the documents name %d: they are not read as they are written", named)
	}
}

// programText returns the Go code of the program, without tests.
func programText(t *testing.T, root string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") ||
			strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := os.ReadFile(name)
		all.Write(source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// Every package is in the list of packages: on a line of its own, or among the helpers of tests
// below it. And every folder that the list has is a package.
func TestEveryPackageIsListed(t *testing.T) {
	_, list, _ := strings.Cut(read(t, "../../CONTRIBUTING.md"), "\n## Packages\n")
	list, _, _ = strings.Cut(list, "\n## ")
	packages := map[string]bool{}
	for _, file := range goFiles(t) {
		folder := path.Dir(file.name)
		packages[folder] = true
		if !strings.Contains(list, "\n"+folder+"/ ") && !strings.Contains(list, "`"+folder+"`") {
			t.Errorf("CONTRIBUTING.md does not list %s", folder)
			list += "\n" + folder + "/ " // said once
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][\w/]*)/ `).FindAllStringSubmatch(list, -1) {
		if !packages[m[1]] {
			t.Errorf("CONTRIBUTING.md lists %s, which has no Go files", m[1])
		}
	}
}

var (
	keyWritten  = regexp.MustCompile(`^( *)([a-z][a-z0-9_]*):`)
	settingName = regexp.MustCompile("`([a-z_]+(?:\\.[a-z_]+)+)(?:: [^`]*)?`")
)

// The settings that documents name are in config.example.yaml, which has every setting. The
// changelog also names those that there were.
func TestSettingsThatDocumentsNameExist(t *testing.T) {
	settings, sections, above := map[string]bool{}, map[string]bool{}, []string{}
	for line := range strings.Lines(read(t, "../../config.example.yaml")) {
		if m := keyWritten.FindStringSubmatch(line); m != nil {
			above = append(above[:min(len(m[1])/2, len(above))], m[2])
			settings[strings.Join(above, ".")], sections[above[0]] = true, true
		}
	}
	named := 0
	for _, document := range documents(t) {
		if path.Base(document) == "CHANGELOG.md" {
			continue
		}
		for _, m := range settingName.FindAllStringSubmatch(read(t, document), -1) {
			section, _, _ := strings.Cut(m[1], ".")
			if ext := path.Ext(m[1]); !sections[section] || section == "models" ||
				ext == ".go" || ext == ".md" || ext == ".yaml" || ext == ".json" {
				continue // not of the configuration, a model's own settings, or a file
			}
			if named++; !settings[m[1]] {
				t.Errorf("%s names %s, which is no setting of config.example.yaml", document, m[1])
			}
		}
	}
	if named < 80 {
		t.Errorf("the documents name %d settings: they are not read as they are written", named)
	}
}
