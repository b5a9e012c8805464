package config

import (
	"fmt"
	"path"
	"strings"
	"time"

	"killick/internal/closest"
	"killick/proxy/auth"
)

// validate records every error of the configuration as a whole. Keys that
// could not be parsed are skipped: their error is known.
func (l *loader) validate() {
	l.validateListeners()
	l.validateTLS()
	l.validateAuth()
	l.validateUpstreams()
	l.validateURL("model.base_url", l.Model.BaseURL, false)
	l.validateURL("probe.model.base_url", l.Probe.Model.BaseURL, false)
	l.validateExposure()
	l.validateCORS()
	l.validateSecrets()
	l.validateCompaction()
	l.validateModel()
	l.validateProbe()
	l.validateModels()
	l.validateCache()
	l.mayBeDirectory("debug.dump_dir", l.Debug.DumpDir)
	l.validateCacheKeepAlive()
	l.validateTimes()
	l.warnOfSummarizer()
	l.oneOf("responses.websocket", l.Responses.WebSocket, WebSocketRefuse, WebSocketPass)
	l.oneOf("responses.compact", l.Responses.Compact, CompactPass, CompactAnswer)
	l.oneOf("log.level", l.Log.Level, "debug", "info", "warn", "error")
	l.oneOf("log.format", l.Log.Format, "auto", "text", "json")
	if l.Limits.MaxBody < 1<<10 {
		l.invalid("limits.max_body", "%s is too small for a chat request; write 64MiB or the like",
			l.Limits.MaxBody)
	}
	if m := l.Limits.Memory; m != 0 && m < minHeldBytes {
		l.invalid("limits.memory", "%s is forgotten at once; write %s or more, or 0 for a quarter "+
			"of GOMEMLIMIT", m, Size(minHeldBytes))
	}
	if l.Limits.MaxHeld < l.Limits.MaxBody && !l.faulty("limits.max_body") {
		l.invalid("limits.max_held",
			"%s is below limits.max_body, which is %s; the largest request would never fit; "+
				"write %s or more",
			l.Limits.MaxHeld, l.Limits.MaxBody, l.Limits.MaxBody)
	}
}

// invalid records an error of a key where it was set, unless it has one already.
func (l *loader) invalid(path, format string, args ...any) {
	if !l.faulty(path) {
		l.fail(path, l.originOf(path), format, args...)
	}
}

func (l *loader) warn(path, format string, args ...any) {
	if l.faulty(path) {
		return
	}
	f := fault{origin: l.originOf(path), path: path, problem: fmt.Sprintf(format, args...)}
	l.Warnings = append(l.Warnings, f.String())
}

// originOf returns the place that set a key, else one below it, else one that set its section or
// another key there.
func (l *loader) originOf(path string) origin {
	for p := path; p != ""; p = p[:max(0, strings.LastIndexByte(p, '.'))] {
		if o, ok := l.origins[p]; ok {
			return o
		}
		for _, key := range schema {
			if o, ok := l.origins[key.path]; ok && strings.HasPrefix(key.path, p+".") {
				return o
			}
		}
	}
	return origin{}
}

func (l *loader) oneOf(path, got string, choices ...string) {
	for _, c := range choices {
		if got == c {
			return
		}
	}
	hint := ""
	if near := closest.Name(got, choices); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	l.invalid(path, "%s is none of %s%s", Quote(got), strings.Join(choices, ", "), hint)
}

// validateSecrets rejects keys that cannot be sent, without showing them.
func (l *loader) validateSecrets() {
	for _, path := range secretPaths() {
		text, instead := leafAt(path).value(&l.Config).String(), "leave the key out and set "+
			leafAt(path).env()
		if path == storePassword {
			l.validatePassword(path, text, instead)
			continue
		}
		l.validateSecret(path, text, instead)
	}
	if n := len(l.Admin.Token); n > 0 && n < auth.MinKeyBytes {
		l.invalid("admin.token", guessable, n, auth.MinKeyBytes)
	}
}

const guessable = "has %d characters, which can be guessed; make it at least %d (openssl " +
	"rand -hex 24)"

// storePassword is the one credential that is sent in no header.
const storePassword = "cache.password"

func (l *loader) validatePassword(path, text, instead string) {
	switch {
	case unexpanded(text):
		l.invalid(path, "variables are not expanded in the file; %s", instead)
	case text != strings.TrimSpace(text):
		l.invalid(path, "begins or ends with white space; write the password alone")
	}
}

// unexpanded reports whether a value is a variable's name that somebody expected to be replaced.
func unexpanded(text string) bool {
	return strings.HasPrefix(text, "${") || strings.HasPrefix(text, "$(")
}

func (l *loader) validateSecret(path, text, instead string) {
	if unexpanded(text) {
		l.invalid(path, "variables are not expanded in the file; %s", instead)
		return
	}
	l.headerValue(path, text)
}

// pattern rejects patterns of models and tools that path.Match would reject.
func (l *loader) pattern(at, text string) {
	if _, err := path.Match(text, ""); err != nil {
		l.invalid(at, "%s is not a pattern; * matches any characters except /, and [ needs its ]",
			Quote(text))
	}
}

// mayBeNoTime are the durations that may be zero.
var mayBeNoTime = map[string]bool{"timeouts.notice": true}

// validateTimes requires all other durations to be positive.
func (l *loader) validateTimes() {
	for _, key := range schema {
		d, ok := key.value(&l.Config).Interface().(time.Duration)
		switch {
		case !ok || d > 0 || d == 0 && mayBeNoTime[key.path]:
		case d < 0:
			l.invalid(key.path, "%s is negative; write a duration such as %s", d, key.defaultText())
		default:
			l.invalid(key.path, "0 leaves no time at all; write a duration such as %s",
				key.defaultText())
		}
	}
}

func (l *loader) notNegative(path string, n int) {
	if n < 0 {
		l.invalid(path, "%d is negative; write 0 or more", n)
	}
}
