package tokenizer

import "bytes"

// kind is a kind of text, recognised by its structure. For each kind, other tokenizers differ from
// ours by another factor.
type kind uint8

const (
	prose  kind = iota // words and little else, in Latin letters
	code               // words with punctuation and indentation
	data               // JSON, logs, numbers, hashes: mostly digits and punctuation
	script             // letters of other scripts: Chinese, Japanese, Korean, Cyrillic, Arabic, …
	kinds  = iota
)

const (
	// windowBytes is how much of a body is inspected in one place.
	windowBytes = 128
	// maxWindows bounds the places.
	maxWindows = 64
)

// bytesPerToken is the approximate number of bytes of a JSON body for one of our tokens.
var bytesPerToken = [kinds]float64{prose: 4.6, code: 3.6, data: 2.6, script: 3.6}

// shares returns the share of each kind in the tokens of a body, in our count. It inspects places
// whose distance is a power of two. So while a conversation grows, the same places of it are
// inspected, and only what is new changes the shares.
func shares(body []byte) (of [kinds]float64) {
	step := windowBytes
	for len(body)/step > maxWindows {
		step *= 2
	}
	var sum float64
	for at := 0; at < len(body); at += step {
		window := body[at:min(at+windowBytes, len(body))]
		k, ok := kindOf(window)
		if !ok {
			continue
		}
		tokens := float64(len(window)) / bytesPerToken[k]
		of[k] += tokens
		sum += tokens
	}
	if sum == 0 {
		of[prose], sum = 1, 1
	}
	for k := range of {
		of[k] /= sum
	}
	return of
}

// kindOf returns the kind of a part of a JSON text. ok is false if it is almost only letters and
// digits, like the data of an image.
func kindOf(window []byte) (k kind, ok bool) {
	var sum uint64
	for _, c := range window {
		sum += weights[c]
	}
	of := func(c class) int { return int(sum >> (8 * c) & 0xFF) }
	n, wide, marks, spaces := len(window), 0, of(mark), of(space)
	if leads := of(wideLead) + of(latinLead); leads > 0 {
		wide = of(wideLead) + of(following)*of(wideLead)/leads
	}
	if spaces > 0 {
		marks += bytes.Count(window, indent)
	}
	if of(backslash) > 0 {
		e := escapesOf(window)
		wide, marks, spaces = wide+e.codePoints*6, marks+e.marks, spaces+e.breaks
	}
	switch {
	case wide*4 > n:
		return script, true
	case spaces == 0 && marks*16 < n:
		return data, false
	case (of(digit)*2+marks)*100 > 45*n:
		return data, true
	case marks*100 > 9*n:
		return code, true
	}
	return prose, true
}

var indent = []byte("  ")

// class is what a byte of a JSON text is; letters are none.
type class uint8

const (
	digit class = iota
	mark
	space
	backslash
	latinLead // of a Latin letter with an accent
	wideLead  // of a character of another script
	following
)

// weights has a one in the byte that counts the class of a byte: windowBytes is less than what a
// byte can count.
var weights = func() (of [256]uint64) {
	for c := range of {
		var class class
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			continue
		case c >= '0' && c <= '9':
			class = digit
		case c <= ' ':
			class = space
		case c == '\\':
			class = backslash
		case c < 0x80:
			class = mark
		case c < 0xC0:
			class = following
		case c < 0xCD:
			class = latinLead
		default:
			class = wideLead
		}
		of[c] = 1 << (8 * class)
	}
	return of
}()

// escapes are how many escapes of each sort a text has.
type escapes struct{ breaks, marks, codePoints int }

func escapesOf(text []byte) (e escapes) {
	for at := 0; ; at += 2 {
		next := bytes.IndexByte(text[at:], '\\')
		if next < 0 || at+next+1 >= len(text) {
			return e
		}
		if next == 0 && at > 0 {
			e.marks++ // an empty line, or indentation
		}
		at += next
		switch text[at+1] {
		case 'n', 't', 'r':
			e.breaks++
		case 'u':
			e.codePoints++
		case '"':
			// counted as any other quote
		default:
			e.marks++
		}
	}
}
