package compactor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"killick/compaction"
	"killick/compactor/plan"
	"killick/compactor/prepare"
	"killick/probe"
)

var errModel = errors.New("no answer")

// writes is an author who writes statements made of the true ones.
func writes(change func(s *probe.Statement)) *scribe {
	return &scribe{write: func(_ context.Context, turns prepare.Turns) (prepare.Written, error) {
		list := trueStatements(turns)
		for i := range list {
			change(&list[i])
		}
		return prepare.Written{Form: "structured", Statements: list}, nil
	}}
}

func verifies(answer func(ctx context.Context, n int) ([]probe.Support, error)) *scribe {
	return &scribe{
		verify: func(ctx context.Context, checks probe.Checks) ([]probe.Support, error) {
			return answer(ctx, len(checks.Shown))
		},
	}
}

// graded is an author whose answers are in other words than was expected.
func graded(grade func(n int) ([]float64, error)) *scribe {
	return &scribe{
		ask: func(
			_ context.Context, turns prepare.Turns, _ int,
		) (list []probe.Question, err error) {
			for i := range turns.Messages {
				if turns.Messages[i].Role().Result() && len(list) < 4 {
					list = append(
						list,
						probe.Question{
							Category: probe.Decision,
							Text:     fmt.Sprintf("What came of step %d then?", i),
							Expected: "func",
							Message:  turns.First + i,
						},
					)
				}
			}
			return list, nil
		},
		answer: func(_ context.Context, _, _ string, asked []probe.Question) ([]string, error) {
			return all(len(asked), "a routine of some kind, as it seems"), nil
		},
		grade: func(_ context.Context, answers []probe.Answered) ([]float64, error) {
			return grade(len(answers))
		},
	}
}

func all[T any](n int, v T) []T { return slices.Repeat([]T{v}, n) }

// Whatever becomes of a model, requests go out valid, and by rules at once.
func TestModelsThatFail(t *testing.T) {
	asked := prepare.Options{MaxQuestions: 4}
	strict := prepare.Options{MaxQuestions: 4, RejectUnprobed: true}
	short := prepare.Options{
		MaxQuestions: 4,
		WriteTimeout: time.Millisecond,
		ProbeTimeout: time.Millisecond,
	}
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	answers := func(answer func(ctx context.Context, n int) ([]string, error)) *scribe {
		return &scribe{
			answer: func(
				ctx context.Context, _, _ string, asked []probe.Question,
			) ([]string, error) {
				return answer(ctx, len(asked))
			},
		}
	}
	asks := func(ask func(ctx context.Context) ([]probe.Question, error)) *scribe {
		return &scribe{
			ask: func(ctx context.Context, _ prepare.Turns, _ int) ([]probe.Question, error) {
				return ask(ctx)
			},
		}
	}
	for _, c := range []struct {
		name    string
		author  *scribe
		writing prepare.Options
		want    string
		verdict compaction.Verdict // of what is prepared, if anything is
	}{
		{"an error", &scribe{write: func(context.Context, prepare.Turns) (prepare.Written, error) {
			return prepare.Written{}, errModel
		}}, asked, prepare.ModelFailed, ""},
		{"a panic", &scribe{write: func(context.Context, prepare.Turns) (prepare.Written, error) {
			panic("at the model")
		}}, asked, prepare.Panic, ""},
		{"no answer in time", &scribe{write: func(
			ctx context.Context, _ prepare.Turns,
		) (prepare.Written, error) {
			return prepare.Written{}, hang(ctx)
		}}, short, prepare.ModelFailed, ""},
		{"nothing", &scribe{write: func(context.Context, prepare.Turns) (prepare.Written, error) {
			return prepare.Written{}, nil
		}}, asked, prepare.RejectedEmpty, ""},
		{"no quotes", writes(func(s *probe.Statement) {
			s.Quote = ""
		}), asked, prepare.RejectedEmpty, ""},
		{"quotes of nothing that was said", writes(func(s *probe.Statement) {
			s.Quote = "bananas sing to the moon"
		}), asked, prepare.RejectedEmpty, ""},
		{"nonsense beside true quotes", writes(func(s *probe.Statement) {
			s.Text = "bananas sing loudly to the purple moon"
		}), asked, prepare.RejectedEmpty, ""},
		{"values of its own", writes(func(s *probe.Statement) {
			s.Text += ", in src/unheard/of.go on server-99417"
		}), asked, prepare.RejectedEmpty, ""},
		{"messages that are not there", writes(func(s *probe.Statement) {
			s.Messages, s.Quote = []int{99999}, "not said, ever"
		}), asked, prepare.RejectedEmpty, ""},
		{"a verifier that fails", verifies(func(context.Context, int) ([]probe.Support, error) {
			return nil, errModel
		}), asked, prepare.RejectedUnverified, ""},
		{"a verifier that hangs",
			verifies(func(ctx context.Context, _ int) ([]probe.Support, error) {
				return nil, hang(ctx)
			}), short, prepare.RejectedUnverified, ""},
		{"a verifier that panics", verifies(func(context.Context, int) ([]probe.Support, error) {
			panic("at the verifier")
		}), asked, prepare.Panic, ""},
		{"a verifier that refutes",
			verifies(func(_ context.Context, n int) ([]probe.Support, error) {
				return all(n, probe.Opposed), nil
			}), asked, prepare.RejectedEmpty, ""},
		{"a verifier that supports anything",
			verifies(func(_ context.Context, n int) ([]probe.Support, error) {
				return all(n, probe.Supported), nil
			}), asked, prepare.RejectedVerifier, ""},
		{"a verifier in doubt", verifies(func(_ context.Context, n int) ([]probe.Support, error) {
			return all(n, probe.Insufficient), nil
		}), asked, prepare.RejectedEmpty, ""},
		{"a verifier that says nothing",
			verifies(func(context.Context, int) ([]probe.Support, error) {
				return nil, nil
			}), asked, prepare.RejectedVerifier, ""},
		{"a verifier that talks", verifies(func(_ context.Context, n int) ([]probe.Support, error) {
			return all[probe.Support](n, "yes!"), nil
		}), asked, prepare.RejectedVerifier, ""},
		{"no questions", asks(func(context.Context) ([]probe.Question, error) {
			return nil, errModel
		}), asked, prepare.Prepared, compaction.Unprobed},
		{"no questions, and they are required",
			asks(func(context.Context) ([]probe.Question, error) {
				return nil, errModel
			}), strict, prepare.RejectedUnprobed, ""},
		{"questions that hang", asks(func(ctx context.Context) ([]probe.Question, error) {
			return nil, hang(ctx)
		}), short, prepare.Prepared, compaction.Unprobed},
		{"questions about something else", asks(func(context.Context) ([]probe.Question, error) {
			return all(4, probe.Question{Category: probe.Recall, Text: "Who sings to the " +
				"moon?", Expected: "purple bananas"}), nil
		}), strict, prepare.RejectedUnprobed, ""},
		{"a prober that panics", asks(func(context.Context) ([]probe.Question, error) {
			panic("at the prober")
		}), asked, prepare.Panic, ""},
		{"wrong answers", answers(func(_ context.Context, n int) ([]string, error) {
			return all(n, "purple bananas"), nil
		}), asked, prepare.RejectedProbe, ""},
		{"unknown answers", answers(func(_ context.Context, n int) ([]string, error) {
			return all(n, probe.Unknown), nil
		}), asked, prepare.RejectedProbe, ""},
		{"too few answers", answers(func(context.Context, int) ([]string, error) {
			return nil, nil
		}), asked, prepare.RejectedProbe, ""},
		{"answers that fail", answers(func(context.Context, int) ([]string, error) {
			return nil, errModel
		}), strict, prepare.RejectedUnprobed, ""},
		{"answers that hang", answers(func(ctx context.Context, _ int) ([]string, error) {
			return nil, hang(ctx)
		}), short, prepare.Prepared, compaction.Unprobed},
		{"a grader that fails", graded(func(int) ([]float64, error) {
			return nil, errModel
		}), strict, prepare.RejectedUnprobed, ""},
		{"a grader that miscounts", graded(func(n int) ([]float64, error) {
			return make([]float64, n+1), nil
		}), strict, prepare.RejectedUnprobed, ""},
		{"a grader that refuses", graded(func(n int) ([]float64, error) {
			return make([]float64, n), nil
		}), strict, prepare.RejectedProbe, ""},
		{"a grader that panics", graded(func(int) ([]float64, error) {
			panic("at the grader")
		}), strict, prepare.Panic, ""},
		{"a grader that agrees", graded(func(n int) ([]float64, error) {
			return all(n, 0.9), nil
		}), strict, prepare.Prepared, compaction.Pass},
		{"right answers", faithful(), asked, prepare.Prepared, compaction.Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.want != prepare.Panic && c.writing.WriteTimeout == 0 {
				t.Skip("what runs at once is the same as with other answers")
			}
			t.Parallel()
			b := newBench(t, writingPolicy, c.writing)
			made := b.replay(t, session(2, 60), c.author)
			if got := b.outcomes(); !slices.Contains(got, c.want) ||
				c.want != prepare.Prepared && slices.Contains(got, prepare.Prepared) {
				t.Errorf("outcomes %v, want %s among them", tallied(got), c.want)
			}
			rules := slices.Contains(made, plan.Fold) && !slices.Contains(made, plan.FoldWithModel)
			if rules != (c.want != prepare.Prepared) {
				t.Errorf("made %v", tallied(made))
			}
			if tries, grown := len(b.outcomes()), len(made); tries > 4*grown+8 {
				t.Errorf("%d attempts for %d compactions: what fails must cool", tries, grown)
			}
			for _, p := range b.heard {
				if p.Outcome == prepare.Prepared && p.Probe.Verdict != c.verdict {
					t.Errorf("verdict %s, want %s", p.Probe.Verdict, c.verdict)
				}
			}
		})
	}
}

// Only statements of a model that have true quotes and were verified are used.
func TestOnlyVerifiedStatementsAreUsed(t *testing.T) {
	mixed := &scribe{
		write: func(_ context.Context, turns prepare.Turns) (prepare.Written, error) {
			list := trueStatements(turns)
			invented, unquoted := list[0], list[0]
			invented.Text = "bananas sing loudly to the purple moon"
			unquoted.Quote, unquoted.Text = "bananas sing to the moon", claim+"bananas sing"
			doubted := list[1]
			doubted.Text = "As is doubted, " + doubted.Quote
			return prepare.Written{
				Form:       "structured",
				Statements: append(list, invented, unquoted, doubted),
			}, nil
		},
		verify: func(_ context.Context, checks probe.Checks) ([]probe.Support, error) {
			list := checks.Shown
			supports := honestly(list)
			for i := range list {
				if strings.HasPrefix(list[i].Text, "As is doubted") {
					supports[i] = probe.Opposed
				}
			}
			return supports, nil
		},
	}
	b := newBench(t, writingPolicy, prepare.Options{MaxQuestions: 4})
	msgs := session(2, 60)
	shown := 0
	turns(t, msgs, func(n int) {
		res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", by(mixed))
		for _, record := range recordsIn(parse(t, res.Body)) {
			_, account, _ := strings.Cut(record, "\n## Account by a model")
			if strings.Contains(record, "bananas") || strings.Contains(record, "As is doubted") {
				t.Fatalf("turn %d: what is not proven is used:\n%s", n, account)
			}
			shown += strings.Count(account, claim)
		}
		if res.After != nil {
			res.After(true)
			b.settle(t)
		}
	})
	if shown == 0 {
		t.Error("nothing that is proven was used")
	}
	for _, p := range b.heard {
		if p.Outcome == prepare.Prepared &&
			(len(p.Dropped) != 3 || len(p.Kept) != len(p.Written)-3 ||
				p.Probe.Verified != len(p.Kept) || p.Probe.Written != len(p.Written)) {
			t.Errorf("%d of %d dropped, probe %+v", len(p.Dropped), len(p.Written), p.Probe)
		}
	}
}

// The answers are asked of the account and the record, marked apart: the account
// holds no line of the record and the record nothing that a model wrote.
func TestTheProbeSeesTheStatementsApart(t *testing.T) {
	asked := 0
	author := faithful()
	author.answer = func(
		_ context.Context, account, record string, questions []probe.Question,
	) ([]string, error) {
		asked++
		if !strings.HasPrefix(account, "\n## Account by a model") ||
			strings.Contains(account, "## Session intent") ||
			!strings.Contains(account, claim) {
			t.Errorf("the account is %q", account)
		}
		if strings.Contains(record, claim) || !strings.Contains(record, "\n## Session intent\n") {
			t.Errorf("the record is %q", record)
		}
		return make([]string, len(questions)), nil
	}
	b := newBench(t, writingPolicy, prepare.Options{MaxQuestions: 4})
	b.replay(t, session(2, 60), author)
	if asked == 0 {
		t.Error("nothing was asked")
	}
}

// The number of statements is limited, in the store and in the record.
func TestFloodsOfStatements(t *testing.T) {
	author := &scribe{
		write: func(_ context.Context, turns prepare.Turns) (w prepare.Written, err error) {
			for _, s := range trueStatements(turns) {
				for i := range 1000 {
					s.Text = claim + strings.Repeat("again and ", i%7) + s.Quote
					w.Statements = append(w.Statements, s)
				}
			}
			return w, nil
		},
	}
	b := newBench(t, writingPolicy, prepare.Options{})
	msgs := session(2, 60)
	turns(t, msgs, func(n int) {
		res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", by(author))
		for _, record := range recordsIn(parse(t, res.Body)) {
			if most := 16000 * 3 / 2; len(record) > most {
				t.Errorf(
					"turn %d: a record of %d bytes, at most %d are allowed",
					n,
					len(record),
					most,
				)
			}
		}
		if res.After != nil {
			res.After(true)
			b.settle(t)
		}
	})
	if !slices.Contains(b.outcomes(), prepare.Prepared) {
		t.Fatalf("outcomes %v", tallied(b.outcomes()))
	}
	for _, p := range b.heard {
		if len(p.Kept) > 60 {
			t.Errorf("%d statements are kept", len(p.Kept))
		}
	}
}
