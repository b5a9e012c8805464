package history

import (
	"slices"
	"strings"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/transcript"
	"killick/view"
)

// session is a conversation of calls with long outputs, except that of message 6. Message 12 is of
// a command that failed and was not made again. From message 13 on, nothing is answered.
func session(t *testing.T) *layout.View {
	t.Helper()
	long := strings.Repeat("a line of it\n", 200)
	msgs := slices.Concat([]string{chattest.Says(view.User, "Mend it.")},
		chattest.Exchange("Read", `{"file_path":"a.go"}`, long),
		chattest.Exchange("Bash", `{"command":"make"}`, long),
		chattest.Exchange("Read", `{"file_path":"b.go"}`, "short"),
		chattest.Exchange("Fetch", `{"url":"https://a.example"}`, long),
		chattest.Exchange("Read", `{"file_path":"c.go"}`, long),
		chattest.Exchange("Bash", `{"command":"make test"}`, "Exit code 2\n"+long),
		[]string{chattest.Says(view.Assistant, "Done."), chattest.Says(view.User, "Go on.")})
	v := layout.New(chattest.Request(t, chattest.Body(msgs)), chattest.Counter{})
	v.Split()
	return v
}

func historyOf(v *layout.View, cp *checkpoint.Checkpoint, p settings.Policy) *History {
	p = p.WithDefaults()
	return New(v, cp, p.Budget(settings.DefaultWindow, 1, plan.Prices{}), p)
}

// What is needed least is masked first, and among equals the oldest. What is short, excluded,
// recent, masked, or how a command failed last, is not masked.
func TestWhatMayBeMasked(t *testing.T) {
	v := session(t)
	tail := func(from int) settings.Size {
		return settings.Size(v.Before[len(v.Messages)] - v.Before[from])
	}
	for name, c := range map[string]struct {
		form   *checkpoint.Checkpoint
		policy settings.Policy
		want   []int
	}{
		"all": {nil, settings.Policy{Protect: 2}, []int{4, 8, 2, 10}},
		"masked": {&checkpoint.Checkpoint{Masks: []checkpoint.Mask{{Index: 4}}},
			settings.Policy{Protect: 2}, []int{8, 2, 10}},
		"folded": {&checkpoint.Checkpoint{Fold: 5}, settings.Policy{Protect: 2}, []int{8, 10}},
		"excluded": {nil, settings.Policy{Protect: 2, ExcludeTools: []string{"Fetch"}},
			[]int{4, 2, 10}},
		"short too": {nil, settings.Policy{Protect: 2, MinMaskTokens: v.Tokens[6]},
			[]int{4, 8, 2, 6, 10}},
		"a little longer": {nil, settings.Policy{Protect: 2, MinMaskTokens: v.Tokens[6] + 1},
			[]int{4, 8, 2, 10}},
		"recent":               {nil, settings.Policy{Protect: tail(9)}, []int{4, 8, 2}},
		"not quite recent":     {nil, settings.Policy{Protect: tail(9) - 1}, []int{4, 8, 2, 10}},
		"all of it is recent":  {nil, settings.Policy{Protect: tail(0)}, nil},
		"all but the task are": {nil, settings.Policy{Protect: tail(1)}, nil},
	} {
		if got := historyOf(v, c.form, c.policy).Maskable(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What a read returned is needed more often than what a command printed, and less the longer ago it
// was.
func TestNeed(t *testing.T) {
	for age, want := range map[int][2]int{0: {200, 25}, nearby - 1: {200, 25}, nearby: {150, 5},
		farAway - 1: {150, 5}, farAway: {55, 0}} {
		if got := [2]int{chancesOfReads.at(age), chancesOfOthers.at(age)}; got != want {
			t.Errorf("%d tokens ago: %v, want %v", age, got, want)
		}
	}
	v := session(t)
	calls := transcript.ReadAll(v.Originals()[:12]).Calls // the last has no result
	if got, want := needed(v, calls), []int{200, 25, 200, 25, 200, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What a new form rewrites is what is sent from its first change on, without what is fresh anyway.
func TestRewritten(t *testing.T) {
	v := session(t)
	n := len(v.Messages)
	from := func(i int) int { return v.Before[n] - v.Before[i] }
	masks := func(indexes ...int) *checkpoint.Checkpoint {
		cp := &checkpoint.Checkpoint{}
		for _, i := range indexes {
			cp.Masks = append(cp.Masks, checkpoint.Mask{Index: i, Saved: 100})
		}
		return cp
	}
	folds := func(fold int, records ...int) *checkpoint.Checkpoint {
		cp := &checkpoint.Checkpoint{Fold: fold}
		for _, tokens := range records {
			cp.Records = append(cp.Records, checkpoint.Record{Tokens: tokens})
		}
		return cp
	}
	keeps := func(cp *checkpoint.Checkpoint, kept ...checkpoint.Kept) *checkpoint.Checkpoint {
		cp.Records[0].Kept = kept
		return cp
	}
	first, third := checkpoint.Kept{Tokens: v.Tokens[0]}, checkpoint.Kept{Index: 2, Tokens: 50}
	cut := checkpoint.Kept{Raw: []byte("{}"), Tokens: 9}
	provided := folds(5, 70, 30)
	provided.Provider = &checkpoint.ProviderSummary{Tokens: 9, Place: n}
	unread := from(13)
	for name, c := range map[string]struct {
		form, next *checkpoint.Checkpoint
		want       int
	}{
		"the first masks":       {nil, masks(4, 8), from(4) - 200 - unread},
		"one more mask":         {masks(4), masks(4, 8), from(8) - 100 - unread},
		"a mask before another": {masks(8), masks(4, 8), from(4) - 200 - unread},
		"nothing new":           {masks(4), masks(4), 0},
		"the first fold":        {nil, folds(5, 70), from(5) + 70 - unread},
		"one more record":       {folds(3, 70), folds(5, 70, 30), from(5) + 30 - unread},
		"a record for both":     {folds(3, 70), folds(5, 90), from(5) + 90 - unread},
		"with a summary":        {folds(3, 70), provided, from(5) + 100 + 9 - unread},
		"behind a summary":      {provided, folds(7, 70, 30, 10), from(7) + 110 - unread},
		"the task stays":        {nil, keeps(folds(5, 70), first, third), from(5) + 120 - unread},
		"it stays after masks": {masks(4), keeps(folds(5, 70), first, third),
			from(5) + 120 - unread},
		"it is cut": {nil, keeps(folds(5, 70), cut), from(5) + 79 - unread},
		"it is short": {nil, keeps(folds(5, 70), checkpoint.Kept{Tokens: 8}),
			from(5) + 78 - unread},
		"two still stay": {keeps(folds(3, 70), first, third),
			keeps(folds(5, 90), first, third), from(5) + 90 - unread},
		"one no longer stays": {keeps(folds(3, 70), first, third), keeps(folds(5, 90), first),
			from(5) + 90 - unread},
		"another one stays": {keeps(folds(3, 70), first), keeps(folds(5, 90), first, third),
			from(5) + 140 - unread},
		"it was cut": {keeps(folds(3, 70), cut), keeps(folds(5, 90), first),
			from(5) + 90 + first.Tokens - unread},
		"cut as before": {keeps(folds(3, 70), cut), keeps(folds(5, 90), cut),
			from(5) + 90 - unread},
	} {
		policy := settings.Policy{MaxTaskTokens: 8}
		if got := historyOf(v, c.form, policy).Rewritten(c.next); got != c.want {
			t.Errorf("%s: %d tokens, want %d", name, got, c.want)
		}
	}
}

// The loss is what it would cost to fetch outputs again, each as often as it is needed.
func TestLoss(t *testing.T) {
	v := session(t)
	f := historyOf(v, nil, settings.Policy{})
	cost := func(i int) int { return f.Budget.Prices.Refetch(v.Tokens[i], 5000) / plan.Fresh }
	if got, want := f.Loss(slices.Values([]int{0, 2, 3, 4}), 5000),
		200*cost(2)/1000+25*cost(4)/1000; got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

// A fold ends at the earliest turn of the model from which the tail fits, if there is one.
func TestFoldTo(t *testing.T) {
	v := session(t)
	n := len(v.Messages)
	tail := func(i int) int { return v.Before[n] - v.Before[i] }
	for name, c := range map[string]struct {
		form *checkpoint.Checkpoint
		room int
		want int
	}{
		"all fits":        {nil, tail(0), 1},
		"a turn too much": {nil, tail(3) - 1, 5},
		"as much as fits": {nil, tail(3), 3},
		"behind a fold":   {&checkpoint.Checkpoint{Fold: 5}, tail(0), 7},
		"little fits":     {nil, tail(9), 9},
		"nothing fits":    {nil, 0, 13},
		"one more turn":   {&checkpoint.Checkpoint{Fold: 11}, 0, 13},
		"all is folded":   {&checkpoint.Checkpoint{Fold: 13}, tail(0), 0},
		"with a mask more of it fits": {&checkpoint.Checkpoint{Masks: []checkpoint.Mask{
			{Index: 4, Saved: 1}}}, tail(3) - 1, 3},
		"but not with one before it": {&checkpoint.Checkpoint{Masks: []checkpoint.Mask{
			{Index: 2, Saved: 1}}}, tail(3) - 1, 5},
	} {
		if got := historyOf(v, c.form, settings.Policy{}).FoldTo(c.room); got != c.want {
			t.Errorf("%s: before message %d, want %d", name, got, c.want)
		}
	}
}

// If it would begin with the user's message, the tail begins with the turn after it.
func TestTheTailBeginsWithTheModel(t *testing.T) {
	call := chattest.Exchange("Read", `{"file_path":"a.go"}`, "a line")
	msgs := slices.Concat([]string{chattest.Says(view.User, "Mend it.")}, call,
		[]string{chattest.Says(view.Assistant, "Done."), chattest.Says(view.User, "And that."),
			chattest.Says(view.User, "Soon.")}, call,
		[]string{chattest.Says(view.Assistant, "Done."), chattest.Says(view.User, "Go on.")})
	v := layout.New(chattest.Request(t, chattest.Body(msgs)), chattest.Counter{})
	v.Split()
	for from, want := range map[int]int{0: 1, 1: 1, 3: 3, 4: 6, 5: 6, 6: 6, 8: 8, 9: 8} {
		room := v.Before[len(v.Messages)] - v.Before[from]
		if got := historyOf(v, nil, settings.Policy{}).FoldTo(room); got != want {
			t.Errorf("with room from message %d on: before message %d, want %d", from, got, want)
		}
	}
}
