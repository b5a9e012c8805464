package redact

import "strings"

// contexts are the words after which credentials without a format of their own appear.
var contexts = []*keyword{
	{text: placeholderStart, context: (*scanner).placeholder},
	{text: "-----begin ", context: (*scanner).keyBlock},
	{text: "private-lines:", context: (*scanner).puttyKey},
	{text: "://", context: (*scanner).userInfo},
	{text: "bearer", context: (*scanner).bearer},
	{text: "authorization", context: (*scanner).authorization},
	{text: "curl ", context: (*scanner).curlUser},
	{text: "machine ", context: (*scanner).netrc},
	{text: "password", context: assigned("password", isPassword)},
	{text: "passwd", context: assigned("password", isPassword)},
	{text: "passphrase", context: assigned("password", isPassword)},
	{text: "pwd", context: assigned("password", isPassword)},
	{text: "secret", context: assigned("secret", isSecret)},
	{text: "token", context: assigned("token", isSecret)},
	{text: "credential", context: assigned("credential", isSecret)},
	{text: "credentials", context: assigned("credential", isSecret)},
	{text: "key", context: assigned("key", isSecret)},
	{text: "key-data", context: assigned("key", isSecret)},
	{text: "auth", context: assigned("credential", isSecret)},
}

// placeholder skips a placeholder that an earlier call of Text wrote.
func (sc *scanner) placeholder(_, end int) (Match, bool) {
	const maxKind = 40
	if kind, _, ok := strings.Cut(sc.text[end:min(len(sc.text), end+maxKind)], "]"); ok &&
		isKind(kind) {
		sc.past = end + len(kind) + 1
	}
	return Match{}, false
}

// isKind reports whether s can be a kind of credential, rather than other text that somebody put
// into the brackets so that it is skipped.
func isKind(s string) bool {
	for word := range strings.SplitSeq(s, " ") {
		if len(word) > 12 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz.1") != "" {
			return false
		}
	}
	return true
}

// keyBlock finds a private key in PEM: from its first line to its last, or, if the last is missing,
// as far as such a key can extend. Certificates and public keys stay.
func (sc *scanner) keyBlock(start, end int) (Match, bool) {
	s := sc.text
	head := s[end:min(len(s), end+60)]
	i := strings.Index(head, "PRIVATE KEY")
	if i < 0 || strings.Contains(head[:i], "-----") {
		return Match{}, false
	}
	body := end + i + len("PRIVATE KEY")
	body += len(s[body:]) - len(strings.TrimPrefix(s[body:], " BLOCK"))
	if !strings.HasPrefix(s[body:], "-----") {
		return Match{}, false
	}
	body += len("-----")
	last := body
	for last < len(s) &&
		(pemBody.has(s[last]) || s[last] == '-' && !strings.HasPrefix(s[last:], "-----")) {
		last++
	}
	if strings.HasPrefix(s[last:], "-----END ") {
		if stop := strings.Index(s[last+9:min(len(s), last+80)], "-----"); stop >= 0 {
			return Match{start, last + 9 + stop + len("-----"), "private key"}, true
		}
	}
	last = body + lastRun(s[body:last], 24)
	return Match{start, last, "private key"}, last > body // else it is mentioned, not shown
}

// pemBody is the set of bytes in a key block: base64, headers, line ends as they are, escaped, or
// between string literals.
var pemBody = classOf(base64Digits + "= \t\r\n\\\"',:")

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

var inBase64 = classOf(base64Digits + "=")

// lastRun returns the end of the last run of at least this many base64 characters, 0 if there is no
// such run.
func lastRun(s string, least int) (end int) {
	n := 0
	for i := range len(s) {
		if n++; !inBase64.has(s[i]) {
			n = 0
		} else if n >= least {
			end = i + 1
		}
	}
	return end
}

// puttyKey finds the private part of a PuTTY key file.
func (sc *scanner) puttyKey(_, end int) (Match, bool) {
	s := sc.text
	from := skipAny(s, end, " 0123456789\r", 8)
	from = skipAny(s, from, "\n", 1)
	to := from
	for to < len(s) {
		line, _, _ := strings.Cut(s[to:min(len(s), to+80)], "\n")
		if text := strings.TrimSuffix(line, "\r"); text == "" ||
			strings.TrimFunc(text, func(r rune) bool {
				return r < 128 && inBase64.has(byte(r))
			}) != "" {
			break
		}
		to = min(to+len(line)+1, len(s))
	}
	to = from + len(strings.TrimRight(s[from:to], "\r\n"))
	return Match{from, to, "private key"}, to-from >= minCut
}

// maxUserInfo limits the text between the scheme and the host of a URL.
const maxUserInfo = 300

// userInfo finds the password of a URL, or a token without a user name.
func (sc *scanner) userInfo(_, end int) (Match, bool) {
	s := sc.text[end:min(len(sc.text), end+maxUserInfo)]
	at := strings.IndexAny(s, "@/?# \t\r\n\"'`<>\\")
	if at <= 0 || s[at] != '@' || at+1 == len(s) ||
		!(isAlnum(s[at+1]) || strings.IndexByte("[$_{%", s[at+1]) >= 0) {
		return Match{}, false
	}
	_, password, found := strings.Cut(s[:at], ":")
	if !found {
		return sc.named(end, end+at, "token"), at >= 20 && looksRandom(s[:at])
	}
	if len(password) < 3 || isTemplate(password) || isPlaceholder(password) {
		return Match{}, false
	}
	return sc.named(end+at-len(password), end+at, "password"), true
}

// bearer finds the token after the word, in a header or elsewhere.
func (sc *scanner) bearer(start, end int) (Match, bool) {
	from := skipAny(sc.text, end, " \t", 4)
	if from == end {
		return Match{}, false
	}
	return sc.token(from, 16, "bearer token")
}

// authorization finds the credential after the name of the header, whatever the scheme.
func (sc *scanner) authorization(_, end int) (Match, bool) {
	s := sc.text
	i := skipAny(s, end, `"'\]`, 3)
	i = skipAny(s, i, " \t", 4)
	if i >= len(s) || strings.IndexByte(":=,", s[i]) < 0 {
		return Match{}, false
	}
	i = skipAny(s, i, ":=>, \t", 6)
	i = skipAny(s, i, "\\\"'`", 2)
	word := i
	for word < len(s) && word-i < 20 && (isAlnum(s[word]) || s[word] == '-') {
		word++
	}
	if word < len(s) && s[word] == ' ' && word > i {
		switch strings.ToLower(s[i:word]) {
		case "bearer", "basic", "token", "bot", "apikey", "api-key", "key":
			return sc.token(skipAny(s, word, " ", 4), 8, strings.ToLower(s[i:word])+" token")
		}
		return Match{}, false
	}
	return sc.token(i, 16, "token")
}

// token finds a token of at least this many characters at from.
func (sc *scanner) token(from, least int, kind string) (Match, bool) {
	to := sc.runOf(from)
	value := sc.text[from:to]
	m := makeupOf(value[:min(len(value), 128)])
	if len(value) < least || isTemplate(value) || isPlaceholder(value) ||
		m.digits == 0 && (m.lower == 0 || m.upper == 0) {
		return Match{}, false
	}
	if least >= 16 && !looksRandom(value) {
		return Match{}, false
	}
	return sc.named(from, to, kind), true
}

// curlUser finds the password of curl's -u and --user.
func (sc *scanner) curlUser(_, end int) (Match, bool) {
	const maxLine = 512
	line, _, _ := strings.Cut(sc.text[end:min(len(sc.text), end+maxLine)], "\n")
	for _, flag := range []string{"-u ", "--user ", "-u", "--user="} {
		i := strings.Index(line, flag)
		if i < 0 || i > 0 && line[i-1] != ' ' {
			continue
		}
		from := end + skipAny(line, i+len(flag), " \\\"'", 3)
		to := sc.runOf(from)
		_, password, ok := strings.Cut(sc.text[from:to], ":")
		if !ok || len(password) < 3 || isTemplate(password) || isPlaceholder(password) {
			return Match{}, false
		}
		return sc.named(to-len(password), to, "password"), true
	}
	return Match{}, false
}

// netrc finds the password of an entry: machine HOST login NAME password VALUE.
func (sc *scanner) netrc(_, end int) (Match, bool) {
	s, i := sc.text, end
	for _, word := range []string{"", "login ", "password "} {
		i = skipAny(s, i, " \t\r\n", 8)
		if !strings.HasPrefix(s[i:], word) {
			return Match{}, false
		}
		i = skipAny(s, i+len(word), " \t", 4)
		if word != "password " {
			i = sc.runOf(i)
		}
	}
	value := s[i:sc.runOf(i)]
	return sc.named(i, i+len(value), "password"), len(value) >= 4 && !isTemplate(value) &&
		!isPlain(value) && !isPlaceholder(value)
}
