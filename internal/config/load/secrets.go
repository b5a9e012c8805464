package load

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"killick/internal/config"
	"killick/internal/fields"
	"killick/internal/patherror"
)

// A credential may be written as a reference, so that no file of the
// configuration holds one:
//
//	env:NAME   the variable of that name
//	file:PATH  the content of the file, without trailing white space
const (
	envReference  = "env:"
	fileReference = "file:"
)

// maxSecretBytes bounds a credential's file: no header can be longer.
const maxSecretBytes = 16 << 10

// resolveSecrets replaces references with the credentials.
func (l *loader) resolveSecrets(env []string) {
	for _, key := range schema.Keys {
		if s, ok := key.Of(&l.Config).Addr().Interface().(*config.Secret); ok {
			l.resolve(key.Path, s, env)
		}
	}
	for i := range l.Upstreams {
		l.resolve(config.EntryPath(i)+".api_key", &l.Upstreams[i].APIKey, env)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Auth.Keys)) {
		k, at := l.Auth.Keys[name], fields.Join("auth.keys", name)
		l.resolve(at+".key", &k.Key, env)
		l.resolve(at+".upstream_key", &k.UpstreamKey, env)
		for _, upstream := range slices.Sorted(maps.Keys(k.UpstreamKeys)) {
			s := k.UpstreamKeys[upstream]
			l.resolve(at+".upstream_keys."+upstream, &s, env)
			k.UpstreamKeys[upstream] = s
		}
		l.Auth.Keys[name] = k
	}
}

func (l *loader) resolve(path string, s *config.Secret, env []string) {
	text := string(*s)
	if text == envReference || text == fileReference {
		l.Invalid(path, "%s names nothing; write env:NAME or file:PATH", text)
		*s = ""
		return
	}
	if name, ok := strings.CutPrefix(text, envReference); ok {
		value := Lookup(env, name)
		if value == "" {
			l.Invalid(path, "the variable %s is not set or empty; set it, or write file:PATH",
				fields.Quote(name))
		}
		*s = config.Secret(value)
	}
	if file, ok := strings.CutPrefix(text, fileReference); ok {
		value, open, err := readSecretFile(file)
		if err != nil {
			l.Invalid(path, "%v", err)
		}
		if open {
			l.Warn(path, "%s is readable by everybody; run chmod 600 %[1]s", file)
		}
		*s = config.Secret(value)
	}
}

// readSecretFile returns the credential in a file; open reports whether everybody on
// this machine may read it.
func readSecretFile(path string) (text string, open bool, err error) {
	content, err := readStart(path, maxSecretBytes)
	if err != nil {
		return "", false, fmt.Errorf("its file cannot be read: %w", patherror.Plain(err))
	}
	text = strings.TrimRight(string(content), " \t\r\n")
	switch {
	case text == "":
		return "", false, errors.New("its file is empty: " + path)
	case len(content) > maxSecretBytes:
		return "", false, fmt.Errorf("%s holds more than %d bytes; is it the right file?", path,
			maxSecretBytes)
	}
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" {
		open = info.Mode().Perm()&0o004 != 0
	}
	return text, open, nil
}

// secretPaths are the keys that hold a credential each.
func secretPaths() (paths []string) {
	var c config.Config
	for _, key := range schema.Keys {
		if _, ok := key.Of(&c).Interface().(config.Secret); ok {
			paths = append(paths, key.Path)
		}
	}
	return paths
}
