package compactor

import "killick/chat"

// redaction takes credentials out of what is written here; nil takes nothing.
type redaction func(text string) string

func (r redaction) of(text string) string {
	if r == nil {
		return text
	}
	return r(text)
}

// ofEscaped is of for the inside of a JSON string, which stays byte for byte
// what it is where nothing is taken out.
func (r redaction) ofEscaped(body []byte) []byte {
	if r == nil || len(body) == 0 {
		return body
	}
	text := unescaped(body)
	if clean := r(text); clean != text {
		return chat.AppendEscaped(nil, clean)
	}
	return body
}

// rules takes credentials out of standing rules, each of them once.
func (r redaction) rules(rules []string) []string {
	if r == nil {
		return rules
	}
	var clean []string
	for _, rule := range rules {
		clean = appendNew(clean, r(rule))
	}
	return clean
}

// namesIn returns what lists the n references of a part of text most worth
// keeping: none that is a credential where it stands, in the part or in the whole.
func (r redaction) namesIn(text string) func(part string, n int) []string {
	if r == nil {
		return func(part string, n int) []string { return topRefs(part, n, nil) }
	}
	told := refsOf(r(text))
	return func(part string, n int) []string {
		here := refsOf(r(part))
		return topRefs(part, n, func(word string) bool { return !told[word] || !here[word] })
	}
}

func refsOf(text string) map[string]bool {
	refs := map[string]bool{}
	eachRef(text, func(word string, _ refKind) { refs[word] = true })
	return refs
}
