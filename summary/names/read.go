package names

import (
	"killick/reference"
	"killick/summary/describe"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// Read reads the references in the turns [from, to) and returns a table of these and of known, the
// table of earlier turns or nil, ranked for a record of all turns. calls are those made in the
// turns. room, the tokens that an index may take, limits how many references the table holds.
func (t *Reader) Read(
	s *quotes.Source, known *Table, calls []transcript.Call, from, to, room int,
) *Table {
	if known == nil {
		known = &Table{}
	}
	t.read(s, calls, from, to)
	t.readUnsure(known)
	return known.next(t, placeOf(s, to), min(maxNames, room/leastNameCost))
}

// placeOf returns PlaceOf in the type of tables.
func placeOf(s *quotes.Source, i int) int32 { return int32(s.PlaceOf(i)) }

// read reads the references of turns, in place of those that were read before.
func (t *Reader) read(s *quotes.Source, calls []transcript.Call, from, to int) {
	t.reset()
	for i := from; i < to; i++ {
		switch s.Messages[i].Role() {
		case view.Assistant:
			t.readText(s, i, false)
		case view.User:
			t.readText(s, i, s.Message(i).Speaker == speech.Person)
		}
	}
	for c := range calls {
		t.readCall(s, &calls[c], to)
	}
}

// readText reads the references in a message of the assistant or a person.
func (t *Reader) readText(s *quotes.Source, i int, asked bool) {
	place := placeOf(s, i)
	var inCode map[string]bool
	s.EachName(i, func(word string, kind reference.Kind) {
		m := mention{word, kind, place, int32(i + 1), asked}
		if !twoSentences(word) {
			t.mention(&m)
			return
		}
		if inCode == nil {
			inCode = s.NamesInCode(i)
		}
		if inCode[word] {
			t.mention(&m)
		} else {
			t.unsure = append(t.unsure, m)
		}
	})
}

// mention counts that a message contains a reference.
func (t *Reader) mention(m *mention) {
	n := t.at(m.word, m.kind, m.place)
	n.Mentioned = max(n.Mentioned, m.in)
	if m.asked {
		n.Asked++
	} else {
		n.Used = max(n.Used, m.place)
	}
}

// readCall reads the references in a call and its result.
func (t *Reader) readCall(s *quotes.Source, c *transcript.Call, to int) {
	at, shows := placeOf(s, c.Caller), int32(len(t.calls))
	made := callLine{At: c.Caller + 1}
	if path := fileOf(c); path != "" && !c.Failed() {
		made.Text, made.Path = describe.Tool(c.Name), s.Redacted(path)
	} else {
		made.Text = s.Redacted(describe.CallInWords(c, indexedCall))
	}
	t.calls = append(t.calls, made)
	if c.Nested() == nil { // else the texts are read with the nested calls
		reference.Each(s.Redacted(c.Texts()), func(word string, kind reference.Kind) {
			if !c.SetsTodos() || !transcript.IsTodoStatus(word) {
				n := t.at(word, kind, at)
				n.Used, n.Call = max(n.Used, at), shows
			}
		})
		for i := range c.Paths {
			reference.Each(c.Paths[i].Name, func(word string, kind reference.Kind) {
				t.at(word, kind, at).Worked++
			})
		}
	}
	if c.Result < 0 || c.Result >= to || !c.OwnsOutput() {
		return
	}
	at = placeOf(s, c.Result)
	var shown string
	keys := map[string]bool{}
	switch {
	case c.Status == transcript.Refused: // the rest is the agent's advice
		shown = s.Redacted(transcript.RefusalWords(s.Text(c.Result)))
	case c.Session != "" && transcript.ReturnsReport(c.Name): // and here, since it goes on
		shown = s.Redacted(c.Session)
	default:
		output := s.SafeOutput(c)
		shown = describe.Naming(output, c)
		for _, key := range describe.Keys(output, c) {
			keys[key] = true
		}
	}
	s.EachReference(c.Result, shown, func(word string, kind reference.Kind) {
		if !c.SetsTodos() || !transcript.IsTodoStatus(word) {
			n := t.at(word, kind, at)
			n.Shown++
			n.Call = shows
			if keys[word] {
				n.Key = 1
			}
		}
	})
}

// fileOf returns the only file that a call names or whose lines it prints, "" if there is none, or
// if it may be elsewhere.
func fileOf(c *transcript.Call) string {
	if c.Command == "" {
		if len(c.Paths) == 1 && c.SearchPattern() == "" {
			return c.Paths[0].Name
		}
		return ""
	}
	if shown := c.Shows(); shown.Lines && !shown.Mixed && !shown.Elsewhere() {
		return shown.File()
	}
	return ""
}
