package tap

import (
	"bytes"
	"slices"
)

// names are the members that are looked for.
var names = [...]string{"usage", "stop_reason", "usageMetadata", "stopReason", "prompt_eval_count",
	"eval_count"}

// quotedNames are those of them that events have, as they appear in JSON.
var quotedNames = [...][]byte{
	[]byte(`"usage"`), []byte(`"stop_reason"`), []byte(`"usageMetadata"`), []byte(`"stopReason"`),
}

// mentions reports whether an event may state something that is looked for.
func mentions(data []byte) bool {
	for _, name := range quotedNames {
		if bytes.Contains(data, name) {
			return true
		}
	}
	return false
}

// maxMember bounds what is kept of one member.
const maxMember = 16 << 10

// maxName is the length of the longest name that is looked for.
const maxName = len("prompt_eval_count")

// memberScanner finds the members of these names in one JSON object, or in each of several,
// that is pushed to it piece by piece. It buffers one member at a time, for replies of any length.
type memberScanner struct {
	// found is called with {"name":…} for each; it reports whether the search is over.
	found func(data []byte) bool
	// within is the name of a member that may hold the object, "" for none.
	within string

	depth    int
	level    int  // the depth of the members that are looked for
	enters   bool // the value that begins now is that of within
	inString bool
	slashes  int  // backslashes that end the piece of the string before
	isKey    bool // a string at this level that begins now is a member's name
	name     []byte
	naming   bool   // the string being read is a member's name
	value    []byte // an object of that member alone, without its end
	taking   bool
	list     bool // of objects, as Google's streams are without alt=sse, and Ollama's
	finished bool // the object ended, or it is none
}

func (s *memberScanner) feed(b []byte) {
	for len(b) > 0 && !s.finished {
		if s.inString {
			b = s.str(b)
			continue
		}
		if s.depth > 0 && !s.taking {
			if b = b[insignificant(b):]; len(b) == 0 {
				return
			}
		}
		c := b[0]
		if s.depth == 0 && c != '{' {
			// Only white space may precede the object, or be around those of a list.
			s.finished = c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '[' &&
				(!s.list || c != ',')
			s.list = s.list || c == '['
			b = b[1:]
			continue
		}
		s.mark(c)
		b = b[1:]
	}
}

// insignificant returns how many bytes at the beginning of b, outside of strings, have no
// structural meaning: white space, numbers and words.
func insignificant(b []byte) int {
	for i, c := range b {
		switch c {
		case '"', '{', '}', '[', ']', ',', ':':
			return i
		}
	}
	return len(b)
}

// mark reads one byte outside of strings.
func (s *memberScanner) mark(c byte) {
	if s.depth == s.level && s.taking && (c == ',' || c == '}') {
		s.endValue()
	}
	if s.taking {
		s.keep([]byte{c})
	}
	switch c {
	case '"':
		s.inString, s.slashes = true, 0
		s.naming = s.depth == s.level && s.isKey
		s.name = s.name[:0]
	case '{', '[':
		if s.depth++; s.enters && c == '{' {
			s.level = s.depth
		}
		s.isKey = s.depth == s.level
	case '}', ']':
		s.depth--
		s.level = max(min(s.level, s.depth), 1)
		s.finished = s.finished || s.depth == 0 && !s.list
	case ',':
		s.isKey = s.depth == s.level
	case ':':
		if s.depth == s.level && s.isKey {
			s.named(string(s.name))
			return
		}
	}
	s.enters = false
}

// named takes the name of a member whose value begins.
func (s *memberScanner) named(name string) {
	s.isKey = false
	s.enters = s.within != "" && s.depth == 1 && name == s.within
	if s.taking = slices.Contains(names[:], name); s.taking {
		s.value = append(append(make([]byte, 0, 512), `{"`...), name...)
		s.value = append(s.value, `":`...)
	}
}

// str reads the rest of a string and returns what follows it.
func (s *memberScanner) str(b []byte) []byte {
	n := bytes.IndexByte(b, '"')
	if n < 0 {
		s.inside(b)
		s.slashes = trailingSlashes(b, s.slashes)
		return nil
	}
	s.inside(b[:n])
	if trailingSlashes(b[:n], s.slashes)%2 == 0 {
		s.inString = false
	} else {
		s.inside(b[n : n+1]) // an escaped quote
	}
	s.slashes = 0
	if s.taking && !s.inString {
		s.keep(b[n : n+1])
	}
	return b[n+1:]
}

// inside takes a piece of a string.
func (s *memberScanner) inside(b []byte) {
	if s.taking {
		s.keep(b)
	}
	if s.naming && len(s.name) <= maxName {
		s.name = append(s.name, b[:min(len(b), maxName+1)]...)
	}
}

func (s *memberScanner) keep(b []byte) {
	if len(s.value)+len(b) > maxMember {
		s.taking = false
		return
	}
	s.value = append(s.value, b...)
}

func (s *memberScanner) endValue() {
	s.taking = false
	last := s.found(append(s.value, '}'))
	s.finished = s.finished || last && !s.list
}

// trailingSlashes counts the backslashes at the end of b. before is how many directly precede b.
func trailingSlashes(b []byte, before int) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	if n == len(b) {
		n += before
	}
	return n
}
