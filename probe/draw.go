package probe

import (
	"slices"
	"strings"

	"killick/chat"
)

// Quotas of a draw, per kind of question, before Config.MaxQuestions cuts across them all.
const (
	maxRules     = 6
	maxRequests  = 6
	maxState     = 2
	maxFiles     = 8
	maxValues    = 5
	maxDecisions = 3
	maxFailures  = 3
)

// Draw returns the questions that a record of msgs must be able to answer: the task, the user's standing rules, the
// latest requests, the files written, the values and decisions in force, the errors still open. It is an extractor of
// its own, on purpose apart from whatever writes the summary, and draws a bounded number whatever the transcript holds;
// every category with something to ask is represented. What looks like a credential is never asked for.
//
// System and developer messages are left out: they are not replaced. Time is linear in msgs.
func Draw(msgs []chat.Message, cfg Config) []Question {
	return readTranscript(msgs).draw(cfg.withDefaults())
}

func (t *transcript) draw(cfg Config) []Question {
	requests := t.requests()
	groups := [][]Question{
		t.task(requests),
		t.rules(requests),
		t.decisions(),
		t.files(),
		t.values(),
		t.latest(requests),
		t.failures(),
		t.outcomes(),
		t.state(),
	}
	for _, g := range groups {
		for i := range g {
			t.supersede(&g[i])
		}
	}
	questions := deal(groups, cfg.MaxQuestions)
	limitCritical(questions, cfg.MaxCritical)
	return questions
}

// deal takes from the groups in turn until limit is reached, so that a small limit still asks about everything, and
// returns the questions in the order of the groups.
func deal(groups [][]Question, limit int) []Question {
	take := make([]int, len(groups))
	seen := map[string]int{}
	total := 0
	for round := 0; total < limit; round++ {
		more := false
		for g := range groups {
			if round >= len(groups[g]) {
				continue
			}
			more = true
			if total < limit {
				take[g]++
				total++
			}
		}
		if !more {
			break
		}
	}
	var out []Question
	for g, n := range take {
		for _, q := range groups[g][:n] {
			key := normal(q.Expected)
			if i, asked := seen[key]; asked {
				out[i].stiffen(q)
			} else if !secret(q.Expected) && !secret(q.Source) {
				seen[key] = len(out)
				out = append(out, q)
			}
		}
	}
	return out
}

// stiffen makes one question of two with the same answer: it is compared as strictly as the stricter.
func (q *Question) stiffen(twin Question) {
	if q.Kind.lenient() && !twin.Kind.lenient() {
		q.Kind, q.Superseded = twin.Kind, twin.Superseded
	}
	q.Critical = q.Critical || twin.Critical
}

// limitCritical lets only the first limit questions veto, in the order in which they matter: the task, rules, values.
func limitCritical(questions []Question, limit int) {
	n := 0
	for i := range questions {
		if questions[i].Critical {
			if n++; n > limit {
				questions[i].Critical = false
			}
		}
	}
}

// supersede notes the places of the transcript that say otherwise than q: a faithful record may quote them too.
func (t *transcript) supersede(q *Question) {
	if q.Kind == Failure || q.Kind == Outcome || q.Kind == Status || q.Category == Artifact {
		return
	}
	c := newClaim(q.Expected, q.Kind)
	for _, w := range c.windows(t.prose, nil) {
		if w.from != w.to || len(q.Superseded) == maxSuperseded {
			continue
		}
		if r := c.read(t.prose, w.from, w.to); r.contradicted && r.about >= aboutSame {
			if line := t.quote(w.from, maxSource); !slices.Contains(q.Superseded, line) {
				q.Superseded = append(q.Superseded, line)
			}
		}
	}
}

const maxSuperseded = 8

// secretHeads begin the keys of well-known services.
var secretHeads = []string{"sk-", "sk_live", "rk_live", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-",
	"akia", "asia", "aiza", "ya29.", "eyj", "-----begin", "npm_", "hf_", "dop_v1_", "sg."}

// secret reports whether text seems to hold a credential. Such a line is not asked for: a record without it is right.
func secret(text string) bool {
	lower := strings.ToLower(text)
	for field := range strings.FieldsFuncSeq(lower, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`=:,;()<>", r) }) {
		for _, h := range secretHeads {
			if strings.HasPrefix(field, h) && len(field) >= len(h)+12 {
				return true
			}
		}
	}
	for _, w := range []string{"password", "passwd", "api key", "api_key", "apikey", "secret key", "private key", "bearer ", "passphrase"} {
		if i := strings.Index(lower, w); i >= 0 && strings.ContainsAny(clip(lower[i+len(w):], 40), "0123456789") {
			return true
		}
	}
	return strings.Contains(lower, "://") && strings.Contains(lower, "@") && credentialURL(lower)
}

// credentialURL finds user:password@ in a URL.
func credentialURL(s string) bool {
	_, rest, _ := strings.Cut(s, "://")
	host, _, _ := strings.Cut(rest, "/")
	user, _, found := strings.Cut(host, "@")
	return found && strings.Contains(user, ":") && !strings.Contains(user, " ")
}
