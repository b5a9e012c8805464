package fold

import (
	"errors"
	"maps"
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/transcript"
	"killick/transcript/speech"
)

// Limits of what is kept.
const (
	alwaysKept     = 20  // newest messages of persons that are kept whatever the room
	maxKeptMessage = 400 // tokens of each of them; of a longer one, head and tail are kept
	briefMessage   = 50  // tokens of an older one that is kept before longer ones
	maxOpening     = 4   // messages of the client before the task
	maxPinned      = 50  // pinned messages
	maxRecords     = 50  // newest records that the client sent
)

// ErrPins is the error if the pinned text does not fit.
var ErrPins = errors.New("the pinned messages do not fit")

// NewKeeper returns a Keeper for the turns of a history.
func NewKeeper(h *history.History, c layout.Counter, refOf func([]byte) string) *Keeper {
	type key struct{}
	m := h.View.Once(key{}, func() any { return newMemo() }).(*memo)
	return &Keeper{
		v: h.View, t: h.Transcript, count: c, policy: &h.Policy, budget: h.Budget, refOf: refOf,
		memo: m,
	}
}

// Keeper chooses what is kept of folded turns.
type Keeper struct {
	v      *layout.View
	t      *transcript.Transcript
	count  layout.Counter
	policy *settings.Policy
	budget settings.Budget
	refOf  func(content []byte) string
	memo   *memo

	all        bool // all user messages stay
	collecting bool
	// Originals are the originals of what the new form shows only in part, if collecting.
	Originals []checkpoint.Original
}

// keep collects the original of a text that the new form shows only in part.
func (k *Keeper) keep(original checkpoint.Original) {
	if k.collecting {
		k.Originals = append(k.Originals, original)
	}
}

// choose returns the messages of [from, to) that stay: the task, the latest request, the last user
// message unless it is the result of a call, the newest alwaysKept messages of persons, pinned
// messages, what the client wrote before the task, the newest records that the client sent, and as
// many others as fit, the newest first. If the error is ErrPins, nothing may be folded.
func (k *Keeper) choose(from, to int) ([]checkpoint.Kept, error) {
	if k.all {
		return k.allOf(from, to), nil
	}
	persons, others := k.usersSide(from, to)
	limit := limits{}
	task := k.task()
	for _, i := range persons[max(0, len(persons)-alwaysKept):] {
		limit.allow(i, maxKeptMessage)
	}
	if len(persons) > 0 {
		limit.allow(persons[len(persons)-1], k.policy.MaxPinTokens)
	}
	if _, found := slices.BinarySearch(persons, task); found {
		limit.allow(task, k.policy.MaxPinTokens)
	}
	for _, i := range k.records(from, to) {
		limit.allow(i, k.v.Tokens[i])
	}
	k.allowOthers(limit, others, task)
	n := len(others)
	if n > 0 && (len(persons) == 0 || others[n-1] > persons[len(persons)-1]) &&
		!k.begins(others[n-1], "result") {
		limit.allow(others[n-1], k.policy.MaxPinTokens)
	}
	pinned, err := k.pinned(from, to)
	if err != nil {
		return nil, err
	}
	for _, i := range pinned {
		limit.allow(i, k.v.Tokens[i]+1)
	}
	k.fill(from, to, limit.among(persons), limit)
	kept := make([]checkpoint.Kept, 0, len(limit))
	for _, i := range slices.Sorted(maps.Keys(limit)) {
		kept = append(kept, k.message(i, limit[i]))
	}
	return kept, nil
}

// limits are the most tokens that messages may take, by their indexes.
type limits map[int]int

func (l limits) allow(i, tokens int) { l[i] = max(l[i], tokens) }

// among returns the messages that have a limit, in order.
func (l limits) among(messages []int) []int {
	limited := make([]int, 0, len(l))
	for i := range l {
		if _, found := slices.BinarySearch(messages, i); found {
			limited = append(limited, i)
		}
	}
	slices.Sort(limited)
	return limited
}

// allowOthers allows what the client wrote before the task: descriptions of the project and its
// rules, and the text of one skill, since the agent can load other skills again.
func (k *Keeper) allowOthers(limit limits, others []int, task int) {
	skills := 0
	for n, i := range others {
		if n >= maxOpening || task >= 0 && i > task {
			return
		}
		if k.begins(i, "skill") {
			if skills++; skills > 1 {
				limit.allow(i, maxKeptMessage)
				continue
			}
		}
		limit.allow(i, k.policy.MaxPinTokens)
	}
}

// fill allows more messages of persons while there is room, the newest first: in half of the room
// brief ones, so that a few pasted pages do not displace many instructions; then the whole of
// messages that have a limit so far, and other short messages.
func (k *Keeper) fill(from, to int, limited []int, limit limits) {
	room := k.budget.Target / 8
	brief := k.brief(from, to)
	for half := room / 2; len(brief) > 0; brief = brief[:len(brief)-1] {
		i := last(brief)
		need := k.v.Tokens[i] - limit[i]
		if need <= 0 {
			continue // whole already
		}
		if half -= need; half < 0 {
			break
		}
		room -= need
		limit[i] = k.v.Tokens[i]
	}
	short := k.short(from, to)
	for len(short)+len(limited) > 0 {
		i := max(last(short), last(limited))
		short, limited = without(short, i), without(limited, i)
		need := k.v.Tokens[i] - limit[i]
		if need <= 0 || limit[i] == 0 && need > maxKeptMessage || !k.mostlyTyped(i) {
			continue // already whole, or quoted by the record, or mostly written by the client
		}
		if room -= need; room < 0 {
			return
		}
		limit[i] = k.v.Tokens[i]
	}
}

// last returns the last message of a list, -1 if it is empty.
func last(messages []int) int {
	if len(messages) == 0 {
		return -1
	}
	return messages[len(messages)-1]
}

// without returns messages without its last element if that is i.
func without(messages []int, i int) []int {
	if last(messages) == i {
		return messages[:len(messages)-1]
	}
	return messages
}

// begins reports whether a message of the client begins with a block of a tag or a label.
func (k *Keeper) begins(i int, tag string) bool {
	spans := k.t.Message(i).Spans
	return len(spans) > 0 && spans[0].Tag == tag
}

// mostlyTyped reports whether a person typed most of a message.
func (k *Keeper) mostlyTyped(i int) bool {
	m := k.t.Message(i)
	return 2*len(m.Words()) >= len(m.Text)
}

// pinned returns the messages of persons in [from, to) that the operator's pins select.
func (k *Keeper) pinned(from, to int) (held []int, err error) {
	if len(k.policy.Pins) == 0 {
		return nil, nil
	}
	tokens := 0
	seen := map[string]bool{}
	for _, i := range k.selected(from, to) {
		words := k.t.Message(i).Words()
		if seen[words] {
			continue
		}
		seen[words] = true
		held = append(held, i)
		tokens += k.v.Tokens[i]
	}
	if len(held) > maxPinned || tokens > pinRoom(k.policy) {
		return nil, ErrPins
	}
	return held, nil
}

// pinRoom returns the most tokens that pinned messages may take.
func pinRoom(p *settings.Policy) int { return 4 * p.MaxPinTokens }

func (k *Keeper) cut(i, most int) cutForm {
	m := &k.t.Messages[i]
	read := k.t.Message(i)
	kept := checkpoint.Kept{
		Index: i, Tokens: k.v.Tokens[i], Client: read.Speaker != speech.Person,
	}
	redacts := k.policy.PinRedaction().Of(read.Text) != read.Text
	if kept.Tokens <= most && !redacts {
		return cutForm{kept: kept}
	}
	c := cutter{Keeper: k, message: m, read: read, most: most}
	raw := c.cut()
	cut := cutForm{kept: kept, original: c.original}
	form, err := k.v.Parse(raw)
	if err != nil {
		return cut
	}
	tokens := k.count.Message(&form)
	if tokens >= kept.Tokens && !redacts {
		return cut
	}
	cut.kept.Raw, cut.kept.Tokens = raw, tokens
	return cut
}
