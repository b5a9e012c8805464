package fold

import (
	"fmt"
	"strings"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/summary"
)

// keepAll notes what a fold to message to takes away, and returns the bare form
// from which the next fold goes on.
func Replay(f *history.History, to int, k *Keeper) *checkpoint.Checkpoint {
	old := Old(f)
	k.collecting = true
	_, _ = k.choose(0, to) // for what it cuts; that it fits was seen when the form was made
	return &checkpoint.Checkpoint{Fold: to, Summary: &summary.Summary{Originals: keepFolded(f, &old, to, k)}}
}

// keepFolded notes the outputs that a fold takes away, and a list of them with
// their handles, whose own handle it returns: one for a record, not one for each
// output, which would cost too much. Long messages of the assistant and of persons,
// which a record quotes with cuts, stand in it too. Outputs that were masked or
// shortened before are kept already; small ones are not worth it.
func keepFolded(f *history.History, old *checkpoint.Checkpoint, to int, k *Keeper) (list string) {
	var b strings.Builder
	masked := map[int]bool{}
	for i := range old.Masks {
		masked[old.Masks[i].Index] = true
	}
	for i := old.Fold; i < to; i++ {
		m := f.View.Original(i)
		if f.View.Tokens[i] < f.Policy.MinMaskTokens || m.Role().Instructs() {
			continue
		}
		whole, what := m.Text(), string(m.Role())
		if whole == "" {
			continue
		}
		if c := f.Transcript.Answered(i); c >= 0 {
			what = summary.Describe(&f.Transcript.Calls[c], 200)
		}
		if _, short := f.View.Truncated[i]; !short && !masked[i] {
			k.keep(whole)
		}
		fmt.Fprintf(&b, "ref=%s message %d: %s\n", k.handle([]byte(whole)), i+1, what)
	}
	if b.Len() == 0 {
		return old.Summary.Originals
	}
	if earlier := old.Summary.Originals; earlier != "" {
		fmt.Fprintf(&b, "ref=%s earlier messages\n", earlier)
	}
	k.keep(b.String())
	return k.handle([]byte(b.String()))
}
