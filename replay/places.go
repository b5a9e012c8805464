package replay

import (
	"strings"

	"killick/transcript"
	"killick/view"
)

// A name is useful to an agent only if it can see what it belongs to. So a reference that a
// strategy keeps counts as located only if it is
//
//   - in a message of the conversation, or in one that keeps its place: a call, or a result after
//     its call;
//   - in a line that begins with a call of the conversation, or with a file of it and a colon;
//   - with what surrounded it in the history.
//
// A name in a bare list counts for nothing.

// places finds out which references of a text are located.
type places struct {
	history string          // all messages, decoded, white space as single spaces
	known   map[string]bool // which contexts stand in it
	tools   map[string]bool
	files   map[string]bool // the base names of those that calls name, in commands too
}

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
		for _, path := range read.Calls[i].Paths {
			p.addFile(path.Name)
		}
		for _, path := range read.Calls[i].Shows().Paths {
			p.addFile(path)
		}
	}
	return p
}

func (p *places) addFile(path string) { p.files[path[strings.LastIndexByte(path, '/')+1:]] = true }

// located returns the references in a message that are located. references are those in its text as
// it is.
func (s *Study) located(m *view.Message, text []byte, references []int32) []int32 {
	decoded := unescaped(string(text))
	if s.places == nil || m.Role().Result() || m.HasCalls() {
		if len(decoded) == len(text) && decoded == string(text) {
			return references
		}
		return s.finder.in(withWholePaths([]byte(decoded))).references
	}
	var all []int32
	seen := map[int32]bool{}
	dir, _ := statedFolder([]byte(decoded))
	for line := range strings.SplitSeq(decoded, "\n") {
		named := []byte(line)
		if dir != nil {
			named = append(named, wholePaths(dir, line)...)
		}
		for _, id := range s.finder.in(named).references {
			if !seen[id] && s.places.locates(line, s.finder.references[id]) {
				seen[id] = true
				all = append(all, id)
			}
		}
	}
	return all
}

// locates reports whether a line says where a reference in it belongs.
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
	name, _, ok := strings.Cut(line[min(len(line), len(head)):], "(")
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

// isFile reports whether a word is a file that calls name, however its folder is written.
func (p *places) isFile(word string) bool {
	base, _, _ := strings.Cut(word[strings.LastIndexByte(word, '/')+1:], ":")
	return p.files[strings.Trim(base, ".[]")]
}

// leastContext is how many bytes around a reference must stand in the history with it.
const leastContext = 8

// quoted reports whether a part of a line stands in the history with the whole words before it, or
// behind it, or both.
func (p *places) quoted(line string, from, to int) bool {
	start, end := from, to
	for start > 0 && from-start < leastContext {
		start = 1 + strings.LastIndexByte(line[:start-1], ' ')
	}
	for end < len(line) && end-to < leastContext {
		if i := strings.IndexByte(line[end+1:], ' '); i >= 0 {
			end += 1 + i
		} else {
			end = len(line)
		}
	}
	return from-start >= leastContext && p.inHistory(line[start:to]) ||
		end-to >= leastContext && p.inHistory(line[from:end]) ||
		(from-start)+(end-to) >= leastContext && p.inHistory(line[start:end])
}

func (p *places) inHistory(context string) bool {
	known, asked := p.known[context]
	if !asked {
		known = strings.Contains(p.history, context)
		p.known[context] = known
	}
	return known
}

// collapsed returns a text with single spaces for white space.
func collapsed(text string) string { return strings.Join(strings.Fields(text), " ") }

// unescaped returns a text in which escapes of white space and quotes, as strings in JSON and in
// programs have them, are what they stand for: a name behind one is not taken for a part of it.
func unescaped(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	return escapes.Replace(text)
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\n", `\"`, `"`)
