package settings

import (
	"sync"

	"killick/reference"
)

// Redaction removes credentials from text that is written here; nil removes nothing.
type Redaction func(text string) string

// Of returns the text without credentials.
func (r Redaction) Of(text string) string {
	if r == nil {
		return text
	}
	return r(text)
}

// Once returns a redaction that reads a long text once, however often it is asked for it: previews,
// placeholders and records all read the same outputs. It may be used concurrently.
func (r Redaction) Once() Redaction {
	if r == nil {
		return nil
	}
	const long = 1 << 10 // bytes; shorter texts are many, and differ
	var mu sync.Mutex
	known := map[string]string{}
	return func(text string) string {
		if len(text) < long {
			return r(text)
		}
		mu.Lock()
		defer mu.Unlock()
		clean, ok := known[text]
		if !ok {
			clean = r(text)
			known[text] = clean
		}
		return clean
	}
}

// NamesIn returns a function that lists the most useful references of a part of text that fit into
// room bytes, except those for which skip is true. refs are those of the part. References that are
// credentials in their context, in the part or in the whole text, are left out. Parts consist of
// whole lines.
func (r Redaction) NamesIn(text string) func(
	part string, refs reference.Finder, room int, skip func(word string) bool,
) []string {
	if r == nil {
		return func(
			part string, refs reference.Finder, room int, skip func(word string) bool,
		) []string {
			return reference.Fitting(refs, len(part), room, skip)
		}
	}
	clean := r(text)
	var allowed map[string]bool // nil if nothing was removed: then all are allowed
	if clean != text {
		allowed = refsOf(clean)
	}
	return func(
		part string, refs reference.Finder, room int, skip func(word string) bool,
	) []string {
		shown := r(part)
		if allowed == nil && shown == part {
			return reference.Fitting(refs, len(part), room, skip)
		}
		here := refsOf(shown)
		return reference.Fitting(refs, len(part), room, func(word string) bool {
			return skip(word) || allowed != nil && !allowed[word] || !here[word]
		})
	}
}

// refsOf returns the references in a text.
func refsOf(text string) map[string]bool {
	refs := map[string]bool{}
	reference.Each(text, func(word string, _ reference.Kind) { refs[word] = true })
	return refs
}
