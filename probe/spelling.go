package probe

import "strings"

// spelling is what is known of a chunk by its letters alone. Texts repeat their words, so each is worked out once.
type spelling struct {
	text   string  // folded
	stem   string  // of a word
	tokens []token // without places

	negates, denies     bool // negators, lexicalNegators
	cancels             bool // turns the negator before it around: "not only"
	breaks, restarts    bool // breakers, restarters
	restricts, excepts  bool
	weakens             bool
	without, sets, ends bool // begins a long contrast, a short one, ends one
	helps               bool // auxiliaries
	stops               bool // stopWords
}

// maxSpellings bounds how many are kept for one text.
const maxSpellings = 1 << 16

// spell returns what is known of a chunk.
func (b *builder) spell(chunk string) *spelling {
	if s, ok := b.spellings[chunk]; ok {
		return s
	}
	plain := withoutElision(chunk)
	w := fold(strings.TrimLeft(plain, "'@&:"))
	s := &spelling{text: w, tokens: classify(nil, plain)}
	if len(w) < 24 {
		s.stem = stem(w)
		s.negates, s.denies, s.cancels = negators.has(w), lexicalNegators.has(w), notCancelled.has(w)
		s.breaks, s.restarts = breakers.has(w), restarters.has(w)
		s.restricts, s.excepts, s.weakens = restrictive.has(w), exceptive.has(w), weakening.has(w)
		s.without, s.sets, s.ends = withoutWords.has(w), setAside.has(w), contrastEnds.has(w)
		s.helps, s.stops = auxiliaries.has(w), stopWords.has(w)
	}
	if len(b.spellings) < maxSpellings {
		b.spellings[strings.Clone(chunk)] = s
	}
	return s
}

// withoutElision cuts a Romance article or pronoun from the word that it leans on: "d'utiliser", "l'export".
func withoutElision(chunk string) string {
	i := strings.IndexAny(chunk, "'’")
	if i < 1 || i > 2 {
		return chunk
	}
	switch strings.ToLower(chunk[:i]) {
	case "d", "l", "n", "qu", "j", "s", "c", "m", "t":
		if rest := strings.TrimPrefix(strings.TrimPrefix(chunk[i:], "'"), "’"); len(rest) > 2 {
			return rest
		}
	}
	return chunk
}
