package fold

import (
	"fmt"
	"strings"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/summary"
	"killick/view"
)

// The first three and the newest twenty messages of persons stay, and as many next to both as fit
// in half of the room each; the record quotes the others.
func TestTheFirstAndTheNewestAreKept(t *testing.T) {
	msgs := chattest.Follow([]string{chattest.Says(view.User, "Mend the oven.")}, 60)
	latest := len(msgs) - 2 // the assistant has the last word
	for name, c := range map[string]struct {
		target, first, newest int
		folds                 []int
	}{
		"no room": {40, firstKept, alwaysKept, []int{len(msgs)}},
		// A message has 22 tokens.
		"room for more": {800, firstKept + 800/2/2/22 + 800/8/2/22,
			alwaysKept + 800/2/2/22 + 800/8/2/22, []int{len(msgs)}},
		"room for all":          {50_000, firstKept, 58, []int{len(msgs)}},
		"in several steps":      {40, firstKept, alwaysKept, []int{11, 51, 83, len(msgs)}},
		"and the last short":    {40, firstKept, alwaysKept, []int{len(msgs) - 2, len(msgs)}},
		"beside the last turns": {40, firstKept, alwaysKept - 4, []int{len(msgs) - 8}},
	} {
		_, cp := foldsAt(t, settings.Policy{Target: settings.Size(c.target)}, msgs, c.folds...)
		kept, last := cp.Kept(), min(latest, (c.folds[len(c.folds)-1]-1)/2*2)
		if got := len(kept); got != c.first+c.newest {
			t.Errorf("%s: %d are kept, want %d", name, got, c.first+c.newest)
		}
		for n, k := range kept {
			want := last - 2*(len(kept)-1-n)
			if n < c.first {
				want = 2 * n
			}
			if k.Index != want || k.Raw != nil {
				t.Errorf(
					"%s: message %d is kept as %q, want message %d as it came",
					name,
					k.Index,
					k.Raw,
					want,
				)
			}
		}
		for i := range cp.Records {
			quoted, leftOut := 0, 0
			text := checkpoint.Text(cp.Records[i : i+1])
			if _, section, ok := strings.Cut(text, "\n## "+summary.TitleWords+"\n"); ok {
				section, _, _ = strings.Cut(section, "\n\n")
				quoted = strings.Count("\n"+section, "\n- ")
				_, _ = fmt.Sscanf(
					section[strings.LastIndexByte(section, '(')+1:],
					"%d more left out",
					&leftOut,
				)
			} else if _, rest, ok := strings.Cut(text, summary.TitleWords+" ("); ok {
				_, _ = fmt.Sscanf(rest, "%d left out", &leftOut)
			}
			if len(cp.Records) == 1 && quoted+leftOut+len(kept) != last/2+1 {
				t.Errorf(
					"%s: %d messages are kept, %d quoted, %d counted as left out, of 61",
					name,
					len(kept),
					quoted,
					leftOut,
				)
			}
		}
	}
}

// Nobody can fetch again what a person wrote or pasted: while there is room in the window, the task
// and the newest messages stay whole, with documents, but without what the client added.
func TestWhatPersonsWroteStaysWhole(t *testing.T) {
	page := strings.Repeat("Article 4 holds in all harbours. ", 400) // 3,200 tokens
	task := "<document>" + page + "</document>\nSince when does article 4 hold?"
	msgs := chattest.Follow([]string{
		chattest.Says(view.User, task), chattest.Says(view.Assistant, "Since May."),
		chattest.Says(view.User, page), chattest.Says(view.Assistant, "Noted."),
		chattest.Says(view.User, "<system-reminder>"+page+"</system-reminder>\nAnd now?"),
		chattest.Says(view.Assistant, "Now too."), chattest.Says(view.User, page+"!"),
	}, 4)
	for window, want := range map[int]string{
		400: "", 9_600: "0", 16_000: "0 6", 22_000: "0 2 6", 200_000: "0 2 6",
	} {
		policy := settings.Policy{Target: 40, MaxTaskTokens: 100,
			Windows: map[string]settings.Window{"gpt-5.1": {Tokens: window}}}
		_, kept := keptBy(t, policy, msgs, len(msgs))
		var whole []string
		for _, i := range []int{0, 2, 4, 6} {
			if raw, ok := kept[i]; ok && raw == nil {
				whole = append(whole, fmt.Sprint(i))
			}
		}
		if got := strings.Join(whole, " "); got != want {
			t.Errorf("in a window of %d tokens messages %q stay whole, want %q", window, got, want)
		}
	}
}

// Pasted pages do not displace an older instruction of a few words.
func TestBriefMessagesAreKeptBeforeLongerOnes(t *testing.T) {
	msgs := []string{chattest.Says(view.User, "Mend the oven."),
		chattest.Says(view.Assistant, "Shall I also raise its version?"),
		chattest.Says(view.User, "No new version.")}
	for range 3 * alwaysKept {
		msgs = append(msgs, chattest.Says(view.Assistant, "The next page, please."),
			chattest.Says(view.User, strings.Repeat("a line of the manual ", 20)))
	}
	msgs = append(msgs, chattest.Says(view.Assistant, "I have read it."))
	_, kept := keptBy(t, settings.Policy{Target: 2000}, msgs, len(msgs))
	if raw, ok := kept[2]; !ok || raw != nil {
		t.Errorf("message 2 is not kept as it came, but %d others are", len(kept))
	}
	if len(kept) <= alwaysKept+2 {
		t.Errorf("%d messages are kept, want longer ones too", len(kept))
	}
}

// What a person writes early stays beside much that they write later: the glossary of a translator
// after a greeting, and rules among hundreds of orders. Of what was said again, the latest stays.
func TestWhatWasAgreedOnEarlyStays(t *testing.T) {
	glossary := "Nebelkrähe is her nickname: Hoodie. " + strings.Repeat("A term and its word. ", 12)
	spec := strings.Repeat("Article 4 holds in all harbours. ", 400)
	msgs := []string{chattest.Says(view.User, "Hello!"),
		chattest.Says(view.Assistant, "Hello."), chattest.Says(view.User, spec),
		chattest.Says(view.Assistant, "Read."), chattest.Says(view.User, "Light on."),
		chattest.Says(view.Assistant, "On."), chattest.Says(view.User, glossary),
		chattest.Says(view.Assistant, "Noted."), chattest.Says(view.User, "Never open the blinds."),
		chattest.Says(view.Assistant, "Noted."), chattest.Says(view.User, "Go on.")}
	for i := range 200 {
		said := fmt.Sprintf("Paragraph %d: %s", i, strings.Repeat("The fog lay on it. ", 12))
		if i%2 == 0 {
			said = []string{"Go on.", "Light off."}[i/2%2]
		}
		msgs = append(msgs, chattest.Says(view.Assistant, "Done."), chattest.Says(view.User, said))
	}
	_, kept := keptBy(t, settings.Policy{Target: 4000}, msgs, len(msgs))
	for _, i := range []int{0, 2, 4, 6, 8} {
		if raw, ok := kept[i]; !ok || raw != nil {
			t.Errorf("message %d is not kept as it came, but %d others are", i, len(kept))
		}
	}
	if _, ok := kept[10]; ok {
		t.Error("message 10 is kept, which was said again later")
	}
}

// Pictures differ whatever was said beside them.
func TestMessagesWithAttachmentsAreNoRepetitions(t *testing.T) {
	see := func(image string) string {
		return `{"role":"user","content":[{"type":"text","text":"And this?"},{"type":"image_url",` +
			`"image_url":{"url":"data:image/png;base64,` + image + `"}}]}`
	}
	msgs := chattest.Follow([]string{chattest.Says(view.User, "What is this?"),
		chattest.Says(view.Assistant, "A crane."), see("AAAA"),
		chattest.Says(view.Assistant, "A gull."), see("BBBB"),
		chattest.Says(view.Assistant, "A tern."), see("CCCC")}, 40)
	_, kept := keptBy(t, settings.Policy{Target: 50_000}, msgs, len(msgs))
	for _, i := range []int{2, 4, 6} {
		if _, ok := kept[i]; !ok {
			t.Errorf("message %d is not kept", i)
		}
	}
}

// However long the user's messages are, a chat keeps newest turns with the replies in them.
func TestAChatKeepsItsNewestReplies(t *testing.T) {
	var msgs []string
	for range 2 * alwaysKept {
		msgs = append(msgs, chattest.Says(view.User, strings.Repeat("harbour ", 1500)),
			chattest.Says(view.Assistant, "Revised."))
	}
	policy := settings.Policy{Auto: true, Target: 2000}.WithDefaults()
	budget := policy.Budget(settings.DefaultWindow, 1, plan.Prices{}).OfChat()
	v := layout.New(chattest.Request(t, chattest.Body(msgs)), chattest.Counter{})
	v.Split()
	h := history.New(v, nil, budget, policy)
	k := NewKeeper(h, chattest.Counter{}, func([]byte) string { return "h" })
	old, err := OldOf(h)
	if err != nil {
		t.Fatal(err)
	}
	if room, err := TailRoom(h, old, k); err != nil || room < budget.Turns()/3 {
		t.Errorf("room for %d of %d tokens is left, %v", room, budget.Turns(), err)
	}
}

// A long message that stays whole leaves as much room for the newest turns as a shorter one.
func TestLongMessagesLeaveRoomForTheTail(t *testing.T) {
	room := func(words int) int {
		msgs := chattest.Follow([]string{chattest.Says(view.User, "Sum up: "+
			strings.Repeat("harbour ", words))}, 8)
		policy := settings.Policy{Target: 4000}.WithDefaults()
		v := layout.New(chattest.Request(t, chattest.Body(msgs)), chattest.Counter{})
		v.Split()
		h := history.New(v, nil, policy.Budget(settings.DefaultWindow, 1, plan.Prices{}), policy)
		old, err := OldOf(h)
		if err != nil {
			t.Fatal(err)
		}
		k := NewKeeper(h, chattest.Counter{}, func([]byte) string { return "h" })
		n, err := TailRoom(h, old, k)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if short, long, longer := room(10), room(1100), room(9000); long != longer || short <= long {
		t.Errorf("room for %d, %d and %d tokens beside longer tasks", short, long, longer)
	}
}
