package compactor

import (
	"errors"
	"maps"
	"slices"

	"killick/chat"
	"killick/summary"
	"killick/transcript"
)

// Kept is a message of the folded turns that is sent beside their record: what a
// person typed, what the client wrote before the task. A person's words stay a
// person's message, in the client's own bytes.
type Kept struct {
	Index  int    `json:"i"`             // of the message, behind the leading instructions
	Raw    []byte `json:"raw,omitempty"` // what is sent of it; nil: all, as the client spells it
	Tokens int    `json:"n"`
	Client bool   `json:"client,omitempty"` // no person's
}

// Bounds of what is kept, in tokens.
const (
	alwaysKept  = 20  // the newest messages of persons that stay whatever the room
	keptMessage = 400 // of one of these; of a longer one its ends stay
	mostOpening = 4   // messages of the client before the task
	mostPinned  = 50  // messages that the operator's pins may hold
)

// errPins says that what the operator pinned does not fit.
var errPins = errors.New("the pinned messages do not fit")

// keeper chooses what is kept of folded turns.
type keeper struct {
	v      *view
	t      *transcript.Transcript
	count  Counter
	policy *Policy
	budget Budget
	handle func(content []byte) string

	collecting bool
	originals  []string // the whole of what the new form shows only a part of, if collecting
}

// keep notes a text of which the new form shows only a part.
func (k *keeper) keep(original string) {
	if k.collecting {
		k.originals = append(k.originals, original)
	}
}

// choose returns the messages of [from, to) that stay: the task, the latest request
// and the last message of the user's side, the newest alwaysKept of persons, what is
// pinned, what the client wrote before the task, and of all others what there is room
// for, the newest first. With errPins nothing may be folded.
func (k *keeper) choose(from, to int) ([]Kept, error) {
	persons, others := k.usersSide(from, to)
	limit := limits{}
	task := k.task()
	for n, i := range persons {
		if len(persons)-n <= alwaysKept {
			limit.allow(i, keptMessage)
		}
		if i == task || n == len(persons)-1 {
			limit.allow(i, k.policy.MaxPinTokens)
		}
	}
	k.allowOthers(limit, others, task)
	if n := len(others); n > 0 && (len(persons) == 0 || others[n-1] > persons[len(persons)-1]) {
		limit.allow(others[n-1], k.policy.MaxPinTokens)
	}
	pinned, err := k.pinned(persons)
	if err != nil {
		return nil, err
	}
	for _, i := range pinned {
		limit.allow(i, k.v.tokens[i]+1)
	}
	k.fill(persons, limit)
	kept := make([]Kept, 0, len(limit))
	for _, i := range slices.Sorted(maps.Keys(limit)) {
		kept = append(kept, k.message(i, limit[i]))
	}
	return kept, nil
}

// limits are what messages may take, in tokens, by their indexes.
type limits map[int]int

func (l limits) allow(i, tokens int) { l[i] = max(l[i], tokens) }

// allowOthers allows what the client wrote before the task: what tells of the project
// and its rules, and the text of one skill, since the agent can load the others again.
func (k *keeper) allowOthers(limit limits, others []int, task int) {
	skills := 0
	for n, i := range others {
		if n >= mostOpening || task >= 0 && i > task {
			return
		}
		if k.isSkill(i) {
			if skills++; skills > 1 {
				limit.allow(i, keptMessage)
				continue
			}
		}
		limit.allow(i, k.policy.MaxPinTokens)
	}
}

// fill allows more messages of persons while there is room: long ones among the
// newest whole, then the older ones, the newest first.
func (k *keeper) fill(persons []int, limit limits) {
	room := k.budget.Target / 8
	for _, i := range slices.Backward(persons) {
		need := k.v.tokens[i] - limit[i]
		if need <= 0 || limit[i] == 0 && need > keptMessage || !k.mostlyTyped(i) {
			continue // there already, or to be quoted, or long by what the client wrote
		}
		if room -= need; room < 0 {
			return
		}
		limit[i] = k.v.tokens[i]
	}
}

// isSkill reports whether a message of the client is the text of a skill.
func (k *keeper) isSkill(i int) bool {
	spans := k.t.Message(i).Spans
	return len(spans) > 0 && spans[0].Tag == "skill"
}

// mostlyTyped reports whether a person typed most of a message.
func (k *keeper) mostlyTyped(i int) bool {
	m := k.t.Message(i)
	return 2*len(m.Words()) >= len(m.Text)
}

// usersSide returns the messages of the user's side in [from, to): those of persons,
// and those that the client alone wrote.
func (k *keeper) usersSide(from, to int) (persons, others []int) {
	for i := from; i < to; i++ {
		if k.t.Messages[i].Role() != chat.User {
			continue
		}
		if m := k.t.Message(i); m.Speaker == transcript.Person {
			persons = append(persons, i)
		} else if m.Text != "" {
			others = append(others, i)
		}
	}
	return persons, others
}

// task returns the person's first message, -1 if there is none.
func (k *keeper) task() int {
	for i := range k.t.Messages {
		if k.t.Messages[i].Role() == chat.User && k.t.Message(i).Speaker == transcript.Person {
			return i
		}
	}
	return -1
}

// pinned returns the persons' messages that the operator's pins hold.
func (k *keeper) pinned(persons []int) (held []int, err error) {
	if len(k.policy.pins) == 0 {
		return nil, nil
	}
	tokens := 0
	seen := map[string]bool{}
	for _, i := range persons {
		words := k.t.Message(i).Words()
		if !k.policy.pins.ofPerson(words) || seen[words] {
			continue
		}
		seen[words] = true
		held = append(held, i)
		tokens += k.v.tokens[i]
	}
	if len(held) > mostPinned || tokens > k.policy.pinRoom() {
		return nil, errPins
	}
	return held, nil
}

// pinRoom is what pinned messages may take, in tokens.
func (p *Policy) pinRoom() int { return 4 * p.MaxPinTokens }

// message returns what is kept of a message in at most so many tokens.
func (k *keeper) message(i, most int) Kept {
	m := &k.t.Messages[i]
	read := k.t.Message(i)
	kept := Kept{Index: i, Tokens: k.v.tokens[i], Client: read.Speaker != transcript.Person}
	clean := k.policy.redactPins().of(read.Text) != read.Text
	if kept.Tokens <= most && !clean {
		return kept
	}
	c := cutter{keeper: k, message: m, read: read, most: most}
	raw := c.cut()
	form, err := chat.ParseMessage(raw)
	if err != nil {
		return kept
	}
	tokens := k.count.Message(&form)
	if tokens >= kept.Tokens && !clean {
		return kept
	}
	kept.Raw, kept.Tokens = raw, tokens
	return kept
}

// told are the kept messages as a record speaks of them.
func keptAs(kept []Kept) []summary.Kept {
	list := make([]summary.Kept, len(kept))
	for n := range kept {
		k := &kept[n]
		list[n] = summary.Kept{At: k.Index + 1, Class: summary.KeptPerson, Cut: k.Raw != nil}
		if k.Client {
			list[n].Class = summary.KeptClient
		}
	}
	return list
}
