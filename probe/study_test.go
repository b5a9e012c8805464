package probe_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"sort"
	"strings"
	"testing"

	"killick/probe"
)

// rank orders reports as verdicts do: a veto is below any mean, and what keeps a record from passing below one that passes.
func rank(r probe.Report) float64 {
	switch {
	case r.Verdict == probe.HardFail:
		return r.Score - 2
	case r.Verdict == probe.SoftFail:
		return r.Score - 1
	}
	return r.Score
}

// tally is a row of the table.
type tally struct {
	ranks, means     []float64
	pass, soft, hard int
}

func (r *tally) add(rep probe.Report) {
	r.ranks, r.means = append(r.ranks, rank(rep)), append(r.means, rep.Score)
	switch rep.Verdict {
	case probe.Pass:
		r.pass++
	case probe.SoftFail:
		r.soft++
	default:
		r.hard++
	}
}

func (r *tally) n() int { return len(r.ranks) }

// auc is the probability that a good one ranks above a bad one, ties being half.
func auc(good, bad []float64) float64 {
	if len(good) == 0 || len(bad) == 0 {
		return 0
	}
	sorted := append([]float64(nil), bad...)
	sort.Float64s(sorted)
	wins := 0.0
	for _, g := range good {
		below := sort.SearchFloat64s(sorted, g)
		upTo := sort.Search(len(sorted), func(i int) bool { return sorted[i] > g })
		wins += float64(below) + float64(upTo-below)/2
	}
	return wins / float64(len(good)*len(bad))
}

// study is the table of one half.
type study struct {
	rows map[string]*tally
	miss []string // what was not judged as it should, for -v
}

func (s *study) row(name string) *tally {
	if s.rows[name] == nil {
		s.rows[name] = &tally{}
	}
	return s.rows[name]
}

func seedOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// examine judges every summary of one span.
func (s *study) examine(part *talk) {
	exam := probe.Prepare(part.msgs, probe.Config{})
	ask := func(name string, sh *sheet, want bool) {
		text := sh.text()
		r := exam.Ask(text)
		s.row(name).add(r)
		if soft := strings.HasPrefix(name, "contra") && r.Verdict != probe.HardFail; soft || (r.Verdict == probe.Pass) != want {
			s.miss = append(s.miss, fmt.Sprintf("%s, %s: %s %.2f\n%s\n%s", part, name, r.Verdict, r.Score, wrongAnswers(r), text))
		}
	}
	sh := faithful(part, seedOf(part.String()+os.Getenv("STUDY_SEED")))
	ask("faithful", sh, true)
	ask("forgetful", sh.forgetful(), false)
	for _, how := range spoils {
		if bad := sh.contradicting(how); bad != nil {
			ask("contradicting: "+string(how), bad, false)
		}
	}
	for _, what := range inventions {
		ask("inventing: "+string(what), sh.inventing(what), false)
	}
}

func wrongAnswers(r probe.Report) string {
	var b strings.Builder
	for _, a := range r.Answers {
		if a.Score < 0.6 || a.Contradicted {
			fmt.Fprintf(&b, "   %.2f contradicted=%t critical=%t %s %s %q\n      found %q\n", a.Score, a.Contradicted, a.Critical, a.Category, a.Kind, a.Expected, a.Found)
		}
	}
	for _, i := range r.Invented {
		fmt.Fprintf(&b, "   invented %s %q in %q\n", i.Kind, i.Text, i.Line)
	}
	for _, t := range r.Turned {
		fmt.Fprintf(&b, "   turned %q\n      source %q\n", t.Line, t.Source)
	}
	return b.String()
}

func (s *study) table() string {
	var b strings.Builder
	var names []string
	for n := range s.rows {
		names = append(names, n)
	}
	sort.Strings(names)
	good := s.row("faithful")
	for _, n := range names {
		r := s.rows[n]
		fmt.Fprintf(&b, "%-46s %4d  pass %5.1f%% soft %5.1f%% hard %5.1f%%  AUC %.3f  mean-AUC %.3f\n", n, r.n(), 100*float64(r.pass)/float64(r.n()),
			100*float64(r.soft)/float64(r.n()), 100*float64(r.hard)/float64(r.n()), auc(good.ranks, r.ranks), auc(good.means, r.means))
	}
	return b.String()
}

func TestDiscriminationOfTranscripts(t *testing.T) {
	halves := map[bool]*study{false: {rows: map[string]*tally{}}, true: {rows: map[string]*tally{}}}
	for _, one := range realTalks(t) {
		for _, part := range one.cuts() {
			if os.Getenv("STUDY_TUNE") != "" && one.held() {
				continue
			}
			halves[one.held()].examine(part)
		}
	}
	t.Logf("half for tuning\n%s", halves[false].table())
	t.Logf("half held out\n%s", halves[true].table())
	if name := os.Getenv("STUDY_MISSES"); name != "" {
		os.WriteFile(name, []byte(strings.Join(append(halves[false].miss, halves[true].miss...), "\n=====\n")), 0o600)
	}
}
