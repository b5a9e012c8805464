package rawjson

// maxDepth limits how deep JSON may nest; encoding/json has the same limit. The scanner keeps one
// bit per level and never recurses, so that a body of opening brackets cannot exhaust the stack.
const maxDepth = 10000

// Space returns the offset of the first byte at or after i that is not JSON
// white space.
func Space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// Skip returns the offset just past the JSON value that starts at i. It accepts exactly what
// encoding/json.Valid accepts; a fuzz test compares the two.
func Skip(b []byte, i int) (int, error) {
	if i >= len(b) {
		return i, ErrSyntax
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipContainer(b, i)
	default:
		return skipScalar(b, i)
	}
}

// nesting is the stack of open containers: one bit per level, set for an object.
type nesting struct {
	bits  [maxDepth/64 + 1]uint64
	depth int
}

func (n *nesting) push(object bool) bool {
	if n.depth == maxDepth {
		return false
	}
	word, bit := n.depth/64, uint64(1)<<(n.depth%64)
	if object {
		n.bits[word] |= bit
	} else {
		n.bits[word] &^= bit
	}
	n.depth++
	return true
}

func (n *nesting) inObject() bool {
	top := n.depth - 1
	return n.bits[top/64]&(1<<(top%64)) != 0
}

func skipContainer(b []byte, i int) (int, error) {
	var open nesting
	for {
		// b[i] starts a value.
		if i >= len(b) {
			return i, ErrSyntax
		}
		var err error
		switch c := b[i]; c {
		case '{', '[':
			if !open.push(c == '{') {
				return i, ErrTooDeep
			}
			if i = Space(b, i+1); i >= len(b) {
				return i, ErrSyntax
			}
			if b[i] != c+2 { // '{'+2 is '}', '['+2 is ']'
				if c == '{' {
					if i, err = skipKey(b, i); err != nil {
						return i, err
					}
				}
				continue
			}
			i++
			open.depth--
		case '"':
			i, err = skipString(b, i)
		default:
			i, err = skipScalar(b, i)
		}
		if err != nil {
			return i, err
		}
		// A value has ended: close containers, then advance to the next value.
		for {
			if open.depth == 0 {
				return i, nil
			}
			if i = Space(b, i); i >= len(b) {
				return i, ErrSyntax
			}
			object := open.inObject()
			if b[i] == ',' {
				i = Space(b, i+1)
				if object {
					if i, err = skipKey(b, i); err != nil {
						return i, err
					}
				}
				break
			}
			if object && b[i] != '}' || !object && b[i] != ']' {
				return i, ErrSyntax
			}
			i++
			open.depth--
		}
	}
}

// skipKey advances past a member's key, the colon and the space around them to the first byte of
// the member's value.
func skipKey(b []byte, i int) (int, error) {
	if i >= len(b) || b[i] != '"' {
		return i, ErrSyntax
	}
	i, err := skipString(b, i)
	if err != nil {
		return i, err
	}
	if i = Space(b, i); i >= len(b) || b[i] != ':' {
		return i, ErrSyntax
	}
	return Space(b, i+1), nil
}

func skipScalar(b []byte, i int) (int, error) {
	switch b[i] {
	case 't':
		return skipWord(b, i, "true")
	case 'f':
		return skipWord(b, i, "false")
	case 'n':
		return skipWord(b, i, "null")
	}
	return skipNumber(b, i)
}

func skipWord(b []byte, i int, word string) (int, error) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return i, ErrSyntax
	}
	return i + len(word), nil
}

func skipNumber(b []byte, i int) (int, error) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	start := i
	i = skipDigits(b, i)
	if i == start || b[start] == '0' && i > start+1 {
		return i, ErrSyntax
	}
	if i < len(b) && b[i] == '.' {
		start = i + 1
		if i = skipDigits(b, start); i == start {
			return i, ErrSyntax
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start = i
		if i = skipDigits(b, start); i == start {
			return i, ErrSyntax
		}
	}
	return i, nil
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}
