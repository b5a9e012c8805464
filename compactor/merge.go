package compactor

import (
	"slices"
	"strings"
)

// merge adds what was found in new turns to the summary of all turns before
// them. The older summary is never summarised again: its entries stay as they
// are, or leave whole when a list is full. State and next steps are replaced,
// questions stay until they are answered, errors until the same thing goes well,
// decisions stay marked when a later one takes their place.
func merge(old Summary, x extraction) Summary {
	if !x.planned {
		x.Todos = old.Todos
	}
	return Summary{
		Rules:     mergeRules(old.Rules, x.Rules),
		Requests:  mergeRequests(old.Requests, x),
		Files:     mergeFiles(old.Files, x.Files),
		Reads:     mergeReads(old, x),
		Decisions: mergeDecisions(old.Decisions, x.Decisions, nil),
		Completed: mergeLines(old.Completed, x.completed()),
		Failed:    mergeLines(old.Failed, x.Failed),
		State:     orElse(orElse(x.State, old.State), "Nothing was answered in the replaced turns."),
		Open:      mergeOpen(old.Open, x),
		Data:      mergeData(old.Data, x.Data, x.knowsFile),
		Next:      appendNew(openTodos(x.Todos), mergeNext(old, x)...),
		Todos:     x.Todos,
		Facts:     old.Facts,
	}
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

// completed is what the new turns completed: what the agent ticked off its list
// before what it said.
func (x *extraction) completed() []string {
	if !x.planned {
		return x.Completed
	}
	var done []string
	for _, t := range slices.Backward(x.Todos) {
		if t.Done {
			done = appendNew(done, t.Text)
		}
	}
	return appendNew(done, x.Completed...)
}

// mergeNext replaces the next steps that stand behind the open todos. Where the
// new turns name none, older ones are done or forgotten: what is left is to go
// on.
func mergeNext(old Summary, x extraction) []string {
	switch {
	case len(x.Next) > 0:
		return x.Next
	case x.State == "" && !x.planned && len(old.Next) > 0:
		return old.Next // the assistant has said nothing since
	case slices.ContainsFunc(x.Todos, func(t Todo) bool { return !t.Done }):
		return nil
	}
	return []string{"Go on from the current state with the latest request."}
}

// mergeRules keeps the oldest rules and the newest: when there are too many,
// those in the middle go.
func mergeRules(old, new []string) []string {
	all := slices.Clone(old)
	for _, rule := range new {
		if !slices.Contains(all, rule) {
			all = append(all, rule)
		}
	}
	if n := len(all); n > maxEntries {
		all = append(all[:maxEntries/2:maxEntries/2], all[n-maxEntries/2:]...)
	}
	return all
}

func mergeRequests(old []Request, x extraction) []Request {
	all := slices.Clone(x.Requests)
	for _, r := range old {
		if slices.ContainsFunc(all, func(o Request) bool { return o.Text == r.Text }) {
			continue
		}
		r.Done = r.Done || x.asked
		all = append(all, r)
	}
	return all[:min(len(all), maxEntries)]
}

func mergeFiles(old, new []File) []File {
	all := slices.Clone(new)
	index := map[string]int{}
	for i := range all {
		index[all[i].Path] = i
	}
	for _, f := range old {
		i, ok := index[f.Path]
		if !ok {
			all = append(all, f)
			continue
		}
		all[i].Created = all[i].Created && f.Deleted || f.Created
		all[i].Edits += f.Edits
		all[i].Reads += f.Reads
		all[i].Detail = orElse(all[i].Detail, f.Detail)
	}
	return all[:min(len(all), maxEntries)]
}

// mergeReads drops the files that have been written since: they stand among
// those.
func mergeReads(old Summary, x extraction) []File {
	written := map[string]bool{}
	for _, list := range [][]File{old.Files, x.Files} {
		for i := range list {
			written[list[i].Path] = true
		}
	}
	return without(mergeFiles(old.Reads, x.Reads), func(f File) bool { return written[f.Path] })
}

// mergeDecisions keeps every decision; an older one whose subject a newer one
// turns away from, or that a model says was superseded, is marked.
func mergeDecisions(old, new []Decision, told []Supersession) []Decision {
	all := slices.Clone(new)
	for _, d := range old {
		if slices.ContainsFunc(all, func(o Decision) bool { return o.Text == d.Text }) {
			continue
		}
		for i := range new {
			d.Superseded = d.Superseded || turnsFrom(new[i].Text, d.Text)
		}
		all = append(all, d)
	}
	for i := range all {
		d := &all[i]
		d.Superseded = d.Superseded || slices.ContainsFunc(told, func(s Supersession) bool { return s.marks(d.Text) })
	}
	return all[:min(len(all), maxEntries)]
}

// turnsFrom tells whether the newer decision names something it turns away from
// that the older one holds: what stands behind "instead of", "rather than" or
// "no longer".
func turnsFrom(newer, older string) bool {
	low, before := strings.ToLower(newer), strings.ToLower(older)
	for _, turn := range []string{"instead of ", "rather than ", "no longer "} {
		_, rest, ok := strings.Cut(low, turn)
		if !ok {
			continue
		}
		for _, word := range strings.Fields(rest)[:min(3, len(strings.Fields(rest)))] {
			word = strings.Trim(word, ".,;:`'\"()")
			if len(word) > 4 && hasWord(before, word) && !hasWord(low[:len(low)-len(rest)], word) {
				return true
			}
		}
	}
	return false
}

func mergeLines(old, new []string) []string {
	all := slices.Clone(new)
	return appendNew(all, old...)
}

func mergeOpen(old []Question, x extraction) []Question {
	kept := without(slices.Clone(old), func(q Question) bool {
		if q.Target == "" {
			return x.asked
		}
		return x.succeeded[q.Target] || slices.ContainsFunc(x.Open, func(n Question) bool { return n.Target == q.Target })
	})
	all := append(slices.Clone(x.Open), kept...)
	return all[:min(len(all), maxEntries)]
}

// mergeData adds the scores of both. Older ones fade, so that a long
// conversation does not end with the identifiers of its first hour alone.
func mergeData(old, new []Datum, known func(string) bool) []Datum {
	all := slices.Clone(new)
	index := map[string]int{}
	for i := range all {
		index[all[i].Text] = i
	}
	for _, d := range old {
		if known(d.Text) {
			continue
		}
		d.Score = d.Score * 3 / 4
		if i, ok := index[d.Text]; ok {
			all[i].Score += d.Score
			continue
		}
		all = append(all, d)
	}
	slices.SortStableFunc(all, func(a, b Datum) int { return b.Score - a.Score })
	return all[:min(len(all), maxEntries)]
}
