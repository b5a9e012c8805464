package summary

import (
	"killick/packed"
	"killick/summary/names"
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
	packed.AppendList(w, s.Kept, func(w *packed.Writer, k *Kept) {
		w.Int(k.At)
		w.Text(k.Class)
		w.Bool(k.Cut)
	})
	packed.AppendList(w, s.Words, func(w *packed.Writer, q *quotes.UserQuote) {
		appendQuote(w, &q.Quote)
		appendOptional(w, q.Answers, appendQuote)
	})
	packed.AppendList(w, s.Files, appendFile)
	packed.AppendList(w, s.Calls, appendOutcome)
	packed.AppendList(w, s.Unanswered, func(w *packed.Writer, u *Unanswered) {
		w.Int(u.At)
		w.Text(u.Text)
		w.Text(u.Key)
	})
	packed.AppendList(w, s.Cited, func(w *packed.Writer, c *quotes.Cited) {
		w.Int(c.At)
		w.Text(c.Sources)
	})
	packed.AppendList(w, s.Attached, func(w *packed.Writer, a *quotes.Attached) {
		w.Int(a.At)
		w.Text(a.Of)
		w.Text(a.Shown)
	})
	packed.AppendList(w, s.Todos, func(w *packed.Writer, t *transcript.Todo) {
		w.Text(t.ID)
		w.Text(t.Text)
		w.Text(string(t.Status))
		w.Int(t.At)
	})
	packed.AppendList(w, s.Reports, appendQuote)
	appendOptional(w, s.State, appendQuote)
	appendOptional(w, s.LastCall, func(w *packed.Writer, c *Call) {
		w.Int(c.At)
		w.Text(c.Text)
		w.Bool(c.OnTodos)
		w.Bool(c.BeforeTodos)
	})
	packed.AppendList(w, s.Names, func(w *packed.Writer, n *names.Name) {
		w.Text(n.Word)
		w.Text(n.Of)
		w.Text(n.Path)
		w.Int(n.At)
	})
	packed.AppendList(w, s.Pinned, func(w *packed.Writer, p *Pinned) {
		w.Int(p.At)
		w.Text(p.Of)
		w.Text(p.Text)
		w.Bool(p.Again)
		w.Bool(p.Opens)
		w.Text(p.Last)
	})
	packed.AppendList(w, s.Repairs, func(w *packed.Writer, line *string) { w.Text(*line) })
	w.Text(s.Originals)
	for _, older := range []bool{s.Older.Files, s.Older.Calls, s.Older.Reports, s.Older.Cited,
		s.Older.Unanswered} {
		w.Bool(older)
	}
	packed.AppendList(w, s.Statements, appendStatement)
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
	s.Unanswered = packed.List(r, func(r *packed.Reader) Unanswered {
		return Unanswered{At: r.Int(), Text: r.Text(), Key: r.Text()}
	})
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
	s.Names = packed.List(r, func(r *packed.Reader) names.Name {
		return names.Name{Word: r.Text(), Of: r.Text(), Path: r.Text(), At: r.Int()}
	})
	s.Pinned = packed.List(r, func(r *packed.Reader) Pinned {
		return Pinned{
			At: r.Int(), Of: r.Text(), Text: r.Text(), Again: r.Bool(), Opens: r.Bool(),
			Last: r.Text(),
		}
	})
	s.Repairs = packed.List(r, (*packed.Reader).Text)
	s.Originals = r.Text()
	for _, older := range []*bool{
		&s.Older.Files, &s.Older.Calls, &s.Older.Reports, &s.Older.Cited,
		&s.Older.Unanswered,
	} {
		*older = r.Bool()
	}
	s.Statements = packed.List(r, readStatement)
	return r.End()
}

func appendFile(w *packed.Writer, f *File) {
	w.Text(f.Path)
	packed.AppendList(w, f.Uses, func(w *packed.Writer, u *Use) {
		w.Text(u.Tool)
		w.Int(u.Times)
		w.Int(u.Last)
		w.Bool(u.Recent)
	})
	w.Int(f.Last)
	w.Bool(f.Changed)
}

func readFile(r *packed.Reader) File {
	return File{
		Path: r.Text(),
		Uses: packed.List(r, func(r *packed.Reader) Use {
			return Use{Tool: r.Text(), Times: r.Int(), Last: r.Int(), Recent: r.Bool()}
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
	w.Bool(o.Recent)
	w.Int(o.FailedAt)
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
		Times: r.Int(), Fails: r.Int(), Recent: r.Bool(), FailedAt: r.Int(),
		Session: r.Text(), Output: r.Text(), Logged: r.Bool(), Whole: r.Bool(),
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
	packed.AppendList(w, s.Messages, func(w *packed.Writer, n *int) { w.Int(*n) })
	w.Text(s.Quote)
	w.Text(s.Writer)
}

func readStatement(r *packed.Reader) Statement {
	return Statement{
		Section: r.Text(), Text: r.Text(), Messages: packed.List(r, (*packed.Reader).Int),
		Quote: r.Text(), Writer: r.Text(),
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
