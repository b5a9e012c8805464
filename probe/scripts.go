package probe

import (
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
	if x.scripts == nil {
		x.scripts = map[*unicode.RangeTable]bool{}
		for _, text := range x.texts {
			addScripts(text, x.scripts)
		}
	}
	return x.scripts[script]
}

// addScripts adds the scripts of the letters of a text beyond ASCII.
func addScripts(text string, found map[*unicode.RangeTable]bool) {
	last := unicode.Latin
	for _, r := range text {
		if r < utf8.RuneSelf || unicode.Is(last, r) || !unicode.IsLetter(r) {
			continue
		}
		if script := scriptOf(r); script != nil {
			last = script
			found[script] = true
		}
	}
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
