package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"killick/internal/closest"
	"killick/internal/config"
	"killick/internal/fields"
)

// loader applies sources to a configuration and collects the errors.
type loader struct {
	config.Config
	*fields.Reader
}

// These are the checks that several parts of a configuration need.

func (l *loader) oneOf(path, got string, choices ...string) {
	if slices.Contains(choices, got) {
		return
	}
	hint := ""
	if near := closest.Name(got, choices); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	l.Invalid(path, "%s is none of %s%s", fields.Quote(got), strings.Join(choices, ", "), hint)
}

func (l *loader) notNegative(path string, n int) {
	if n < 0 {
		l.Invalid(path, "%d is negative; write 0 or more", n)
	}
}

// unexpanded reports whether a value is a variable, such as ${NAME}, which is not expanded in the
// file.
func unexpanded(text string) bool {
	return strings.HasPrefix(text, "${") || strings.HasPrefix(text, "$(")
}

func (l *loader) validateSecret(path, text, instead string) {
	if unexpanded(text) {
		l.Invalid(path, "variables are not expanded in the file; %s", instead)
		return
	}
	l.headerValue(path, text)
}

// pattern rejects patterns of models and tools that path.Match would reject.
func (l *loader) pattern(at, text string) {
	if _, err := path.Match(text, ""); err != nil {
		l.Invalid(at, "%s is not a pattern; * matches any characters except /, and [ needs its ]",
			fields.Quote(text))
	}
}

// headerValue rejects a key that a header cannot carry.
func (l *loader) headerValue(path, key string) {
	if strings.HasPrefix(strings.ToLower(key), "bearer ") {
		l.Invalid(path, `begins with "Bearer"; write the key alone`)
	} else if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		l.Invalid(path, "contains white space or a character that headers cannot carry")
	}
}

// mayBeDirectory rejects a path where there is something else than a directory, or a link to
// nothing, since a directory can be created at neither.
func (l *loader) mayBeDirectory(path, dir string) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		l.Invalid(path, "%s is not a directory; move it away, or write another path", dir)
	}
	if _, atLink := os.Lstat(dir); atLink == nil && errors.Is(err, fs.ErrNotExist) {
		l.Invalid(path, "%s is a symbolic link to nothing; create the directory that it names, "+
			"or write another path", dir)
	}
}

// maxFile bounds a file of settings or prices, so that a wrong path, such as that of a store or a
// device, does not fill the memory.
const maxFile = 16 << 20

// readYAML reads a file of settings or prices; kind says of which.
func readYAML(name, kind string) ([]byte, error) {
	data, err := readStart(name, maxFile)
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s has more than %s, so it is not %s; write the path of one",
			name, config.Size(maxFile), kind)
	}
	return data, err
}

// readStart reads a file, and one byte more than so many of a larger one.
func readStart(name string, bytes int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, bytes+1))
}
