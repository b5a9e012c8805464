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

// NamesIn returns a function that lists the references of a part of text most worth keeping in room
// bytes, those left out for which skip is true: none that is a credential where it stands, in the
// part or in the whole. Parts consist of whole lines.
func (r Redaction) NamesIn(
	text string,
) func(part string, room int, skip func(word string) bool) []string {
	if r == nil {
		return reference.Fitting
	}
	clean := r(text)
	var allowed map[string]bool // nil where nothing was taken out: then all are
	if clean != text {
		allowed = refsOf(clean)
	}
	return func(part string, room int, skip func(word string) bool) []string {
		shown := r(part)
		if allowed == nil && shown == part {
			return reference.Fitting(part, room, skip)
		}
		here := refsOf(shown)
		return reference.Fitting(part, room, func(word string) bool {
			return skip(word) || allowed != nil && !allowed[word] || !here[word]
		})
	}
}

// refsOf are the references in a text.
func refsOf(text string) map[string]bool {
	refs := map[string]bool{}
	reference.Each(text, func(word string, _ reference.Kind) { refs[word] = true })
	return refs
}
