package settings

import "killick/reference"

// Redaction takes credentials out of what is written here; nil takes nothing.
type Redaction func(text string) string

// Of returns the text without credentials.
func (r Redaction) Of(text string) string {
	if r == nil {
		return text
	}
	return r(text)
}

// NamesIn returns a function that lists the n references of a part of text most worth
// keeping: none that is a credential where it stands, in the part or in the whole.
func (r Redaction) NamesIn(text string) func(part string, n int) []string {
	if r == nil {
		return func(part string, n int) []string { return reference.Top(part, n, nil) }
	}
	allowed := refsOf(r(text))
	return func(part string, n int) []string {
		here := refsOf(r(part))
		skip := func(word string) bool { return !allowed[word] || !here[word] }
		return reference.Top(part, n, skip)
	}
}

// refsOf are the references in a text.
func refsOf(text string) map[string]bool {
	refs := map[string]bool{}
	reference.Each(text, func(word string, _ reference.Kind) { refs[word] = true })
	return refs
}
