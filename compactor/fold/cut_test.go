package fold

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"killick/internal/chattest"
	"killick/view"
)

// The head and the tail of a long message stay, with a mark between them that names what is missing
// and its ref.
func TestLongMessagesAreCut(t *testing.T) {
	long := "HEAD " + strings.Repeat("one \u00e9 two \U0001F600 \"three\" ", 400) + " TAIL"
	msgs := chattest.Follow(
		[]string{
			chattest.Says(view.User, "Mend it."),
			chattest.Says(view.Assistant, "Yes."),
			chattest.Says(view.User, long),
		},
		4,
	)
	_, kept := keptBy(t, cramped, msgs, len(msgs))
	m := chattest.Message(t, string(kept[2]))
	text := m.Text()
	if !strings.HasPrefix(text, "HEAD one") || !strings.HasSuffix(text, " TAIL") ||
		!strings.Contains(text, " tokens left out here; ref=h…] ") {
		t.Errorf("%q", text)
	}
	if n := (chattest.Counter{}).Message(m); n > maxKeptMessage+20 || n < maxKeptMessage/2 {
		t.Errorf("%d tokens, want about %d", n, maxKeptMessage)
	}
	head, tail, _ := strings.Cut(text, " […the middle of about ")
	_, tail, _ = strings.Cut(tail, "…] ")
	if !strings.HasPrefix(long, head) || !strings.HasSuffix(long, tail) {
		t.Error("the ends are not word for word")
	}
	// The task and the latest request may be longer.
	msgs = chattest.Follow(
		[]string{chattest.Says(view.User, long), chattest.Says(view.Assistant, "Yes.")},
		4,
	)
	msgs = append(msgs, chattest.Says(view.User, long+"!"), chattest.Says(view.Assistant, "Done."))
	if _, kept = keptBy(t, cramped, msgs, len(msgs)); kept[0] != nil || kept[len(msgs)-2] != nil {
		t.Error("the task or the latest request is cut")
	}
	_, kept = keptBy(t, pinsUpTo(500), msgs, len(msgs))
	if kept[0] == nil ||
		kept[len(msgs)-2] == nil {
		t.Error("the task or the latest request is not cut")
	}
}

// No word or number is cut in two, unless it is a long one; no character ever is.
func TestCutsAreBetweenWords(t *testing.T) {
	for name, word := range map[string]string{
		"number": "4200", "name": "deployment.go", "no space": strings.Repeat("\u7e41\u9ad4", 40),
	} {
		for shift := range 8 {
			long := strings.Repeat("x", shift) + strings.Repeat(" "+word, 4000/len(word)+1)
			msgs := chattest.Follow([]string{chattest.Says(view.User, "Mend it."),
				chattest.Says(view.Assistant, "Yes."), chattest.Says(view.User, long)}, 4)
			_, kept := keptBy(t, cramped, msgs, len(msgs))
			m := chattest.Message(t, string(kept[2]))
			head, rest, cut := strings.Cut(m.Text(), " […the middle of about ")
			_, tail, _ := strings.Cut(rest, "…] ")
			if !cut || !utf8.ValidString(head+tail) || len(head) < 300 || len(tail) < 100 {
				t.Fatalf("%s, shift %d: %q", name, shift, m.Text())
			}
			if len(word) < longestWord && (!strings.HasSuffix(strings.TrimSpace(head), " "+word) ||
				!strings.HasPrefix(strings.TrimSpace(tail), word+" ")) {
				t.Errorf("%s, shift %d: between %q and %q", name, shift,
					head[len(head)-20:], tail[:20])
			}
		}
	}
}

// In scripts without spaces no number, path or emoji is cut in two either.
func TestCutsWithoutSpaces(t *testing.T) {
	const sentence = "价格是12800元，文件src/订单/价格.go由👩🏽‍🔬维护，"
	for shift := range 40 {
		long := strings.Repeat("字", shift) + strings.Repeat(sentence, 60)
		msgs := chattest.Follow([]string{chattest.Says(view.User, "Mend it."),
			chattest.Says(view.Assistant, "Yes."), chattest.Says(view.User, long)}, 4)
		_, kept := keptBy(t, cramped, msgs, len(msgs))
		m := chattest.Message(t, string(kept[2]))
		head, rest, cut := strings.Cut(m.Text(), " […the middle of about ")
		_, tail, _ := strings.Cut(rest, "…] ")
		if !cut {
			t.Fatalf("shift %d: %q", shift, m.Text())
		}
		for _, word := range []string{"12800", "src/订单/价格.go", "👩🏽‍🔬"} {
			begins, ends := strings.ReplaceAll(tail, word, ""), strings.ReplaceAll(head, word, "")
			for i := range word {
				if i > 0 && (strings.HasSuffix(ends, word[:i]) ||
					strings.HasPrefix(begins, word[i:])) {
					t.Errorf("shift %d: %q is cut in two", shift, word)
				}
			}
		}
	}
}

// Of a text of short lines, such as a log, no line is cut in two.
func TestCutsAreBetweenLines(t *testing.T) {
	const line = "  at com.acme.pay.PayController.handle (PayController.java)"
	for shift := range 70 {
		long := strings.Repeat("x", shift) + strings.Repeat("\n"+line, 100)
		msgs := chattest.Follow([]string{chattest.Says(view.User, "Mend it."),
			chattest.Says(view.Assistant, "Yes."), chattest.Says(view.User, long)}, 4)
		_, kept := keptBy(t, cramped, msgs, len(msgs))
		m := chattest.Message(t, string(kept[2]))
		head, rest, cut := strings.Cut(m.Text(), " […the middle of about ")
		_, tail, _ := strings.Cut(rest, "…] ")
		if !cut || !strings.HasSuffix(head, "\n"+line) || !strings.HasPrefix(tail, line+"\n") {
			t.Errorf("shift %d: %q", shift, m.Text())
		}
	}
}

// One mark stands in place of documents that only white space parts, and says what they are.
func TestDocumentsAreMarkedOnce(t *testing.T) {
	doc := "<document>" + strings.Repeat("Article 4. ", 200) + "</document>"
	block := "<system-reminder>" + strings.Repeat("Be brief. ", 200) + "</system-reminder>"
	for text, want := range map[string]string{
		"[A]\n" + doc + "\n" + doc + "\n[/A]\nSince when?": "[A]\n […documents of about # tokens " +
			"left out here; ref=h…] \n[/A]\nSince when?",
		doc + "\nSince when?\n" + block: " […a document of about # tokens left out here; " +
			"ref=h…] \nSince when?\n […a block of the client application of about # tokens left " +
			"out here; ref=h…] ",
		doc + block + "Since when?": " […blocks of the client application of about # tokens " +
			"left out here; ref=h…] Since when?",
	} {
		msgs := chattest.Follow([]string{chattest.Says(view.User, "Mend it."),
			chattest.Says(view.Assistant, "Yes."), chattest.Says(view.User, text)}, 4)
		_, kept := keptBy(t, cramped, msgs, len(msgs))
		got := regexp.MustCompile(`about [0-9,]+ `).ReplaceAllString(
			chattest.Message(t, string(kept[2])).Text(), "about # ")
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
