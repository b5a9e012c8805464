package transcript

import (
	"strings"
	"unicode"

	"killick/reference"
)

// pathKeys are the parameter names for files, as keyName spells them. Under another name, as of
// another language, a file is known by its shape.
var pathKeys = set(strings.Fields(
	"path paths file files filepath filepaths filename filenames targetfile notebookpath " +
		"absolutepath relativepath relativeworkspacepath oldpath newpath dirpath dirname " +
		"directorypath")...)

// movedKeys are parameter names for files in tools that are known to move or copy files. In other
// tools they may name airports.
var movedKeys = set("source", "destination", "from", "to", "src", "dest")

// otherKeys are parameter names whose values are not files, even with a slash or a dot.
var otherKeys = set(strings.Fields(
	"pattern regex query queries glob include exclude url uri href link endpoint route host " +
		"hostname domain email mail prompt description message subject title question summary " +
		"instructions reason workdir cwd dir directory repo repository repofullname branch ref " +
		"version model library libraryname image package mimetype contenttype timezone")...)

// contentKeys are the parameter names for the content that tools write, as keyName spells them.
var contentKeys = set(strings.Fields(
	"content contents newstring newstr newtext newsource newcontent replace replacement " +
		"oldstring oldstr oldtext inserttext text edits diff patch patchtext filetext code " +
		"body")...)

// maxPath limits a path, in bytes.
const maxPath = 300

// pathArguments returns the files that the arguments name, each once.
func (c *Call) pathArguments(effect Effect) (paths []Path) {
	if todoTools[c.tool] {
		return nil
	}
	seen := map[string]bool{}
	for i := range c.Args {
		a := &c.Args[i]
		if !a.Quoted || len(a.Text) > 2*maxPath {
			continue
		}
		key, name := keyName(a.leaf()), strings.TrimSpace(a.Text)
		if seen[name] || !isPath(name) || !c.namesFile(key, name) {
			continue
		}
		seen[name] = true
		paths = append(paths, Path{Name: name, Effect: effect})
		if effect == moves {
			paths[len(paths)-1].Effect = Writes
			if key == "source" || key == "from" || key == "src" || key == "oldpath" {
				paths[len(paths)-1].Effect = Deletes
				if c.tool == "copyfile" {
					paths[len(paths)-1].Effect = Reads
				}
			}
		}
	}
	return paths
}

// namesFile reports whether the argument of this name names a file.
func (c *Call) namesFile(key, text string) bool {
	switch {
	case pathKeys[key]:
		return true
	case movedKeys[key]:
		return knownTools[c.tool] == moves
	}
	return !otherKeys[key] && !contentKeys[key] && looksLikePath(text)
}

// isPath reports whether a text can be a path: a single line of limited length without control
// characters.
func isPath(s string) bool {
	return s != "" && len(s) <= maxPath && !strings.Contains(s, "://") &&
		!strings.ContainsFunc(s, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' ||
				r == '\u2029'
		})
}

// SamePath reports whether two paths can name the same file: they are equal, or one is the end of
// the other, since agents name files relative to several folders.
func SamePath(a, b string) bool {
	a, b = strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
	if len(a) < len(b) {
		a, b = b, a
	}
	cut := len(a) - len(b)
	return b != "" && a[cut:] == b && (cut == 0 || a[cut-1] == '/' || a[cut-1] == '\\')
}

// looksLikePath reports whether the value of an unknown parameter has the shape of a path: no
// space, none of the characters of patterns and code, and an extension, which must be a known one
// if there is no slash.
func looksLikePath(s string) bool {
	if s == "" || len(s) > maxPath || strings.ContainsAny(s, " \t\r\n*?{}[]()<>|\"'`$;,=&!@#%") ||
		strings.Contains(s, "://") {
		return false
	}
	base := s[strings.LastIndexAny(s, `/\`)+1:]
	if !reference.HasExtension(base) &&
		!(strings.HasPrefix(base, ".") && len(base) > 1 && len(base) < len(s)) {
		return false
	}
	return len(base) < len(s) && !strings.HasPrefix(s, "//") ||
		extensions[strings.ToLower(base[strings.LastIndexByte(base, '.')+1:])]
}

// extensions are those of names that are certainly files even without a slash; ".com" and ".js"
// also end other names.
var extensions = set(strings.Fields(
	"c cc cpp css csv cxx go h hpp html ini java json jsonl jsx kt log lua md mdx mjs php pdf " +
		"png py rb rs rst sh sql svg swift toml ts tsv tsx txt vue xlsx docx pptx xml yaml yml " +
		"zip jpg jpeg")...)
