package probe

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// scored makes answers of the given scores, none critical.
func scored(scores ...float64) []Answer {
	var out []Answer
	for _, s := range scores {
		out = append(out, Answer{Score: s})
	}
	return out
}

func repeated(score float64, n int) []Answer {
	return scored(slices.Repeat([]float64{score}, n)...)
}

func TestGrade(t *testing.T) {
	weighted := func(pairs ...float64) (out []Answer) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, Answer{Score: pairs[i], Question: Question{Weight: pairs[i+1]}})
		}
		return out
	}
	critical := func(kind Kind, score float64, contradicted bool) []Answer {
		a := Answer{Score: score, Contradicted: contradicted, Question: Question{Kind: kind, Critical: true}}
		return append(scored(1, 1, 1, 1, 1, 1), a)
	}
	for _, tt := range []struct {
		name    string
		answers []Answer
		cfg     Config
		want    Verdict
		score   float64
	}{
		{"nothing to ask", nil, Config{}, Pass, 1},
		{"all right", scored(1, 1), Config{}, Pass, 1},
		{"exactly the threshold", scored(1, 1, 1, 0, 0), Config{}, Pass, 0.6},
		{"the threshold in tenths", repeated(0.6, 10), Config{}, Pass, 0.6},
		{"the threshold in thirds", scored(0.1, 0.7, 1), Config{}, Pass, 0.6},
		{"the threshold by weights", weighted(1, 0.3, 0.1, 0.1, 0.2, 0.3), Config{}, SoftFail, 0.5285714},
		{"just under the threshold", scored(0.6, 0.6, 0.5999), Config{}, SoftFail, 0.5999666},
		{"exactly the lower bound", repeated(0.35, 7), Config{}, SoftFail, 0.35},
		{"the lower bound of parts", scored(0.1, 0.2, 0.75), Config{}, SoftFail, 0.35},
		{"just under the lower bound", scored(0.35, 0.349), Config{}, HardFail, 0.3495},
		{"one right of three", scored(1, 0, 0), Config{}, HardFail, 1.0 / 3},
		{"two right of three", scored(1, 1, 0), Config{}, Pass, 2.0 / 3},
		{"own bounds", scored(1, 1, 1, 0), Config{Threshold: 0.9, HardFail: 0.8}, HardFail, 0.75},
		{"a critical rule just under", critical(Rule, 0.59, false), Config{}, HardFail, (6 + 0.59) / 7},
		{"a critical rule exactly at it", critical(Rule, 0.6, false), Config{}, Pass, (6 + 0.6) / 7},
		{"a critical task told freely", critical(Request, 0.36, false), Config{}, Pass, (6 + 0.36) / 7},
		{"a critical task lost", critical(Request, 0.34, false), Config{}, HardFail, (6 + 0.34) / 7},
		{"a critical answer contradicted", critical(Request, 0.7, true), Config{}, HardFail, (6 + 0.7) / 7},
		{"a decision contradicted", append(scored(1, 1, 1), Answer{Score: 0.9, Contradicted: true, Question: Question{Kind: Choice}}), Config{}, HardFail, 3.9 / 4},
		{"a late request contradicted", append(scored(1, 1, 1), Answer{Score: 0.9, Contradicted: true, Question: Question{Kind: Request}}), Config{}, SoftFail, 3.9 / 4},
		{"scores out of range", scored(7, -3, math.NaN(), math.Inf(1)), Config{}, SoftFail, 0.5},
		{"weights out of range", weighted(1, math.NaN(), 0, -4, 1, math.Inf(1)), Config{}, Pass, 2.0 / 3},
	} {
		r := Grade(tt.answers, tt.cfg)
		if r.Verdict != tt.want || math.Abs(r.Score-tt.score) > 1e-6 {
			t.Errorf("%s: %s with %.7f, want %s with %.7f", tt.name, r.Verdict, r.Score, tt.want, tt.score)
		}
	}
}

// Whatever the split into parts, a mean of a bound belongs to the better side.
func TestGradeAtBounds(t *testing.T) {
	for n := 1; n <= 300; n++ {
		if r := Grade(repeated(0.6, n), Config{}); r.Verdict != Pass {
			t.Fatalf("%d answers of 0.6: %s with %v", n, r.Verdict, r.Score)
		}
		if r := Grade(repeated(0.35, n), Config{}); r.Verdict != SoftFail {
			t.Fatalf("%d answers of 0.35: %s with %v", n, r.Verdict, r.Score)
		}
	}
}

func TestRepair(t *testing.T) {
	answer := func(source string, score float64, critical bool) Answer {
		return Answer{Score: score, Question: Question{Source: source, Expected: "short form of " + source, Critical: critical}}
	}
	long := strings.Repeat("long ", 200)
	for _, tt := range []struct {
		name    string
		answers []Answer
		cfg     Config
		want    []string
	}{
		{"nothing failed", []Answer{answer("a", 1, true), answer("b", 0.6, false)}, Config{}, nil},
		{"critical first, then the worst", []Answer{answer("a", 0.3, false), answer("b", 0, false), answer("c", 0.5, true), answer("d", 0.1, true)}, Config{},
			[]string{"d", "c", "b", "a"}},
		{"said once", []Answer{answer("a", 0.3, false), answer("a", 0, false)}, Config{}, []string{"a"}},
		{"a contradiction that scored well", []Answer{{Score: 0.9, Contradicted: true, Question: Question{Source: "a"}}}, Config{}, []string{"a"}},
		{"at most so many", []Answer{answer("a", 0, false), answer("b", 0, false), answer("c", 0, false)}, Config{MaxRepairs: 2}, []string{"a", "b"}},
		{"at most so long together", []Answer{answer("aaaa", 0, false), answer("bbbb", 0, false), answer("cc", 0, false)}, Config{RepairBytes: 6}, []string{"aaaa", "cc"}},
		{"a long line by its key", []Answer{{Question: Question{Source: long, Expected: "key"}}}, Config{}, []string{"key"}},
		{"too long in every form", []Answer{{Question: Question{Source: long, Expected: long}}}, Config{}, nil},
		{"without a source", []Answer{{Question: Question{Expected: "key"}}}, Config{}, []string{"key"}},
	} {
		got := Repair(Report{Answers: tt.answers}, tt.cfg)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A summary that forgot is mended by its repair; one that lies is not.
func TestRepairThenAsk(t *testing.T) {
	for _, sc := range slices.Concat(scenarios, moreScenarios, lateScenarios) {
		questions := Draw(script(t, sc.talk), Config{})
		forgot := everyOther(sc.quoting, 1)
		first := Ask(questions, forgot, Config{})
		mended := forgot + "\n" + strings.Join(Repair(first, Config{}), "\n")
		if r := Ask(questions, mended, Config{}); r.Verdict != Pass {
			t.Errorf("%s: %s after repair, was %s\n%s", sc.name, r.Verdict, first.Verdict, failed(r))
		}
		if len(sc.twists) == 0 {
			continue
		}
		lied := strings.ReplaceAll(sc.quoting, sc.twists[0][0], sc.twists[0][1])
		lie := Ask(questions, lied, Config{})
		mended = lied + "\n" + strings.Join(Repair(lie, Config{}), "\n")
		if r := Ask(questions, mended, Config{}); r.Verdict == Pass {
			t.Errorf("%s: passes with %q and its correction side by side", sc.name, sc.twists[0][1])
		}
	}
}

func TestAskReadsHeadings(t *testing.T) {
	written := []Question{{Category: Artifact, Kind: Path, Expected: "src/auth.go"}}
	chosen := []Question{{Category: Decision, Kind: Choice, Expected: "Use PostgreSQL"}}
	rule := []Question{{Category: Recall, Kind: Rule, Expected: "Never push to main", Critical: true}}
	for _, tt := range []struct {
		name      string
		questions []Question
		record    string
		want      Verdict
	}{
		{"a written file among the written", written, "## Files modified\n- src/auth.go — edited", Pass},
		{"a written file among the read", written, "## Files read\n- src/auth.go", SoftFail},
		{"both", written, "## Files read\n- src/auth.go\n\n## Files modified\n- src/auth.go", Pass},
		{"said to be written there", written, "## Files read\n- src/auth.go\n- file written (edit): src/auth.go", Pass},
		{"a rejected option as chosen", chosen, "## Decisions\n- Use PostgreSQL", Pass},
		{"a rejected option as rejected", chosen, "Rejected options:\n- Use PostgreSQL", HardFail},
		{"a prohibition by its heading", rule, "Do not:\n- push to main", Pass},
		{"an order under another heading", rule, "Next steps:\n- push to main", HardFail},
	} {
		if r := Ask(tt.questions, tt.record, Config{}); r.Verdict != tt.want {
			t.Errorf("%s: %s, want %s\n%s", tt.name, r.Verdict, tt.want, told(r))
		}
	}
}

// An earlier state of things that the transcript held too may be quoted; stated alone, it is out of date.
func TestAskSuperseded(t *testing.T) {
	questions := Draw(script(t, `
user: Start the worker. The worker port is 7000.
assistant: ok
user: Sorry, the worker port is 7100.`), Config{})
	for _, tt := range []struct {
		record string
		want   Verdict
	}{
		{"Start the worker.\nThe worker port is 7000.\nSorry, the worker port is 7100.", Pass},
		{"Start the worker.\nSorry, the worker port is 7100.", Pass},
		{"Start the worker.\nThe worker port is 7000.", HardFail},
		{"Start the worker.\nThe worker port is 7200.\nSorry, the worker port is 7100.", HardFail},
	} {
		if r := Ask(questions, tt.record, Config{}); r.Verdict != tt.want {
			t.Errorf("%q: %s, want %s\n%s", tt.record, r.Verdict, tt.want, told(r))
		}
	}
}
