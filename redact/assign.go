package redact

import "strings"

// assigned returns a function that reads an assignment whose name ends in a keyword: password=…,
// "api_key": "…", --token …, <secret>…</secret>.
func assigned(kind string, judge func(*assignment) bool) func(*scanner, int, int) (Match, bool) {
	return func(sc *scanner, start, end int) (Match, bool) {
		if end < len(sc.text) &&
			(isAlnum(sc.text[end]) || sc.text[end] == '_' || sc.text[end] == '-') {
			return Match{}, false // the name continues
		}
		a := assignment{name: nameBefore(sc.text, start, end)}
		if !a.find(sc, end) {
			return Match{}, false
		}
		whole := len(a.value)
		a.value = a.value[:min(whole, maxJudged)]
		if !judge(&a) || isTemplate(a.value) || isPlain(a.value) {
			return Match{}, false
		}
		return sc.named(a.start, a.start+whole, kind), true
	}
}

// assignment is a name and what is assigned to it.
type assignment struct {
	name   string // in lower case
	upper  bool   // the name is in capitals, directly followed by '=', as in the environment
	flag   bool   // the name begins with a dash, as an option does
	quoted bool
	value  string
	start  int
}

// Limits on what is read, in bytes.
const (
	maxName   = 48   // of a name
	maxQuoted = 1024 // of the text in which a closing quote is looked for
	maxJudged = 256  // of a value, to decide whether it is a credential
)

func nameBefore(s string, start, end int) string {
	from := start
	for from > 0 && end-from < maxName &&
		(isAlnum(s[from-1]) || s[from-1] == '_' || s[from-1] == '-' || s[from-1] == '.') {
		from--
	}
	return s[from:end]
}

// find reads what follows the name: its closing quote, the separator, the value.
func (a *assignment) find(sc *scanner, i int) bool {
	s := sc.text
	a.flag = strings.HasPrefix(a.name, "-")
	a.upper = a.name == strings.ToUpper(a.name) && strings.HasPrefix(s[i:], "=")
	a.name = strings.ToLower(strings.TrimLeft(a.name, "-."))
	closed := skipAny(s, i, "\\\"'`]", 3)
	j := skipAny(s, closed, " \t", 8)
	switch {
	case j >= len(s):
		return false
	case s[j] == ':' || s[j] == '=' || s[j] == '?' && strings.HasPrefix(s[j:], "?="):
		j = skipAny(s, j, ":=>?", 3)
	case s[j] == '>' && closed == i: // <password>…</password>
		j++
	case s[j] == ',' && closed > i: // getenv("TOKEN", "…")
		if j = skipAny(s, j+1, " ", 4); j >= len(s) || s[j] != '"' && s[j] != '\'' {
			return false
		}
	case s[j] == '(' && j+1 < len(s) && (s[j+1] == '"' || s[j+1] == '\''): // setPassword("…")
		j++
	case a.flag && j > closed: // --password …
	default:
		return false
	}
	j = skipAny(s, j, " \t", 8)
	if a.read(sc, j) {
		return true
	}
	// A type may come before the value: password: str = "…".
	if k := skipType(s, j); k > j {
		return a.read(sc, k)
	}
	return a.value != ""
}

// read reads the value at i, and reports whether it is quoted and not empty.
func (a *assignment) read(sc *scanner, i int) bool {
	s := sc.text
	open := i
	if open < len(s) && strings.IndexByte("bfru@", s[open]) >= 0 { // b"…", f"…", @"…"
		open++
	}
	q := skipAny(s, open, `\`, 3)
	if q < len(s) && (s[q] == '"' || s[q] == '\'' || s[q] == '`') {
		quote := s[open : q+1] // including escapes: the end looks the same
		body := s[q+1 : min(len(s), q+1+maxQuoted)]
		n := strings.Index(body, quote)
		if n < 0 {
			n = strings.IndexAny(body, " \t\r\n\"'…")
		}
		if n < 0 { // of a longer value, white space or any quote is the end
			rest := s[q+1+len(body):]
			if n = strings.IndexAny(rest, " \t\r\n\"'`"); n < 0 {
				n = len(rest)
			}
			n += len(body)
		}
		a.quoted, a.start, a.value = true, q+1, s[q+1:q+1+n]
		return n > 0
	}
	end := sc.runOf(i)
	a.quoted, a.start, a.value = false, i, ""
	if end < len(s) && (s[end] == '(' || s[end] == '[') {
		return false // a call
	}
	if i < end {
		a.value = s[i:max(i, sc.value.trimmed)]
	}
	return false
}

// skipType returns the index after a type and '=' if a quote follows, else i.
func skipType(s string, i int) int {
	for j := i; j < len(s) && j-i < 40; j++ {
		switch b := s[j]; {
		case b == '=':
			if k := skipAny(s, j+1, " \t", 4); k < len(s) && (s[k] == '"' || s[k] == '\'') {
				return k
			}
			return i
		case !isAlnum(b) && strings.IndexByte("_.<>[]|&*? ", b) < 0:
			return i
		}
	}
	return i
}

// isTemplate reports whether a value is filled in elsewhere: a variable, a call, a reference to a
// secret store, or a placeholder.
func isTemplate(v string) bool {
	v = v[:min(len(v), maxJudged)]
	if v == "" || strings.IndexByte("$%{[<(*#@&!/~.+", v[0]) >= 0 &&
		!strings.ContainsAny(v[1:], "0123456789") {
		return true
	}
	if strings.IndexByte("${[<(*", v[0]) >= 0 || strings.HasPrefix(v, "./") ||
		strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "%(") {
		return true
	}
	for _, mark := range templateMarks {
		if strings.Contains(v, mark) {
			return true
		}
	}
	return false
}

var templateMarks = []string{
	"${", "$(", "{{", "}}", "<", ">", "://", "(", "…", "process.env", "os.environ",
	"getenv", "ENV[", "arn:aws", "secrets/", "projects/",
}

// isPlain reports whether a value is a keyword, prose or a file name.
func isPlain(v string) bool {
	switch strings.ToLower(v) {
	case "null", "none", "nil", "true", "false", "undefined", "string", "required", "optional":
		return true
	}
	return hasSpace(v) || isChain(v)
}

func hasSpace(v string) bool { return strings.ContainsAny(v, " \t\r\n") }

// isChain reports whether v consists of names separated by dots: user.password1, a.env.
func isChain(v string) bool {
	if strings.IndexByte(v, '.') < 0 {
		return false
	}
	for part := range strings.SplitSeq(v, ".") {
		if part == "" || '0' <= part[0] && part[0] <= '9' || len(part) > 24 && looksRandom(part) {
			return false
		}
		for i := range len(part) {
			if !isAlnum(part[i]) && part[i] != '_' && part[i] != '$' && part[i] != '-' {
				return false
			}
		}
	}
	return true
}

// namesItself reports whether a value is only a name for a credential, such as "my-password".
func namesItself(v string) bool {
	low := strings.ToLower(v)
	for _, word := range []string{"password", "passwd", "secret", "token", "apikey", "api_key",
		"api-key", "credential"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return isPlaceholder(v)
}

// isPassword reports whether a value is a password: people choose those, so they need not look
// random. In an environment variable, any value that is not plainly something else counts;
// elsewhere a digit or a symbol distinguishes a password from a word.
func isPassword(a *assignment) bool {
	v := a.value
	if len(v) < 4 || len(v) == maxJudged || isPlaceholder(v) || entropy(v) < 1.5 {
		return false
	}
	m := makeupOf(v)
	if a.name == "pwd" && a.upper {
		return false // the working directory of a shell
	}
	if a.upper {
		return !isPlain(v) && v != strings.ToUpper(v) || m.digits > 0
	}
	if len(v) < 6 || namesItself(v) || m.letters() == 0 {
		return false
	}
	signs := strings.ContainsAny(v, "!@#^*+~?=%")
	switch {
	case m.digits > 0 && m.letters() > 0 || signs:
		return a.quoted || a.flag || entropy(v) >= 2
	case a.quoted:
		return len(v) >= 12 && looksRandom(v)
	}
	return false
}

// isSecret reports whether a value is a key, a token or a secret, which are generated at random.
func isSecret(a *assignment) bool {
	v := a.value
	if !isSecretName(a.name) || len(v) < 8 || isPlaceholder(v) {
		return false
	}
	if isUUID(v) {
		return strings.Contains(a.name, "api") || strings.Contains(a.name, "secret")
	}
	if !a.quoted && strings.Contains(strings.ToLower(v), "key") {
		return false // a variable
	}
	m := makeupOf(v[:min(len(v), 128)])
	if m.digits == 0 && m.switches < 3 || m.letters() == 0 {
		return false
	}
	if len(v) >= 16 && looksRandom(v) {
		return true
	}
	// A short secret is only recognized by its name.
	return (a.upper || strings.Contains(a.name, "secret")) && !namesItself(v) && m.digits > 0 &&
		m.others == 0 && m.switches >= 2 && entropy(v) >= 2.5
}

func isUUID(v string) bool {
	if len(v) != 36 || v[8] != '-' || v[13] != '-' || v[18] != '-' || v[23] != '-' {
		return false
	}
	for i := range len(v) {
		if v[i] != '-' && !isHex(v[i]) {
			return false
		}
	}
	return true
}

// isSecretName reports whether a name that ends in one of the words in contexts is the name of a
// secret. The word before the last decides.
func isSecretName(name string) bool {
	squeezed := separators.Replace(name)
	switch {
	case strings.HasSuffix(squeezed, "token"):
		return !hasAnySuffix(strings.TrimSuffix(squeezed, "token"), notSecretTokens)
	case strings.HasSuffix(squeezed, "key"):
		return hasAnySuffix(strings.TrimSuffix(squeezed, "key"), secretKeys)
	case strings.HasSuffix(squeezed, "auth"):
		return squeezed == "auth" || strings.HasSuffix(squeezed, "basicauth") ||
			strings.HasSuffix(squeezed, "httpauth")
	}
	return true
}

var separators = strings.NewReplacer("_", "", "-", "", ".", "")

func hasAnySuffix(s string, of []string) bool {
	for _, suffix := range of {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

// Words before "token" that show that it is not a credential: positions in a list, parts of a text.
var notSecretTokens = []string{
	"page", "next", "nextpage", "continuation", "continue", "cancellation", "cancel", "cursor",
	"sync", "resume", "start", "stop", "end", "eos", "bos", "pad", "unk", "mask", "sep", "cls",
	"max", "min", "prompt", "completion", "idempotency", "request", "lock", "change", "delta",
	"skip", "concurrency", "version", "fencing", "snapshot",
}

// Words before "key" that show that it is a credential; a key by itself is most often a name.
var secretKeys = []string{
	"api", "access", "secret", "private", "auth", "account", "shared", "sharedaccess", "encryption",
	"signing", "service", "master", "app", "application", "client", "storage", "license", "webhook",
	"subscription", "admin", "ingest", "ingestion", "integration", "write", "deploy", "session",
	"jwt", "hmac", "functions", "host", "instrumentation", "rest", "user", "openai", "anthropic",
	"stripe", "datadog", "dd", "sendgrid", "mailgun", "twilio", "cloudflare", "heroku", "newrelic",
	"sentry", "groq", "mistral", "cohere", "azure", "aws",
}
