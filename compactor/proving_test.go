package compactor

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"killick/chat"
)

// faulting finds fault with statements that hold the words.
func faulting(invented, turned string) func([]string) (a, b []int) {
	return func(lines []string) (a, b []int) {
		for i, line := range lines {
			if strings.HasPrefix(line, "#") {
				continue
			}
			if strings.Contains(line, invented) {
				a = append(a, i)
			}
			if strings.Contains(line, turned) {
				b = append(b, i)
			}
		}
		return a, b
	}
}

func TestProvenAccount(t *testing.T) {
	whole := Account{
		Intent: "The login is to work. It is a ghost. Handlers come first.", State: "A ghost is near.",
		Decisions:  []Decision{{Text: "use argon2"}, {Text: "push to main"}},
		Supersedes: []Supersession{{By: "push to main", Old: "never push to main"}, {By: "use argon2", Old: "use bcrypt now"}},
		Completed:  []string{"read handlers", "a ghost was turned"}, Failed: []string{"sed"}, Open: []string{"who is the ghost"}, Next: []string{"run tests"},
	}
	before := whole
	got, refused := whole.proven(faulting("ghost", "turned"))
	want := Account{
		Intent: "The login is to work. Handlers come first.", Decisions: []Decision{{Text: "use argon2"}, {Text: "push to main"}},
		Supersedes: whole.Supersedes, Completed: []string{"read handlers"}, Failed: []string{"sed"}, Next: []string{"run tests"},
	}
	if len(got.Open) > 0 {
		t.Errorf("open: %q", got.Open)
	}
	got.Open = nil
	if !reflect.DeepEqual(*got, want) || refused != (Refused{Invented: 4}) {
		t.Errorf("got %+v, refused %+v; want %+v", *got, refused, want)
	}
	if !reflect.DeepEqual(whole, before) {
		t.Errorf("the account itself changed: %+v", whole)
	}
	got, refused = whole.proven(faulting("\x00", "push to main"))
	if len(got.Decisions) != 1 || len(got.Supersedes) != 1 || got.Intent != whole.Intent || refused != (Refused{Contradicting: 1}) {
		t.Errorf("a turned decision and what it supersedes: %+v, refused %+v", *got, refused)
	}
	if got, _ := whole.proven(func(lines []string) ([]int, []int) { return []int{len(lines) - 1}, nil }); got != nil {
		t.Errorf("one that is faulty however often it is examined is used: %+v", got)
	}
}

// What is found faulty in a model's words reaches no record, and is counted; where
// nothing is left, the rules' record stands alone.
func TestExamOfWhatModelsWrite(t *testing.T) {
	for _, tt := range []struct {
		name, fault string
		want        string
	}{
		{"a statement", "The router stays", PreparedSummary},
		{"all of them", "", PreparedEmpty},
	} {
		t.Run(tt.name, func(t *testing.T) {
			most := 0
			b := newBench(t, writingPolicy, Writing{Exam: func(replaced []chat.Message) func([]string) ([]int, []int) {
				most = max(most, len(replaced))
				return faulting("\x00", tt.fault)
			}})
			b.prober = strict{"The router stays"}
			made := b.replay(t, conversation(4, 60), faithful())
			if got := b.outcomes(); !slices.Contains(got, tt.want) || slices.Contains(got, PreparedRejected) {
				t.Errorf("outcomes %v, want %s", tallied(got), tt.want)
			}
			if got := tallied(made)[MadeWritten] > 0; got != (tt.want == PreparedSummary) {
				t.Errorf("made %v", tallied(made))
			}
			folded := 0
			for _, p := range b.heard {
				if p.Form != "" && p.Refused.Contradicting == 0 {
					t.Errorf("nothing was refused: %+v", p.Refused)
				}
				folded = max(folded, p.Folded)
			}
			if most < folded || most == 0 {
				t.Errorf("%d messages were examined, %d are replaced", most, folded)
			}
		})
	}
}
