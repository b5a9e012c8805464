package probe

import "strings"

// requests returns the voices of the user that ask for something, in order.
func (t *transcript) requests() []voice {
	var out []voice
	for i, v := range t.voices {
		if !v.user || t.weight(v) < 2 || t.synthetic(i) {
			continue
		}
		out = append(out, v)
	}
	if out == nil { // nothing but greetings and nods: they are what there is
		for _, v := range t.voices {
			if v.user {
				out = append(out, v)
			}
		}
	}
	return out
}

// weight counts the words of weight that v says, up to a few.
func (t *transcript) weight(v voice) (n int) {
	from, to := t.sentencesOf(v)
	for s := from; s < to && n < 8; s++ {
		n += t.content(s)
	}
	return n
}

// synthetic reports whether the user message at voice i opens the conversation as one of a pair that a client made up:
// it is answered by a mere nod.
func (t *transcript) synthetic(i int) bool {
	if i != 0 || len(t.voices) < 3 {
		return false
	}
	reply := t.voices[i+1]
	if reply.user || reply.end-reply.start > 40 || reply.at != t.voices[i].at+1 || !t.voices[i+2].user {
		return false
	}
	switch strings.ToLower(strings.Trim(t.prose.source[reply.start:reply.end], " .!\n")) {
	case "ok", "okay", "understood", "got it", "i understand", "i will", "ok, i will", "ok, any changes i propose will be to those files":
		return true
	}
	return false
}

// key returns the sentence of v that says what it asks for: of the first few that say enough and are no mere
// introduction, the first put as a request, else the first. Of a text without one it is the beginning, and s is -1.
func (t *transcript) key(v voice) (s int, text string) {
	from, to := t.sentencesOf(v)
	best := -1
	for s, seen := from, 0; s < to && seen < 4; s++ {
		n := t.content(s)
		if n < 3 || n <= 8 && t.introduces(s) && s+1 < to {
			continue
		}
		seen++
		if t.orders(v, s) {
			best = s
			break
		}
		if best < 0 {
			best = s
		}
	}
	if best >= 0 {
		return best, t.quote(best, maxFact)
	}
	return -1, cutWords(strings.Join(strings.Fields(clip(t.prose.source[v.start:v.end], maxFact)), " "), maxFact)
}

// orders reports whether sentence s of v asks for something. The orders in a long text are the steps of a plan; there
// only a plea counts, and else the heading says more.
func (t *transcript) orders(v voice, s int) bool {
	return t.pleads(s) || v.end-v.start <= maxWords && t.begins(s)
}

// begging are the phrases of a request; orderVerbs begin one.
var (
	begging = []string{"please", "can you", "could you", "would you", "can we", "could we", "let's", "i'd like", "i would like",
		"i want", "i need", "we need", "we still need", "looking to", "help me", "make sure", "bitte", "kannst du", "por favor",
		"puedes", "peux-tu", "s'il", "пожалуйста", "请", "帮我", "ください"}
	orderVerbs = words(`fix add implement write update make create change remove delete refactor build run test review check find
		show explain use set move rename replace convert port migrate simplify reduce commit push generate read debug look
		investigate clean upgrade install deploy configure document optimize improve rewrite extract split merge connect
		catch handle pass init branch cancel book keep set`)
)

// leadIns may stand before an order.
var leadIns = words(`please and but also so just then or ok okay yes no now hey well great alright sure`)

// pleads reports whether sentence s is put as a request.
func (t *transcript) pleads(s int) bool {
	sen := t.prose.sentences[s]
	lower := strings.ToLower(clip(t.prose.source[sen.start:sen.end], maxFact))
	for _, b := range begging {
		if strings.Contains(lower, b) {
			return true
		}
	}
	return false
}

// begins reports whether sentence s begins with an order.
func (t *transcript) begins(s int) bool {
	sen := t.prose.sentences[s]
	for i := sen.from; i < sen.to; i++ {
		if w := t.prose.tokens[i].text; !leadIns.has(w) {
			return orderVerbs.has(w)
		}
	}
	return false
}

// introduces reports whether sentence s only leads to what follows: "Implement the following plan:".
func (t *transcript) introduces(s int) bool {
	sen := t.prose.sentences[s]
	for i := sen.from; i < sen.to; i++ {
		switch t.prose.tokens[i].text {
		case "following", "below", "here's", "here", "hi", "hello":
			return true
		}
	}
	return t.content(s) <= 5 && strings.HasSuffix(strings.TrimSpace(t.prose.source[sen.start:sen.end]), ":")
}

// task asks for the first real request, and for what else that message orders.
func (t *transcript) task(requests []voice) []Question {
	if len(requests) == 0 {
		return nil
	}
	v := requests[0]
	at, expected := t.key(v)
	if expected == "" {
		return nil
	}
	out := []Question{{Category: Recall, Kind: Request, Critical: true, Weight: 1, Expected: expected, Source: expected,
		Prompt: "What did the user ask for in the first place?"}}
	from, to := t.sentencesOf(v)
	for s := from; s < to && len(out) <= maxDetails; s++ {
		if s == at || t.content(s) < 3 || !t.orders(v, s) || t.asks(s) {
			continue
		}
		detail := t.quote(s, maxFact)
		weight := 1.0
		if v.end-v.start > maxWords {
			weight = 0.5
		}
		q := Question{Category: Recall, Kind: Request, Weight: weight, Expected: detail, Source: detail,
			Prompt: "What did the user say about " + t.topic(s) + "?"}
		if t.picks(s) {
			q.Category, q.Kind = Decision, Choice
		}
		out = append(out, q)
	}
	return out
}

// maxDetails bounds the further orders of the first message that are asked for.
const maxDetails = 2

// latest asks for the last requests after the task, newest first.
func (t *transcript) latest(requests []voice) []Question {
	var out []Question
	for i := len(requests) - 1; i > 0 && len(out) < maxRequests; i-- {
		if t.weight(requests[i]) < 4 {
			continue // "commit this"
		}
		_, expected := t.key(requests[i])
		q := Question{Category: Continuation, Kind: Request, Weight: 1, Expected: expected, Source: expected,
			Prompt: "What else did the user ask for lately?"}
		if len(out) == 0 {
			q.Prompt = "What did the user ask for last?"
		}
		out = append(out, q)
	}
	return out
}

// state asks for what the assistant said last: the first sentences of its last words that say something.
func (t *transcript) state() (out []Question) {
	for i := len(t.voices) - 1; i >= 0 && len(out) == 0; i-- {
		v := t.voices[i]
		if v.user || t.weight(v) < 6 {
			continue
		}
		from, to := t.sentencesOf(v)
		for s := from; s < to && s < from+4 && len(out) < maxState; s++ {
			if t.content(s) < 4 || t.asks(s) {
				continue
			}
			told := t.quote(s, maxFact)
			out = append(out, Question{Category: Continuation, Kind: Status, Weight: 1, Expected: told, Source: told,
				Prompt: "Where do things stand with " + t.topic(s) + "?"})
		}
	}
	return out
}
