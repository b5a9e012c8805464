package probe

import (
	"strconv"
	"strings"

	"killick/chat"
)

// vocabulary tells whether names and values stand in the replaced messages. It is asked the other way round: what a record
// names is gathered first, then the messages are read once for it, byte by byte, so that a megabyte costs a few
// milliseconds and next to no memory.
//
// A text is read as atoms, its runs of letters, digits and underscores, in lower case. A name is known if all its atoms are
// and every two that stand together in it stand together in the messages too.
type vocabulary struct {
	wanted map[uint64]bool // hashes asked for, and whether they were seen
	filter [1 << 10]uint64 // bits of the wanted ones: most of what is read ends here

	numbers map[uint64][]*evidence // of short numbers, by hash
	looks   int                    // how often it was looked for
}

// Classes of bytes to the reader of atoms; letters, digits and the underscore stand for themselves, in lower case.
const (
	apart  = 0 // ends a name
	joiner = 1 // stands inside a name
)

var byteClass [256]byte

func init() {
	for c := range 256 {
		switch {
		case c >= 0x80, isDigit(byte(c)), 'a' <= c && c <= 'z', c == '_':
			byteClass[c] = byte(c)
		case 'A' <= c && c <= 'Z':
			byteClass[c] = byte(c) + 'a' - 'A'
		case strings.IndexByte(`/.-:@#~+=&%?\`, byte(c)) >= 0:
			byteClass[c] = joiner
		}
	}
}

// FNV-1a, 64 bit, with a last mixing since single bits are used.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
	hashJoin  = 0x9e3779b97f4a7c15
)

func pairHash(a, b uint64) uint64 { return (a*3 ^ b) * hashJoin }

// startHash is that of an atom at the beginning of a name.
func startHash(a uint64) uint64 { return (a ^ 0x5bd1e995) * hashJoin }

// shortHash is how many digits of a commit's hash people keep.
const shortHash = 7

// atoms reads text and calls seen for every hash in it, and where it stands: of atoms, of two together, of one at a name's
// beginning. With escaped set the text is JSON as it stands in a request, once or twice encoded.
func atoms[T string | []byte](text T, escaped bool, seen func(h uint64, from, to int)) {
	var last uint64 // the atom before, if joined to what comes
	for i := 0; i < len(text); {
		c := byteClass[text[i]]
		if c <= joiner {
			skip, joins := 1, c == joiner
			switch {
			case escaped && text[i] == '\\':
				skip, joins = escape(text, i)
			case text[i] == ',' && last != 0 && i+1 < len(text) && isDigit(text[i-1]) && isDigit(text[i+1]):
				joins = true // 1,000
			}
			if !joins {
				last = 0
			}
			i += skip
			continue
		}
		start := i
		h := uint64(hashStart)
		var lead uint64 // the number that it begins with: 10 of 10ms
		leadEnd := start
		hex := true
		for i < len(text) {
			c = byteClass[text[i]]
			if c <= joiner {
				break
			}
			if n := i - start; n > 0 && lead == 0 && !isDigit(c) && isDigit(text[i-1]) && isDigit(text[start]) {
				lead, leadEnd = h, i
			}
			if i-start == shortHash && hex {
				seen(h, start, i)
			}
			hex = hex && (isDigit(c) || 'a' <= c && c <= 'f')
			h = (h ^ uint64(c)) * hashPrime
			i++
		}
		seen(h, start, i)
		if last != 0 {
			seen(pairHash(last, h), start, i)
		} else {
			seen(startHash(h), start, i)
		}
		if lead != 0 {
			seen(lead, start, leadEnd)
			if last != 0 {
				seen(pairHash(last, lead), start, leadEnd)
			}
		}
		last = h
	}
}

// escape reads the backslashes at i, and what they stand before, as JSON does: a line's end or quotation mark parts names,
// a backslash alone may be a folder's.
func escape[T string | []byte](text T, i int) (skip int, joins bool) {
	n := 1
	for i+n < len(text) && text[i+n] == '\\' && n < 8 {
		n++
	}
	if i+n >= len(text) {
		return n, false
	}
	switch text[i+n] {
	case 'n', 'r', 't':
		return n + 1, false
	case 'u':
		return min(n+5, len(text)-i), false
	case '"', '/':
		return n, text[i+n] == '/'
	}
	return n, true
}

// want notes a hash to look for.
func (v *vocabulary) want(h uint64) uint64 {
	if v.wanted == nil {
		v.wanted = map[uint64]bool{}
	}
	if _, known := v.wanted[h]; !known {
		v.wanted[h] = false
		v.filter[h>>54] |= 1 << (h >> 48 & 63)
	}
	return h
}

// read looks for what is wanted in msgs.
func (v *vocabulary) read(msgs []chat.Message) {
	for i := range msgs {
		m := &msgs[i]
		v.readText(m.Raw, m.Role() == chat.User && len(m.Raw) <= maxWords)
		if m.Role() == chat.Assistant && v.numbers != nil {
			v.readText([]byte(m.Text()), true)
		}
	}
}

// readText looks for what is wanted in text, which is JSON. own is set where it is what a person said.
func (v *vocabulary) readText(text []byte, own bool) {
	atoms(text, true, func(h uint64, from, to int) {
		if v.filter[h>>54]&(1<<(h>>48&63)) == 0 {
			return
		}
		found, wanted := v.wanted[h]
		if wanted && !found {
			v.wanted[h] = true
		}
		if wanted && v.numbers != nil {
			v.sight(h, text, from, to, own)
		}
	})
}

// spelled is a name to look for, in one of its spellings.
type spelled struct {
	atoms, pairs []uint64
	base         int // index of the pair that joins a path's folders to its file, -1 if there is none

	evidence *evidence // of a short number: what must stand beside it
}

// spell takes a name apart and notes what must be seen of it.
func (v *vocabulary) spell(name string) spelled {
	s := spelled{base: -1}
	var last uint64
	at := 0
	folder := strings.LastIndexAny(name, `/\`)
	for at < len(name) {
		end := at
		for end < len(name) && byteClass[name[end]] > joiner {
			end++
		}
		if end > at {
			h := uint64(hashStart)
			for _, c := range []byte(name[at:end]) {
				h = (h ^ uint64(byteClass[c])) * hashPrime
			}
			s.atoms = append(s.atoms, v.want(h))
			v.want(startHash(h))
			if last != 0 {
				if at == folder+1 {
					s.base = len(s.pairs)
				}
				s.pairs = append(s.pairs, v.want(pairHash(last, h)))
			}
			last = h
		}
		at = max(end, at+1)
	}
	return s
}

// knows reports whether a name was seen. The folders of a path and its file may have been seen apart, as after "cd src".
func (v *vocabulary) knows(s spelled) bool {
	if s.evidence != nil {
		return s.evidence.found
	}
	for _, a := range s.atoms {
		if !v.wanted[a] {
			return false
		}
	}
	for i, p := range s.pairs {
		if !v.wanted[p] && (i != s.base || !v.wanted[startHash(s.atoms[i+1])]) {
			return false
		}
	}
	return true
}

// touches reports whether a path that is not known shares two parts that stand together with one that is: its folder, or
// its file.
func (v *vocabulary) touches(s spelled) bool {
	for _, p := range s.pairs {
		if v.wanted[p] {
			return true
		}
	}
	return false
}

// maxDigits bounds the digits of a value whose misspellings are looked for.
const maxDigits = 12

// misspellings are a value with one of its digits changed, the last ones first. like is what they need as evidence, if
// they are short numbers.
func (v *vocabulary) misspellings(text string, like *evidence) (out []spelled) {
	least := 3 // any short number is near another
	text = strings.Trim(text, "#$€£%")
	if i := strings.Index(text, "://"); i >= 0 {
		text, least = strings.TrimPrefix(text[i+3:], "www."), 1
	}
	changed := []byte(text)
	digits := 0
	for i := len(changed) - 1; i >= 0 && digits < maxDigits; i-- {
		was := changed[i]
		if !isDigit(was) {
			continue
		}
		digits++
		for c := byte('0'); c <= '9'; c++ {
			if c != was {
				changed[i] = c
				out = append(out, v.spell(string(changed)))
				if like != nil {
					v.prove(&out[len(out)-1], string(changed), &evidence{dim: like.dim, words: like.words})
				}
			}
		}
		changed[i] = was
	}
	if digits < least {
		return nil
	}
	return out
}

// spellings are the ways to write a quantity: with and without its thousands set apart, in other units.
func spellings(q quantity) (out []string) {
	add := func(v float64) {
		if v < 1e-3 || v > 1e15 {
			return
		}
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if len(s) > 15 {
			return
		}
		out = append(out, s)
		whole, _, _ := strings.Cut(s, ".")
		if n := len(whole); n > 3 && len(whole) == len(s) {
			if strings.HasSuffix(whole, "000") {
				out = append(out, whole[:n-3]+"k")
			}
			grouped := whole[n-3:]
			for n -= 3; n > 0; n -= 3 {
				grouped = whole[max(0, n-3):n] + "." + grouped // any joiner will do
			}
			out = append(out, grouped)
		}
	}
	add(q.value)
	if q.unit.dim == "" {
		return out
	}
	seen := map[float64]bool{q.unit.factor: true}
	for _, u := range units {
		if u.dim == q.unit.dim && !seen[u.factor] {
			seen[u.factor] = true
			add(q.value * q.unit.factor / u.factor)
		}
	}
	return out
}
