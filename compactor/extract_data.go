package compactor

import (
	"sort"
	"strings"
)

// Whose mention of a reference counts how much: the user's words are rare and
// mean most, a tool's output names much that nobody asked for.
const (
	byTool      = 1
	byAssistant = 3
	byUser      = 8
)

// dataTable ranks the identifiers and values of a span.
type dataTable struct {
	index map[string]int
	data  []Datum
	rank  []int // order of the last mention
	now   int
}

func newDataTable() *dataTable { return &dataTable{index: map[string]int{}} }

func (t *dataTable) add(text string, score int) {
	i, ok := t.index[text]
	if !ok {
		i = len(t.data)
		t.index[text] = i
		t.data = append(t.data, Datum{Text: text})
		t.rank = append(t.rank, 0)
	}
	t.now++
	t.rank[i] = t.now
	t.data[i].Score += score
}

// mentioned notes the references in what a person or the model said, and the
// values with their names ("port 8443").
func (t *dataTable) mentioned(text string, score int) {
	eachRef(text, func(word string, kind refKind) { t.add(word, score) })
	namedValues(text, func(value string) { t.add(value, 2*score) })
}

// recurred counts the known references that a tool's output repeats.
func (t *dataTable) recurred(text string) {
	eachRef(text, func(word string, _ refKind) {
		if i, ok := t.index[word]; ok && t.data[i].Score < 100 {
			t.data[i].Score += byTool
		}
	})
}

// best returns what is most worth keeping, most first.
func (t *dataTable) best(known func(string) bool) []Datum {
	order := make([]int, 0, len(t.data))
	for i := range t.data {
		order = append(order, i)
	}
	sort.Slice(order, func(a, b int) bool {
		x, y := order[a], order[b]
		if t.data[x].Score != t.data[y].Score {
			return t.data[x].Score > t.data[y].Score
		}
		return t.rank[x] > t.rank[y]
	})
	var best []Datum
	for _, i := range order {
		if len(best) == maxEntries {
			break
		}
		if !known(t.data[i].Text) {
			best = append(best, t.data[i])
		}
	}
	return best
}

// valueNames are the nouns whose value a later turn needs exactly.
var valueNames = map[string]bool{
	"port": true, "version": true, "timeout": true, "limit": true, "id": true, "branch": true, "tag": true, "release": true,
	"host": true, "region": true, "bucket": true, "database": true, "key": true, "user": true, "name": true, "code": true,
	"budget": true, "threshold": true, "retries": true, "interval": true, "size": true, "number": true, "commit": true, "pr": true,
	"issue": true, "ticket": true, "date": true, "price": true, "amount": true, "total": true, "reservation": true, "order": true,
}

// namedValues calls yield with phrases such as "port 8443" or "timeout: 30s": a
// noun of valueNames and a value with a digit behind it.
func namedValues(text string, yield func(string)) {
	fields := strings.Fields(text)
	for i := 0; i+1 < len(fields); i++ {
		name := strings.ToLower(strings.Trim(fields[i], "`'\"*([{:=,"))
		if !valueNames[name] {
			continue
		}
		next := i + 1
		for next+1 < len(fields) && next < i+3 && isLink(fields[next]) {
			next++
		}
		value := strings.Trim(fields[next], "`'\"*()[]{},;:.!?")
		if len(value) <= 40 && strings.ContainsAny(value, "0123456789") {
			yield(name + " " + value)
		}
	}
}

func isLink(word string) bool {
	return word == "is" || word == "=" || word == "to" || word == "of" || word == ":" || word == "was"
}
