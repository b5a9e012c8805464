package probe

import (
	"strings"
	"testing"
)

// passagesOf returns the statements about messages with quotes at them, as a verifier sees them.
func passagesOf(t *testing.T, redact func(string) string, at int, quote string, lines ...string,
) ([]Statement, []Drop) {
	t.Helper()
	return NewConversation(parse(t, lines...), redact).Passages([]Statement{{Quote: quote, At: at}})
}

// A passage shows what stands beside a quote, up to whole words.
func TestPassages(t *testing.T) {
	long := strings.Repeat("word ", 100)
	ends := strings.TrimSpace(strings.Repeat("word ", 40))
	lines := []string{"user: It would be wrong to say that the\nnetwork is broken. Ask me.",
		"assistant: First " + long + "never delete the backups " + long + "last",
		"assistant: 「網が壊れたとは言えません」",
		"assistant: First " + ends + " delete the backups " + ends + " last"}
	for _, test := range []struct {
		at          int
		quote, want string
	}{
		{1, "the network is broken",
			"It would be wrong to say that the network is broken. Ask me."},
		{2, "delete the backups", "First " + ends[:22*5-1] + "… " + ends[10:] +
			" never delete the backups " + ends[5:] + "… " + ends[:23*5] + "last"},
		{3, "網が壊れた", "「網が壊れたとは言えません」"},
		{4, "delete the backups", strings.TrimPrefix(lines[3], "assistant: ")},
	} {
		kept, dropped := passagesOf(t, same, test.at, test.quote, lines...)
		if len(dropped) > 0 || kept[0].Passage != test.want {
			t.Errorf("%q: %+v, want %q", test.quote, kept, test.want)
		}
	}
}

// A passage shows what its quote stands under, however far above: the beginning of the message
// and of the block, headings, lines that are indented less, brackets.
func TestPassagesShowWhatQuotesStandUnder(t *testing.T) {
	far := strings.Repeat("Much more was said about this on another day. ", 12)
	items := strings.Repeat("- one more of them is left as it was before\n", 12)
	paragraph := "It was about\n" + strings.Repeat("several things that many of us\n", 12)
	refused := far + "\n\nNothing of this is done\n"
	for name, test := range map[string]struct{ text, above string }{
		"message": {"All of this is a draft. " + far, "All of this is a draft."},
		"headings": {far + "\n# Plan\n\n## Rejected\n\n" + far + "\n### Doors\n" + far,
			"# Plan… ## Rejected… ### Doors…"},
		"siblings": {far + "\n## Rejected\n" + far + "\n## Chosen\n" + far, "## Chosen…"},
		"nested": {far + "\n- if it rains\n" + strings.ReplaceAll(items, "- ", "  - ") + "  - ",
			"- if it rains…"},
		"block":     {refused + paragraph, "Nothing of this is done…"},
		"paragraph": {far + "\n\nNobody believes this: " + far, "Nobody believes this: Much"},
		"bracket": {far + `{"place":"test","of":[{"name":"old","text":"` + far,
			`{"name":"old"`},
		"outer": {far + `{"place":"test","of":[{"name":"old"},{"name":"new","text":"` + far,
			`{"place":"test"`},
	} {
		text := test.text + "the door is red. " + far + "It was withdrawn."
		kept, dropped := passagesOf(t, same, 1, "the door is red", "assistant: "+text)
		if len(dropped) > 0 {
			t.Fatalf("%s: %v", name, dropped)
		}
		before, after, _ := strings.Cut(kept[0].Passage, "the door is red")
		if !strings.Contains(before, test.above) || len(before) > 1000 ||
			strings.Contains(before, "Rejected") && strings.Contains(test.above, "Chosen") {
			t.Errorf("%s: %q is shown before it, want %q", name, before, test.above)
		}
		if !strings.HasSuffix(after, "It was withdrawn.") || len(after) > 500 {
			t.Errorf("%s: %q is shown after it, want the end", name, after)
		}
	}
}

// A quote is shown with the call or the result that belongs to it, or with what it answers.
func TestRelatedToQuotes(t *testing.T) {
	lines := []string{
		"user: Shall it be oak?",
		"assistant: Oak is fine. Shall I order it, or wait for Ann?",
		"call order {\"wood\":\"oak\",\"trial\":true}", "tool: order 4471 was made",
		"user: The second, please wait.",
		"call order {\"wood\":\"ash\"}", "tool: refused: no credit",
		"assistant: It was refused, I am sorry.",
	}
	for _, test := range []struct {
		at    int
		quote string
		want  Related
	}{
		{1, "it be oak", Related{}},
		{2, "Oak is fine", Related{Asked, "Shall it be oak?"}},
		{4, "order 4471 was made", Related{ItsCall, `order {"wood":"oak","trial":true}`}},
		{5, "The second", Related{Before, "Oak is fine. Shall I order it, or wait for Ann?"}},
		{6, `"wood":"ash"`, Related{ItsResult, "refused: no credit"}},
		{8, "It was refused", Related{}},
	} {
		kept, _ := passagesOf(t, same, test.at, test.quote, lines...)
		if len(kept) != 1 || kept[0].Related != test.want {
			t.Errorf("%q: %+v, want %+v", test.quote, kept, test.want)
		}
	}
	long := "user: " + strings.Repeat("x ", 999) + "end"
	kept, _ := passagesOf(t, same, 2, "Oak is fine", long, lines[1])
	text := kept[0].Related.Text
	if !strings.HasSuffix(text, " … "+strings.Repeat("x ", 98)+"end") || len(text) > 500 {
		t.Errorf("of a long message %q, want both ends", text)
	}
}

// Nothing that is shown holds a credential, also if only the name of an argument says that it is
// one, and no statement with one is shown.
func TestPassagesHoldNoCredential(t *testing.T) {
	const key = "hunter2-hunter2"
	redact := func(s string) string {
		for _, named := range []string{`"password":"`, "password: "} {
			s = strings.ReplaceAll(s, named+key, named+"[removed]")
		}
		return s
	}
	lines := []string{"user: The password: " + key + " opens the network drive, says Ann.",
		"call login {\"password\":\"" + key + "\",\"host\":\"alpha beta\"}",
		"tool: welcome to the host", "user: And now open the door for Ann."}
	for _, test := range []struct {
		text  string
		at    int
		quote string
		kept  bool
	}{
		{"The drive opens.", 1, "opens the network drive", true},
		{"The drive opens.", 1, key + " opens the network drive", false},
		{"The drive opens with " + key + ".", 1, "opens the network drive", false},
		{"The host is alpha beta.", 2, "alpha beta", true},
		{"The host is welcome.", 3, "welcome to the host", true},
	} {
		c := NewConversation(parse(t, lines...), redact)
		list := []Statement{{Text: test.text, Quote: test.quote, At: test.at}}
		kept, dropped := c.Passages(list)
		if len(kept) != count(test.kept) || len(dropped) != 1-count(test.kept) ||
			!test.kept && dropped[0].Reason != HoldsCredential {
			t.Errorf("%q, %q: kept %+v, dropped %+v", test.text, test.quote, kept, dropped)
		}
		for _, s := range kept {
			if strings.Contains(s.Passage+s.Related.Text, key) || s.Passage == s.Quote &&
				test.quote != "welcome to the host" {
				t.Errorf("%q: %+v", test.quote, s)
			}
		}
		at := []Statement{{Text: "Ann said to open the host.", Quote: "The password", At: 1}}
		for _, p := range c.Others(at) {
			if strings.Contains(p.Text, key) {
				t.Errorf("beside it: %q", p.Text)
			}
		}
	}
}
