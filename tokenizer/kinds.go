package tokenizer

// kind is a kind of text, by its structure alone: tokenizers of other makers differ from ours by
// more or less for each.
type kind uint8

const (
	prose  kind = iota // words and little else, in Latin letters
	code               // words with punctuation and indentation
	data               // JSON, logs, numbers, hashes: mostly digits and punctuation
	script             // letters of other scripts: Chinese, Japanese, Korean, Cyrillic, Arabic, …
	kinds  = iota
)

const (
	// windowBytes is how much of a body is looked at in one place.
	windowBytes = 128
	// mostWindows bounds the places.
	mostWindows = 128
)

// bytesPerToken is about how many bytes of a body, as it is spelled in JSON, one token of ours
// stands for.
var bytesPerToken = [kinds]float64{prose: 4.6, code: 3.6, data: 2.6, script: 3.6}

// shares returns which share of the tokens of a body, in ours, is of which kind. It looks at places
// whose distance is a power of two, so that they stay the same while a conversation grows, and so
// do the shares but for what is new.
func shares(body []byte) (of [kinds]float64) {
	step := windowBytes
	for len(body)/step > mostWindows {
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

// kindOf returns the kind of a part of a JSON text. It is not ok where there is hardly anything but
// letters and digits, as within the data of an image.
func kindOf(window []byte) (k kind, ok bool) {
	var digits, marks, spaces, wide int
	other := false // within a character of another script
	for i := 0; i < len(window); i++ {
		switch c := window[i]; classes[c] {
		case digit:
			digits++
		case mark:
			marks++
		case space:
			spaces++
			if i+1 < len(window) && window[i+1] == ' ' {
				marks++ // indentation
			}
		case wideLead:
			wide++
			other = true
		case latinLead:
			other = false
		case following:
			if other {
				wide++
			}
		case escape:
			if i++; i == len(window) {
				break
			}
			switch window[i] {
			case 'u':
				wide += 3
				i += 4
			case 'n', 't', 'r':
				spaces++
				if i+1 < len(window) && window[i+1] == '\\' {
					marks++ // an empty line, or indentation
				}
			default:
				marks++
			}
		}
	}
	n := len(window)
	switch {
	case wide*4 > n:
		return script, true
	case spaces == 0 && marks*16 < n:
		return data, false
	case (digits*2+marks)*100 > 45*n:
		return data, true
	case marks*100 > 9*n:
		return code, true
	}
	return prose, true
}

// class is what a byte of a JSON text is.
type class uint8

const (
	letter class = iota
	digit
	mark
	space
	escape
	latinLead // of a Latin letter with an accent
	wideLead  // of a character of another script
	following
)

var classes = func() (of [256]class) {
	for c := range of {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			of[c] = letter
		case c >= '0' && c <= '9':
			of[c] = digit
		case c <= ' ':
			of[c] = space
		case c == '\\':
			of[c] = escape
		case c < 0x80:
			of[c] = mark
		case c < 0xC0:
			of[c] = following
		case c < 0xCD:
			of[c] = latinLead
		default:
			of[c] = wideLead
		}
	}
	return of
}()
