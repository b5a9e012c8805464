package summary

import (
	"killick/internal/packed"
	"killick/reference"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/transcript/speech"
)

// The stored forms of this file have the version of the checkpoint that contains them: a change
// here changes checkpoint.Version.

// AppendBinary appends the stored form of the summary.
func (s *Summary) AppendBinary(b []byte) ([]byte, error) {
	w := (*packed.Writer)(&b)
	for _, n := range []int{s.First, s.Last, s.Folds, s.Task, s.Latest, s.WordsLeftOut} {
		w.Int(n)
	}
	appendList(w, s.Kept, func(w *packed.Writer, k *Kept) {
		w.Int(k.At)
		w.Text(k.Class)
		w.Bool(k.Cut)
	})
	appendList(w, s.Words, func(w *packed.Writer, q *quotes.UserQuote) {
		appendQuote(w, &q.Quote)
		appendOptional(w, q.Answers, appendQuote)
	})
	appendList(w, s.Files, appendFile)
	appendList(w, s.Calls, appendOutcome)
	appendList(w, s.Cited, func(w *packed.Writer, c *quotes.Cited) {
		w.Int(c.At)
		w.Text(c.Sources)
	})
	appendList(w, s.Attached, func(w *packed.Writer, a *quotes.Attached) {
		w.Int(a.At)
		w.Text(a.Of)
		w.Text(a.Shown)
	})
	appendList(w, s.Todos, func(w *packed.Writer, t *transcript.Todo) {
		w.Text(t.ID)
		w.Text(t.Text)
		w.Text(string(t.Status))
		w.Int(t.At)
	})
	appendList(w, s.Reports, appendQuote)
	appendOptional(w, s.State, appendQuote)
	appendOptional(w, s.LastCall, func(w *packed.Writer, c *Call) {
		w.Int(c.At)
		w.Text(c.Text)
		w.Bool(c.OnTodos)
		w.Bool(c.BeforeTodos)
	})
	appendList(w, s.Names, func(w *packed.Writer, n *Name) {
		w.Text(n.Word)
		w.Text(n.Of)
		w.Text(n.Path)
		w.Int(n.At)
	})
	appendList(w, s.Pinned, func(w *packed.Writer, p *Pinned) {
		w.Int(p.At)
		w.Text(p.Of)
		w.Text(p.Text)
	})
	appendList(w, s.Repairs, func(w *packed.Writer, line *string) { w.Text(*line) })
	w.Text(s.Originals)
	for _, older := range []bool{s.Older.Files, s.Older.Calls, s.Older.Reports, s.Older.Cited} {
		w.Bool(older)
	}
	appendList(w, s.Statements, appendStatement)
	return b, nil
}

// UnmarshalBinary reads the stored form of a summary.
func (s *Summary) UnmarshalBinary(stored []byte) error {
	r := packed.NewReader(stored)
	*s = Summary{}
	for _, n := range []*int{&s.First, &s.Last, &s.Folds, &s.Task, &s.Latest, &s.WordsLeftOut} {
		*n = r.Int()
	}
	s.Kept = packed.List(r, func(r *packed.Reader) Kept {
		return Kept{At: r.Int(), Class: r.Text(), Cut: r.Bool()}
	})
	s.Words = packed.List(r, func(r *packed.Reader) quotes.UserQuote {
		return quotes.UserQuote{Quote: readQuote(r), Answers: readOptional(r, readQuote)}
	})
	s.Files = packed.List(r, readFile)
	s.Calls = packed.List(r, readOutcome)
	s.Cited = packed.List(r, func(r *packed.Reader) quotes.Cited {
		return quotes.Cited{At: r.Int(), Sources: r.Text()}
	})
	s.Attached = packed.List(r, func(r *packed.Reader) quotes.Attached {
		return quotes.Attached{At: r.Int(), Of: r.Text(), Shown: r.Text()}
	})
	s.Todos = packed.List(r, func(r *packed.Reader) transcript.Todo {
		return transcript.Todo{
			ID: r.Text(), Text: r.Text(), Status: transcript.TodoStatus(r.Text()), At: r.Int(),
		}
	})
	s.Reports = packed.List(r, readQuote)
	s.State = readOptional(r, readQuote)
	s.LastCall = readOptional(r, func(r *packed.Reader) Call {
		return Call{At: r.Int(), Text: r.Text(), OnTodos: r.Bool(), BeforeTodos: r.Bool()}
	})
	s.Names = packed.List(r, func(r *packed.Reader) Name {
		return Name{Word: r.Text(), Of: r.Text(), Path: r.Text(), At: r.Int()}
	})
	s.Pinned = packed.List(r, func(r *packed.Reader) Pinned {
		return Pinned{At: r.Int(), Of: r.Text(), Text: r.Text()}
	})
	s.Repairs = packed.List(r, (*packed.Reader).Text)
	s.Originals = r.Text()
	for _, older := range []*bool{
		&s.Older.Files, &s.Older.Calls, &s.Older.Reports, &s.Older.Cited,
	} {
		*older = r.Bool()
	}
	s.Statements = packed.List(r, readStatement)
	return r.End()
}

func appendFile(w *packed.Writer, f *File) {
	w.Text(f.Path)
	appendList(w, f.Uses, func(w *packed.Writer, u *Use) {
		w.Text(u.Tool)
		w.Int(u.Times)
		w.Int(u.Last)
	})
	w.Int(f.Last)
	w.Bool(f.Changed)
}

func readFile(r *packed.Reader) File {
	return File{
		Path: r.Text(),
		Uses: packed.List(r, func(r *packed.Reader) Use {
			return Use{Tool: r.Text(), Times: r.Int(), Last: r.Int()}
		}),
		Last: r.Int(), Changed: r.Bool(),
	}
}

func appendOutcome(w *packed.Writer, o *Outcome) {
	w.Text(o.Key)
	w.Int(o.At)
	w.Int(o.Began)
	w.Text(o.Tool)
	w.Text(o.What)
	w.Text(o.Folder)
	w.Bool(o.Runs)
	w.Bool(o.Background)
	w.Bool(o.ReadOnly)
	w.Bool(o.FileAccess)
	w.Byte(byte(o.Status))
	w.Int(o.Exit)
	w.Int(o.Times)
	w.Int(o.Fails)
	w.Text(o.Session)
	w.Text(o.Output)
	w.Bool(o.Logged)
	w.Bool(o.Whole)
}

func readOutcome(r *packed.Reader) Outcome {
	return Outcome{
		Key: r.Text(), At: r.Int(), Began: r.Int(), Tool: r.Text(), What: r.Text(),
		Folder: r.Text(), Runs: r.Bool(), Background: r.Bool(), ReadOnly: r.Bool(),
		FileAccess: r.Bool(), Status: transcript.Status(r.Byte()), Exit: r.Int(),
		Times: r.Int(), Fails: r.Int(), Session: r.Text(), Output: r.Text(),
		Logged: r.Bool(), Whole: r.Bool(),
	}
}

func appendQuote(w *packed.Writer, q *quotes.Quote) {
	w.Int(q.At)
	w.Text(string(q.By))
	w.Text(q.Name)
	w.Text(q.Text)
}

func readQuote(r *packed.Reader) quotes.Quote {
	return quotes.Quote{At: r.Int(), By: speech.Speaker(r.Text()), Name: r.Text(), Text: r.Text()}
}

func appendStatement(w *packed.Writer, s *Statement) {
	w.Text(s.Section)
	w.Text(s.Text)
	appendList(w, s.Messages, func(w *packed.Writer, n *int) { w.Int(*n) })
	w.Text(s.Quote)
	w.Text(s.Writer)
}

func readStatement(r *packed.Reader) Statement {
	return Statement{
		Section: r.Text(), Text: r.Text(), Messages: packed.List(r, (*packed.Reader).Int),
		Quote: r.Text(), Writer: r.Text(),
	}
}

func appendList[T any](w *packed.Writer, list []T, add func(*packed.Writer, *T)) {
	w.Len(len(list), list == nil)
	for i := range list {
		add(w, &list[i])
	}
}

func appendOptional[T any](w *packed.Writer, value *T, add func(*packed.Writer, *T)) {
	w.Bool(value != nil)
	if value != nil {
		add(w, value)
	}
}

func readOptional[T any](r *packed.Reader, read func(*packed.Reader) T) *T {
	if !r.Bool() {
		return nil
	}
	value := read(r)
	return &value
}

// Encode returns the stored form of the table.
func (t *NameTable) Encode() []byte {
	const numberBytes = 20 // about what the numbers of a name or a call take
	size := numberBytes * (len(t.Names) + len(t.Calls))
	for i := range t.Names {
		size += len(t.Names[i].Word)
	}
	for i := range t.Calls {
		size += len(t.Calls[i].Text) + len(t.Calls[i].Path)
	}
	all := make(packed.Writer, 0, size)
	w := &all
	appendList(w, t.Calls, func(w *packed.Writer, c *callLine) {
		w.Int(c.At)
		w.Text(c.Text)
		w.Text(c.Path)
	})
	appendList(w, t.Names, func(w *packed.Writer, n *nameUse) {
		w.Text(n.Word)
		w.Byte(byte(n.Kind))
		for _, v := range n.numbers() {
			w.Int(int(*v))
		}
	})
	return *w
}

// numbers returns the numbers of a use, in the order in which they are stored.
func (n *nameUse) numbers() [7]*int32 {
	return [...]*int32{
		&n.Call, &n.Mentioned, &n.Asked, &n.Worked, &n.Shown, &n.Seen, &n.Used,
	}
}

// DecodeNames reads the table of a checkpoint. If it cannot be read, the table is empty, and the
// index covers only the newer turns.
func DecodeNames(stored []byte) *NameTable {
	t, r := &NameTable{}, packed.NewReader(stored)
	if len(stored) == 0 {
		return t
	}
	t.Calls = packed.List(r, func(r *packed.Reader) callLine {
		return callLine{At: r.Int(), Text: r.Text(), Path: r.Text()}
	})
	fits := true
	t.Names = packed.List(r, func(r *packed.Reader) (n nameUse) {
		n.Word, n.Kind = r.Text(), reference.Kind(r.Byte())
		for _, v := range n.numbers() {
			stored := r.Int()
			*v = int32(stored)
			fits = fits && int(*v) == stored
		}
		return n
	})
	if r.End() != nil || !fits {
		return &NameTable{}
	}
	t.facts = make([]wordFacts, 0, len(t.Names))
	for i := range t.Names {
		if c := t.Names[i].Call; c < -1 || int(c) >= len(t.Calls) {
			return &NameTable{}
		}
		t.facts = append(t.facts, factsOf(&t.Names[i]))
	}
	return t
}
