package probe_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"killick/chat"
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

// join adds the cases of another one.
func (r *tally) join(of *tally) {
	r.ranks, r.means = append(r.ranks, of.ranks...), append(r.means, of.means...)
	r.pass, r.soft, r.hard = r.pass+of.pass, r.soft+of.soft, r.hard+of.hard
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

// study is one seed's summaries of one half of the conversations.
type study struct {
	seed string // the summaries' author tells other things in other words by another one
	rows map[string]*tally
	miss []string // what was not judged as it should
}

func newStudy(seed string) *study { return &study{seed: seed, rows: map[string]*tally{}} }

func (s *study) row(name string) *tally {
	if s.rows[name] == nil {
		s.rows[name] = &tally{}
	}
	return s.rows[name]
}

// pool adds the rows whose names begin with prefix up.
func (s *study) pool(prefix string) *tally {
	all := &tally{}
	for name, r := range s.rows {
		if strings.HasPrefix(name, prefix) {
			all.join(r)
		}
	}
	return all
}

// Names of the rows, and how those of many kinds begin.
const (
	faithfulRow   = "faithful"
	forgetfulRow  = "forgetful"
	contradicting = "contradicting: "
	inventing     = "inventing: "
)

func seedOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// examine judges every summary of one span, each study's in its own words.
func examine(part *talk, studies []*study) {
	exam := probe.Prepare(part.msgs, probe.Config{})
	facts := part.facts()
	for _, s := range studies {
		s.judge(part, exam, faithful(part, facts, seedOf(part.String()+s.seed)))
	}
}

func (s *study) judge(part *talk, exam *probe.Exam, sh *sheet) {
	ask := func(name string, sh *sheet, right func(probe.Verdict) bool) {
		text := sh.text()
		r := exam.Ask(text)
		s.row(name).add(r)
		if !right(r.Verdict) {
			s.miss = append(s.miss, fmt.Sprintf("%s, seed %q, %s: %s %.2f\n%s\n%s", part, s.seed, name, r.Verdict, r.Score, wrongAnswers(r), text))
		}
	}
	passes := func(v probe.Verdict) bool { return v == probe.Pass }
	fails := func(v probe.Verdict) bool { return v != probe.Pass }
	failsHard := func(v probe.Verdict) bool { return v == probe.HardFail }
	ask(faithfulRow, sh, passes)
	ask(forgetfulRow, sh.forgetful(), fails)
	for _, how := range spoils {
		if bad := sh.contradicting(how); bad != nil {
			ask(contradicting+string(how), bad, failsHard)
		}
	}
	for _, what := range inventions {
		ask(inventing+string(what), sh.inventing(what), fails)
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

// half is the studies of one half of the conversations, one a seed.
type half struct{ studies []*study }

func newHalf(seeds []string) half {
	var h half
	for _, seed := range seeds {
		h.studies = append(h.studies, newStudy(seed))
	}
	return h
}

// together adds up what the seeds gave.
func (h half) together() *study {
	all := newStudy("")
	for _, s := range h.studies {
		for name, r := range s.rows {
			all.row(name).join(r)
		}
		all.miss = append(all.miss, s.miss...)
	}
	return all
}

// worst returns the least AUC that any seed's row, or rows of one prefix, came to.
func (h half) worst(prefix string) (least float64, seed string) {
	least = 1
	for _, s := range h.studies {
		if got := auc(s.row(faithfulRow).ranks, s.pool(prefix).ranks); got < least {
			least, seed = got, s.seed
		}
	}
	return least, seed
}

// table is the half in the form that docs/probe.md has it in: shares over all seeds, and the seed with the lowest AUC
// of each row.
func (h half) table() string {
	var b strings.Builder
	all := h.together()
	good := all.row(faithfulRow)
	line := func(name, prefix string) {
		r := all.pool(prefix)
		share := func(n int) float64 { return 100 * float64(n) / float64(max(r.n(), 1)) }
		curve, least := "–", "–"
		switch {
		case prefix == faithfulRow:
		case prefix == extractive, prefix == extractiveMended: // made once, whatever the seed
			curve = fmt.Sprintf("%.3f", auc(good.ranks, r.ranks))
		default:
			worst, _ := h.worst(prefix)
			curve, least = fmt.Sprintf("%.3f", auc(good.ranks, r.ranks)), fmt.Sprintf("%.3f", worst)
		}
		fmt.Fprintf(&b, "| %s | %d | %.1f%% | %.1f%% | %.1f%% | %s | %s |\n", name, r.n(), share(r.pass), share(r.soft), share(r.hard), curve, least)
	}
	b.WriteString("| summaries | cases | pass | soft fail | hard fail | AUC | worst seed |\n|---|---|---|---|---|---|---|\n")
	line(faithfulRow, faithfulRow)
	line(forgetfulRow, forgetfulRow)
	line("**contradicting, all**", contradicting)
	line("**inventing, all**", inventing)
	for _, n := range slices.Sorted(maps.Keys(all.rows)) {
		if n != faithfulRow && n != forgetfulRow {
			line(n, n)
		}
	}
	return b.String()
}

// What the probe has to reach.
const (
	leastAUC    = 0.95
	leastPassed = 0.95
)

// check holds every seed to it, and prints the worst.
func (h half) check(t *testing.T) {
	t.Helper()
	least, missed, of := 1.0, 0, 0
	for _, s := range h.studies {
		good := s.row(faithfulRow)
		share := float64(good.pass) / float64(good.n())
		if least = min(least, share); share < leastPassed {
			t.Errorf("seed %q: %.3f of the faithful summaries pass, want %.2f", s.seed, share, leastPassed)
		}
		for _, prefix := range []string{forgetfulRow, contradicting, inventing} {
			if got := auc(good.ranks, s.pool(prefix).ranks); got < leastAUC {
				t.Errorf("seed %q, %s: AUC %.3f, want %.2f", s.seed, prefix, got, leastAUC)
			}
		}
		r := s.pool(contradicting)
		if of += r.n(); r.n() == 0 || r.hard < r.n() {
			missed += r.n() - r.hard
			t.Errorf("seed %q: %d of %d contradictions fail hard, want all", s.seed, r.hard, r.n())
		}
	}
	forgetful, _ := h.worst(forgetfulRow)
	contrary, _ := h.worst(contradicting)
	invented, _ := h.worst(inventing)
	t.Logf("worst of %d seeds: %.1f%% of faithful ones pass; AUC %.3f forgetful, %.3f contradicting, %.3f inventing; %d of %d contradictions missed",
		len(h.studies), 100*least, forgetful, contrary, invented, missed, of)
}

// seedsOf returns the seeds that the environment asks for, many where it does not say.
func seedsOf(t *testing.T, many int) (seeds []string) {
	t.Helper()
	if asked := os.Getenv("STUDY_SEEDS"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 {
			t.Fatalf("STUDY_SEEDS is %q, want how many seeds", asked)
		}
		many = n
	}
	for i := range many {
		seeds = append(seeds, fmt.Sprint(os.Getenv("STUDY_SEED"), i))
	}
	return seeds
}

// On conversations written for the tests the study runs everywhere.
func TestDiscriminationOfWrittenTalks(t *testing.T) {
	h := newHalf(seedsOf(t, 3))
	talks := probe.WrittenTalks(t)
	for _, name := range slices.Sorted(maps.Keys(talks)) {
		one := &talk{id: name}
		if !english(talks[name]) {
			continue // the author writes English; other languages have their summaries written by hand
		}
		for _, m := range talks[name] {
			turn, err := parseTurn(m.Raw)
			if err != nil {
				t.Fatal(err)
			}
			one.turns, one.msgs = append(one.turns, turn), append(one.msgs, m)
		}
		for _, part := range one.cuts() {
			examine(part, h.studies)
		}
	}
	t.Logf("\n%s", h.table())
	half{[]*study{h.together()}}.check(t) // forty cases a seed are too few for each
	writeMisses(t, "written", h)
}

func english(msgs []chat.Message) bool {
	return !slices.ContainsFunc(msgs, func(m chat.Message) bool {
		return strings.ContainsFunc(m.Text(), func(r rune) bool { return r >= 0x80 && unicode.IsLetter(r) })
	})
}

// On real conversations the whole study takes half a minute and is for "make study"; without KILLICK_STUDY every eighth
// conversation is examined. Thresholds were chosen on one half of the conversations; what is asserted of the whole study is
// the other one.
func TestDiscriminationOfTranscripts(t *testing.T) {
	if testing.Short() {
		t.Skip("the study of real transcripts is long; it runs without -short")
	}
	whole := os.Getenv("KILLICK_STUDY") != ""
	if !whole {
		sampleTranscripts(t)
		return
	}
	seeds := seedsOf(t, 12)
	tuned, held := newHalf(seeds), newHalf(seeds)
	for _, one := range realTalks(t) {
		h := tuned
		if one.held() {
			h = held
		}
		for _, part := range one.cuts() {
			examine(part, h.studies)
		}
		h.studies[0].examineRecords(t, one)
	}
	t.Logf("the half that thresholds were chosen on\n%s", tuned.table())
	tuned.check(t)
	t.Logf("the other half\n%s", held.table())
	held.check(t)
	writeMisses(t, "tuned", tuned)
	writeMisses(t, "held", held)
}

// sampleTranscripts examines every eighth conversation, of both halves.
func sampleTranscripts(t *testing.T) {
	sample := newHalf([]string{"sample"})
	for i, one := range realTalks(t) {
		if i%8 != 0 {
			continue
		}
		for _, part := range one.cuts() {
			examine(part, sample.studies)
		}
	}
	t.Logf("a sample\n%s", sample.table())
	if r := sample.together().row(faithfulRow); float64(r.pass) < 0.9*float64(r.n()) {
		t.Errorf("%d of %d faithful summaries of the sample pass, want 90%%", r.pass, r.n())
	}
}

// writeMisses writes the cases that were judged wrong to STUDY_MISSES.name, where that is set.
func writeMisses(t *testing.T, name string, h half) {
	t.Helper()
	to := os.Getenv("STUDY_MISSES")
	if to == "" {
		return
	}
	if err := os.WriteFile(to+"."+name, []byte(strings.Join(h.together().miss, "\n=====\n")), 0o600); err != nil {
		t.Error(err)
	}
}
