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
// keeping: none that is a credential where it stands, in the part or in the whole. Parts consist of
// whole lines.
func (r Redaction) NamesIn(text string) func(part string, n int) []string {
	if r == nil {
		return func(part string, n int) []string { return reference.Top(part, n, nil) }
	}
	clean := r(text)
	var allowed map[string]bool // nil where nothing was taken out: then all are
	if clean != text {
		allowed = refsOf(clean)
	}
	return func(part string, n int) []string {
		if n <= 0 {
			return nil
		}
		shown := r(part)
		if allowed == nil && shown == part {
			return reference.Top(part, n, nil)
		}
		here := refsOf(shown)
		return reference.Top(part, n, func(word string) bool {
			return allowed != nil && !allowed[word] || !here[word]
		})
	}
}

// refsOf are the references in a text.
func refsOf(text string) map[string]bool {
	refs := map[string]bool{}
	reference.Each(text, func(word string, _ reference.Kind) { refs[word] = true })
	return refs
}
