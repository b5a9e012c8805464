package probe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// foreignScript reports whether a text has letters of a script that the turns do not use, beside
// another letter: text in a language of its own, or letters that look like those of another script.
// A single letter is a symbol, such as that of a unit, and names in Latin letters occur everywhere.
func (x *Index) foreignScript(text string) bool {
	before, last := false, (*unicode.RangeTable)(nil)
	for i, r := range text {
		letter := unicode.IsLetter(r)
		if letter && r >= utf8.RuneSelf && !unicode.Is(unicode.Latin, r) {
			if last == nil || !unicode.Is(last, r) {
				last = scriptOf(r)
			}
			after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			if (before || unicode.IsLetter(after)) && last != nil && !x.uses(last) {
				return true
			}
		}
		before = letter
	}
	return false
}

// uses reports whether the turns have letters of a script.
func (x *Index) uses(script *unicode.RangeTable) bool {
	found, known := x.scripts[script]
	if known {
		return found
	}
	of := func(r rune) bool {
		return r >= utf8.RuneSelf && unicode.Is(script, r) && unicode.IsLetter(r)
	}
	for _, text := range x.texts {
		if found = strings.ContainsFunc(text, of); found {
			break
		}
	}
	x.scripts[script] = found
	return found
}

// scriptOf returns the script of a letter, nil if Unicode names none.
func scriptOf(r rune) *unicode.RangeTable {
	for _, script := range unicode.Scripts {
		if unicode.Is(script, r) {
			return script
		}
	}
	return nil
}
