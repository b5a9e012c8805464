package load

import (
	"strings"
	"time"

	"killick/internal/config"
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
	l.oneOf("responses.websocket", l.Responses.WebSocket, config.WebSocketRefuse,
		config.WebSocketPass)
	l.oneOf("responses.compact", l.Responses.Compact, config.CompactPass, config.CompactAnswer)
	l.oneOf("log.level", l.Log.Level, "debug", "info", "warn", "error")
	l.oneOf("log.format", l.Log.Format, "auto", "text", "json")
	if l.Limits.MaxBody < 1<<10 {
		l.Invalid("limits.max_body", "%s is too small for a chat request; write 64MiB or the like",
			l.Limits.MaxBody)
	}
	if m := l.Limits.Memory; m != 0 && m < minHeldBytes {
		l.Invalid("limits.memory", "%s is too little for one conversation; write %s or more, or "+
			"0 for a quarter of GOMEMLIMIT", m, config.Size(minHeldBytes))
	}
	if l.Limits.MaxHeld < l.Limits.MaxBody && !l.Faulty("limits.max_body") {
		l.Invalid("limits.max_held",
			"%s is below limits.max_body, which is %s; the largest request would never fit; "+
				"write %s or more",
			l.Limits.MaxHeld, l.Limits.MaxBody, l.Limits.MaxBody)
	}
}

// validateSecrets rejects keys that cannot be sent, without showing them.
func (l *loader) validateSecrets() {
	for _, path := range secretPaths() {
		text, instead := schema.Key(path).Of(&l.Config).String(), "leave the key out and set "+
			schema.Env(path)
		if path == storePassword {
			l.validatePassword(path, text, instead)
			continue
		}
		l.validateSecret(path, text, instead)
	}
	if n := len(l.Admin.Token); n > 0 && n < auth.MinKeyBytes {
		l.Invalid("admin.token", guessable, n, auth.MinKeyBytes)
	}
}

// storePassword is the one credential that is sent in no header.
const storePassword = "cache.password"

func (l *loader) validatePassword(path, text, instead string) {
	switch {
	case unexpanded(text):
		l.Invalid(path, "variables are not expanded in the file; %s", instead)
	case text != strings.TrimSpace(text):
		l.Invalid(path, "begins or ends with white space; write the password alone")
	}
}

// mayBeNoTime are the durations that may be zero.
var mayBeNoTime = map[string]bool{"timeouts.notice": true}

// validateTimes requires all other durations to be positive.
func (l *loader) validateTimes() {
	for _, key := range schema.Keys {
		d, ok := key.Of(&l.Config).Interface().(time.Duration)
		switch {
		case !ok || d > 0 || d == 0 && mayBeNoTime[key.Path]:
		case d < 0:
			l.Invalid(key.Path, "%s is negative; write a duration such as %s", d,
				DefaultText(key.Path))
		default:
			l.Invalid(key.Path, "0 leaves no time at all; write a duration such as %s",
				DefaultText(key.Path))
		}
	}
}
