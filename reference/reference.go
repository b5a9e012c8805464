// Package reference finds the names in a text that a later turn may need to write exactly: URLs,
// paths and file names, symbols, ids and hashes, long numbers. It never decides which of them are
// kept, and imports only the standard library.
package reference

import "strings"

// Found is a reference that was found in a text.
type Found struct {
	Word string
	Kind Kind
}

// Each calls yield with every occurrence of a reference in text, in one pass. Durations, sizes and
// times of day are not references.
func Each(text string, yield func(word string, kind Kind)) {
	for i := 0; i < len(text); {
		if classOf[text[i]] == 0 && !beginsLetter[text[i]] {
			if i++; text[i-1] == escape {
				n, _ := Escape(text[i-1:])
				i += max(0, n-1)
			}
			continue
		}
		from, in := i, classes(0)
		for i < len(text) {
			if c := classOf[text[i]]; c != 0 {
				in |= c
				i++
				continue
			}
			if !beginsLetter[text[i]] {
				break
			}
			c, size := letterAt(text, i)
			if c == 0 {
				break
			}
			in |= c
			i += size
		}
		if i == from {
			i++
			continue
		}
		if in&colon != 0 && i < len(text) && text[i] == '\\' {
			if start, end, ok := drivePath(text, from, i); ok {
				i = end
				drive(text, start, end, yield)
				continue
			}
		}
		if in == lower || in == upper {
			continue // a plain word, as most are
		}
		inRun(text, from, i, in, yield)
	}
}

// inRun calls yield with the references in a run of bytes that references are made of,
// text[start:to]. in has the classes of these bytes.
func inRun(text string, start, to int, in classes, yield func(word string, kind Kind)) {
	if start > 0 && (text[start-1] == '\\' || text[start-1] == '<' && text[start] == '/') {
		return // it is part of an escape sequence or an end tag
	}
	if isPart(text, start, to) || in == digit && isPartOfNumber(text, start, to) {
		return
	}
	if in&slash != 0 {
		start += diffSide(text, start)
	}
	if start > 0 && (text[start-1] == '[' || text[start-1] == ';') {
		start += color(text[start:to])
	}
	if to-start < 3 || to-start > maxLen+8 || in&joint != 0 && isElement(text, start, to) {
		return
	}
	if in&colon != 0 {
		if before := assigned(text[start:to]); before > 0 {
			parts(text[start:start+before], yield)
			start += before
		}
		if before := found(text[start:to]); before > 0 {
			parts(text[start:start+before], yield)
			if start += before; to-start < 3 {
				return
			}
		}
	}
	whole := text[start:to]
	if len(whole) > 5 && (whole[1] == '-' || beginsLetter[whole[0]]) && isClass(whole) {
		return
	}
	if in&joint != 0 && !strings.Contains(whole, "://") {
		parts(whole, yield)
		return
	}
	word := whole
	if in&colon != 0 {
		word = withoutLine(word)
	}
	if word = trim(word); word == "" {
		return
	}
	var kind Kind
	if in&(slash|digit) == 0 {
		kind = classifyPlain(word, in)
	} else {
		kind = classify(word, count(word))
	}
	if kind != None {
		yield(word, kind)
	}
}
