package replay

import (
	"strings"

	"killick/transcript"
	"killick/view"
)

// A name is useful to an agent only if the agent can see what it belongs to. So a reference in a
// forwarded request is located only if it is
//
//   - in a message of the conversation, or in any message with calls or a result;
//   - in a line that begins with a call of the conversation, or with a file of it and a colon; or
//   - beside the same words as in the history.
//
// A name in a list of names is not located.

func newPlaces(messages []view.Message, read *transcript.Transcript) *places {
	p := &places{known: map[string]bool{}, tools: map[string]bool{}, files: map[string]bool{}}
	var text strings.Builder
	for i := range messages {
		text.WriteString(collapsed(unescaped(string(textOf(&messages[i])))))
		text.WriteByte('\n')
	}
	p.history = text.String()
	for i := range read.Calls {
		p.tools[read.Calls[i].Name], p.tools[read.Calls[i].Made().Name] = true, true
		delete(p.tools, "") // of a call without a name
		for _, path := range read.Calls[i].Paths {
			p.addFile(path.Name)
		}
		for _, path := range read.Calls[i].Shows().Paths {
			p.addFile(path)
		}
	}
	return p
}

func (p *places) addFile(path string) {
	if base := path[strings.LastIndexAny(path, `/\`)+1:]; base != "" { // a folder has none
		p.files[base] = true
	}
}

// located returns the references in a message that are located. references are those in its text
// before unescaping.
func (s *Study) located(m *view.Message, text []byte, references []int32) []int32 {
	decoded := unescaped(string(text))
	if s.places == nil || m.Role().Result() || m.HasCalls() {
		if len(decoded) == len(text) && decoded == string(text) {
			return references
		}
		return s.finder.In(withWholePaths([]byte(decoded))).References
	}
	var all []int32
	seen := map[int32]bool{}
	dir, _ := statedFolder([]byte(decoded))
	for line := range strings.SplitSeq(decoded, "\n") {
		named := []byte(line)
		if dir != nil {
			named = append(named, wholePaths(dir, line)...)
		}
		for _, id := range s.finder.In(named).References {
			if !seen[id] && s.places.locates(line, s.finder.References[id]) {
				seen[id] = true
				all = append(all, id)
			}
		}
	}
	return all
}

// locates reports whether a line shows what a reference in it belongs to.
func (p *places) locates(line, reference string) bool {
	line = collapsed(strings.TrimLeft(line, " \t-*>#0123456789.→|"))
	if p.begins(line) {
		return true
	}
	for from := 0; ; {
		i := strings.Index(line[from:], reference)
		if i < 0 {
			return false
		}
		from += i + len(reference)
		if p.quoted(line, from-len(reference), from) {
			return true
		}
	}
}

// begins reports whether a line begins with a call, or with a file that something follows.
func (p *places) begins(line string) bool {
	head, more := headOf(line)
	for word := range strings.FieldsFuncSeq(head, func(r rune) bool {
		return strings.ContainsRune(" (),\"'`", r)
	}) {
		if p.tools[word] || more && p.isFile(word) {
			return true
		}
	}
	name, _, ok := strings.Cut(line[len(head):], "(")
	return ok && p.tools[name[strings.LastIndexByte(name, ' ')+1:]]
}

// headOf returns the part of a line before the first colon or semicolon that ends a word, and
// whether anything follows it.
func headOf(line string) (head string, more bool) {
	for i := 0; i+1 < len(line); i++ {
		if (line[i] == ':' || line[i] == ';') && line[i+1] == ' ' {
			return line[:i], true
		}
	}
	return strings.TrimRight(line, ":;"), false
}

// isFile reports whether a word has the base name of a file that calls name.
func (p *places) isFile(word string) bool {
	base, _, _ := strings.Cut(word[strings.LastIndexAny(word, `/\`)+1:], ":")
	return p.files[strings.Trim(base, ".[]")]
}

// minContext is the number of bytes beside a reference that must be in the history with it.
const minContext = 8

// quoted reports whether a part of a line is in the history together with the whole words before
// it, after it, or both.
func (p *places) quoted(line string, from, to int) bool {
	start, end := from, to
	for start > 0 && from-start < minContext {
		start = 1 + strings.LastIndexByte(line[:start-1], ' ')
	}
	for end < len(line) && end-to < minContext {
		if i := strings.IndexByte(line[end+1:], ' '); i >= 0 {
			end += 1 + i
		} else {
			end = len(line)
		}
	}
	return from-start >= minContext && p.inHistory(line[start:to]) ||
		end-to >= minContext && p.inHistory(line[from:end]) ||
		(from-start)+(end-to) >= minContext && p.inHistory(line[start:end])
}

func (p *places) inHistory(context string) bool {
	found, known := p.known[context]
	if !known {
		found = strings.Contains(p.history, context)
		p.known[context] = found
	}
	return found
}

// collapsed returns a text with each run of white space replaced by one space.
func collapsed(text string) string { return strings.Join(strings.Fields(text), " ") }

// unescaped returns a text in which escapes of white space and quotes, as in strings of JSON and of
// programs, are replaced by the characters that they encode. Else the n of \n would be read as a
// part of the name that follows it.
func unescaped(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	return escapes.Replace(text)
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\n", `\"`, `"`)
