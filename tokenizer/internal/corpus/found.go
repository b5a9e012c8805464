package corpus

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxFoundBytes bounds what is read of a kind.
const maxFoundBytes = 64 << 20

var (
	pythonFolders = []string{
		"/usr/lib/python3.11", "/usr/lib/python3.12", "/usr/lib/python3.13",
		"/usr/lib/python3", "/usr/share/python3",
	}
	scriptFolders = []string{
		"/usr/lib/node_modules", "/usr/share/nodejs", "/usr/share/javascript",
	}
)

// places are where texts of a kind are kept, with how their names end.
var places = map[string]struct {
	folders []string
	suffix  string
}{
	"python":     {pythonFolders, ".py"},
	"javascript": {scriptFolders, ".js"},
	"go":         {nil, ".go"},
	"minified":   {scriptFolders, ".min.js"},
}

// found returns the texts of a kind that are on this machine.
func found(kind string) ([]string, error) {
	if p, ok := places[kind]; ok {
		return files(p.folders, p.suffix)
	}
	switch kind {
	case "en":
		s, err := goSource()
		if err != nil {
			return nil, err
		}
		return paragraphs(s.prose), nil
	case "zh":
		kind = "zh_CN"
	}
	return translations(kind)
}

// paragraphs returns those of a text that are mostly words.
func paragraphs(text string) (prose []string) {
	for p := range strings.SplitSeq(text, "\n\n") {
		letters := 0
		for i := range len(p) {
			if c := p[i] | 0x20; c >= 'a' && c <= 'z' || c == ' ' {
				letters++
			}
		}
		if len(p) >= 3*minMessage && letters > len(p)*9/10 {
			prose = append(prose, p)
		}
	}
	return prose
}

func files(folders []string, suffix string) (texts []string, err error) {
	size := 0
	if root, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(root)))
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "test") {
				return filepath.SkipDir
			}
			minified := strings.HasSuffix(path, ".min.js")
			if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) ||
				size > maxFoundBytes || strings.Contains(path, "tables") ||
				minified != strings.HasPrefix(suffix, ".min") {
				return nil // what cannot be read is not found
			}
			text, err := os.ReadFile(path)
			if err == nil && utf8.Valid(text) {
				size += len(text)
				texts = append(texts, string(text))
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", folder, err)
		}
	}
	return texts, nil
}

// minMessage is the shortest message, in bytes, that is taken for prose.
const minMessage = 40

// translations returns the messages of programs that were translated to a
// language, those that are mostly of its script.
func translations(language string) (texts []string, err error) {
	names, err := filepath.Glob("/usr/share/locale/" + language + "/LC_MESSAGES/*.mo")
	if err != nil {
		return nil, err
	}
	more, err := filepath.Glob("/usr/share/vim/*/lang/" + language + "/LC_MESSAGES/*.mo")
	if err != nil {
		return nil, err
	}
	latin := language == "de" || language == "fr"
	for _, name := range append(names, more...) {
		catalog, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading translations: %w", err)
		}
		for _, message := range messages(catalog) {
			if utf8.ValidString(message) && len(message) >= minMessage &&
				(latin || share(message) > 0.7) {
				texts = append(texts, message)
			}
		}
	}
	return texts, nil
}

// share is how much of a text is not ASCII.
func share(text string) float64 {
	n := 0
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			n++
		}
	}
	return float64(n) / float64(len(text))
}

// messages returns the translations in a catalog of GNU gettext, each plural form
// by itself. Source of the format: the manual of gettext, "The Format of GNU MO
// Files".
func messages(catalog []byte) (texts []string) {
	if len(catalog) < 20 || binary.LittleEndian.Uint32(catalog) != 0x950412de {
		return nil
	}
	n := int(binary.LittleEndian.Uint32(catalog[8:]))
	table := int(binary.LittleEndian.Uint32(catalog[16:]))
	for i := 1; i < n && table+8*i+8 <= len(catalog); i++ { // the first one is the header
		size := int(binary.LittleEndian.Uint32(catalog[table+8*i:]))
		at := int(binary.LittleEndian.Uint32(catalog[table+8*i+4:]))
		if at+size <= len(catalog) {
			texts = append(texts, strings.Split(string(catalog[at:at+size]), "\x00")...)
		}
	}
	return texts
}
