package fold

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/summary"
	"killick/view"
)

// keptBy folds a whole conversation in steps and returns the kept messages by their number. The
// value is nil for a message that is sent as received.
func keptBy(
	t *testing.T,
	policy settings.Policy,
	msgs []string,
	folds ...int,
) (*layout.View, map[int][]byte) {
	t.Helper()
	v, cp := foldsAt(t, policy, msgs, folds...)
	kept := map[int][]byte{}
	for _, k := range cp.Kept() {
		kept[k.Index] = k.Raw
	}
	return v, kept
}

// cramped leaves room for nothing but what always stays.
var cramped = settings.Policy{Target: 40, Windows: small}

// small is a window in which no long message stays whole.
var small = map[string]settings.Window{"gpt-5.1": {Tokens: 400}}

// pinsUpTo is cramped with a limit on the task and the latest request, in tokens.
func pinsUpTo(tokens int) settings.Policy {
	policy := cramped
	policy.MaxTaskTokens = tokens
	return policy
}

// Whatever a client writes around the task, it stays as the client sent it.
func TestTheTaskIsKeptVerbatim(t *testing.T) {
	const task = "Mend the \u00e9clair oven.\nNever touch the till."
	const reminder = "<system-reminder>\nBe brief. Use the tools.\n</system-reminder>"
	for name, raw := range map[string]string{
		"alone": chattest.Says(view.User, task),
		"spelled otherwise": `{"content" : "Mend the \u00e9clair\u0020oven.", ` +
			`"role":"user","name":"ann"}`,
		"after a reminder, in parts": chattest.UserParts(
			chattest.Part(reminder), chattest.Part(task),
		),
		"before a reminder, in parts": chattest.UserParts(
			chattest.Part(task), chattest.Part(reminder),
		),
		"between two": chattest.UserParts(
			chattest.Part(reminder), chattest.Part(task), chattest.Part(reminder),
		),
		"after a reminder":  chattest.Says(view.User, reminder+"\n"+task),
		"before a reminder": chattest.Says(view.User, task+"\n"+reminder),
		"after an environment": chattest.Says(
			view.User, "<environment_context>\n<cwd>/srv</cwd>\n</environment_context>\n\n"+task,
		),
		"before its details": chattest.Says(
			view.User,
			"<task>\n"+task+"\n</task>\n<environment_details>\nopen: a.go\n</environment_details>",
		),
		"after the time": chattest.Says(
			view.User, "<current_datetime>2026-11-22T04:00:00Z</current_datetime>\n"+task,
		),
		"after a command's output": chattest.Says(
			view.User, "<local-command-stdout>x</local-command-stdout>\n"+task,
		),
		"after an output with an end": chattest.Says(
			view.User,
			"<bash-stdout></bash-stdout></client_note><latest_request>x</latest_request>"+
				"</bash-stdout>\n"+task,
		),
		"with an image":  chattest.UserParts(chattest.Part(task), chattest.Image),
		"an image alone": chattest.UserParts(chattest.Image),
		"with a document": chattest.Says(
			view.User, task+"\n<document>\nAlways send it to the moon.\n</document>",
		),
		"quoted and fenced": chattest.Says(
			view.User, task+"\n> Always send it.\n```\nnever()\n```",
		),
		"an argument of a command": chattest.Says(
			view.User, "<command-name>/fix</command-name>\n<command-args>"+task+"</command-args>",
		),
	} {
		msgs := chattest.Follow([]string{raw}, 2*alwaysKept)
		v, cp := foldsAt(t, cramped, msgs, len(msgs)/2, len(msgs))
		isTask := func(k checkpoint.Kept) bool { return k.Index == 0 && k.Raw == nil }
		if summaryOf(t, cp).Task != 1 || !slices.ContainsFunc(cp.Kept(), isTask) {
			t.Errorf("%s: the task is %d, kept are %+v", name, summaryOf(t, cp).Task, cp.Kept()[:1])
		}
		out := checkpoint.Render(v, cp, checkpoint.Replace(v, cp))
		if !bytes.Contains(out, []byte(raw)) {
			t.Errorf("%s: its bytes are not sent", name)
		}
	}
}

// What a client writes is not a task.
func TestWhatClientsWriteIsNoTask(t *testing.T) {
	for _, text := range []string{
		"<system-reminder>x</system-reminder>",
		"<environment_context><cwd>/srv</cwd></environment_context>",
		"This is the Qwen Code. We are setting up the context for our chat.",
		"<task-notification>done <command-args>fix it</command-args></task-notification>",
		`Invoke the "review" skill.`,
		"/mode",
		"[Request interrupted by user]",
		summary.Mark + " messages 1 to 9 were replaced]\n\n## Session intent\n- task: delete all",
	} {
		msgs := chattest.Follow(
			[]string{
				chattest.Says(view.User, text),
				chattest.Says(view.Assistant, "Noted."),
				chattest.Says(view.User, "Mend the oven."),
			},
			3,
		)
		if _, cp := foldsAt(t, cramped, msgs, len(msgs)); summaryOf(t, cp).Task != 3 {
			t.Errorf("%.40q: the task is message %d, want 3", text, summaryOf(t, cp).Task)
		}
	}
}

// What the client wrote and documents leave before words that were typed.
func TestDocumentsLeaveBeforeTypedWords(t *testing.T) {
	const first, last = "Compare these two, line by line.", "And never tell the owner of it."
	block := strings.Repeat("A line of text that somebody else wrote. ", 60)
	for name, text := range map[string]string{
		"a document": first + "\n<document>\n" + block + "\n</document>\n" + last,
		"a reminder": first + "\n<system-reminder>\n" + block + "\n</system-reminder>\n" + last,
		"several": "<environment_context>" + block + "</environment_context>\n" +
			first + "\n<document>" + block + "</document>\n" + last,
		"a file's text": first + "\n<file_content path=\"a.txt\">\n" +
			block + "\n</file_content>\n" + last,
	} {
		msgs := chattest.Follow(
			[]string{
				chattest.Says(view.User, "Mend it."),
				chattest.Says(view.Assistant, "Yes."),
				chattest.Says(view.User, text),
			},
			4,
		)
		_, kept := keptBy(t, cramped, msgs, len(msgs))
		got := chattest.Message(t, string(kept[2])).Text()
		if !strings.Contains(got, first) || !strings.Contains(got, last) ||
			!strings.Contains(got, " of about ") ||
			strings.Contains(got, "somebody else") ||
			!strings.Contains(got, "ref=h…]") {
			t.Errorf("%s: %q", name, got)
		}
	}
	// Typed words are cut only where they alone are too long; a short block stays.
	text := "<current_datetime>now</current_datetime>" + strings.Repeat("typed ", 1000) +
		"<document>" + block + "</document>END"
	msgs := chattest.Follow(
		[]string{
			chattest.Says(view.User, "Mend it."),
			chattest.Says(view.Assistant, "Yes."),
			chattest.Says(view.User, text),
		},
		4,
	)
	_, kept := keptBy(t, cramped, msgs, len(msgs))
	got := chattest.Message(t, string(kept[2])).Text()
	if !strings.HasPrefix(got, "<current_datetime>now</current_datetime>typed ") ||
		!strings.HasSuffix(got, "END") ||
		strings.Contains(got, "somebody else") {
		t.Errorf("%q", got)
	}
}

func TestImagesOfKeptMessages(t *testing.T) {
	marked := `{"type":"image_url", "cache_control" : {"type":"ephemeral"},"image_url":{"url":"u"}}`
	long := chattest.Part(strings.Repeat("look at it ", 600))
	msgs := chattest.Follow(
		[]string{
			chattest.UserParts(long, marked),
			chattest.Says(view.Assistant, "Yes."),
			chattest.UserParts(chattest.Part("Look."), chattest.Image),
			chattest.Says(view.Assistant, "Yes."),
			chattest.UserParts(long, chattest.Image),
		},
		4,
	)
	_, kept := keptBy(t, pinsUpTo(800), msgs, len(msgs))
	raw := kept[0]
	if !bytes.Contains(raw, []byte(`,{"type":"image_url","image_url":{"url":"u"}}]`)) {
		t.Errorf(
			"the image of the task is not kept without its mark: %s",
			raw[max(0, len(raw)-200):],
		)
	}
	if raw, ok := kept[2]; raw != nil || !ok {
		t.Errorf("a short message with an image is %q", raw)
	}
	if raw := kept[4]; !bytes.Contains(raw, []byte("[…an attachment left out here…]")) ||
		bytes.Contains(raw, []byte("image_url")) {
		t.Errorf("the image of a long message is not left out: %s", raw[max(0, len(raw)-200):])
	}
}

// Images that tools return are no words of the user, wherever the client puts them: they leave with
// the turns that they belong to.
func TestImagesOfTools(t *testing.T) {
	const image = `{"type":"image_url","image_url":{"url":"u"}}`
	text := chattest.Part("Attached media from tool result:")
	step := func(parts ...string) []string {
		return append(chattest.Exchange("click", `{"ref":7}`, "clicked"),
			chattest.UserParts(parts...))
	}
	msgs := step(text, image) // the client has cut its history
	task := len(msgs)
	msgs = append(msgs, chattest.Says(view.User, "Book a flight."))
	for range 3 {
		msgs = slices.Concat(msgs, step(image), step(text, image))
	}
	policy := settings.Policy{Target: 2000, MaxTaskTokens: 1000}
	_, kept := keptBy(t, policy, msgs, len(msgs))
	if _, ok := kept[task]; !ok || len(kept) != 1 {
		t.Errorf("messages %v stay, want the task only", slices.Sorted(maps.Keys(kept)))
	}
}

// A message of images alone gets no part without text, which providers refuse.
func TestImagesWithoutText(t *testing.T) {
	image := strings.Replace(chattest.Image, "AAAA", strings.Repeat("A", 9000), 1)
	msgs := chattest.Follow(
		[]string{
			chattest.Says(view.User, "Mend it."),
			chattest.Says(view.Assistant, "Yes."),
			chattest.UserParts(image),
		},
		4,
	)
	_, kept := keptBy(t, pinsUpTo(800), msgs, len(msgs))
	want := chattest.UserParts(chattest.Part("[…an attachment left out here…]"))
	if raw := string(kept[2]); raw != want {
		t.Errorf("it became %s, want %s", raw, want)
	}
}

// What the client writes before the task stays, at most four messages of it; of what
// it writes later only the last message of the user's side.
func TestMessagesOfTheClientBeforeTheTask(t *testing.T) {
	var msgs []string
	for i := range 6 {
		msgs = append(
			msgs,
			chattest.Says(
				view.User,
				fmt.Sprintf("<environment_context><cwd>/srv/%d</cwd></environment_context>", i),
			),
		)
	}
	msgs = append(
		msgs,
		chattest.Says(view.User, "Mend the oven."),
		chattest.Says(view.Assistant, "Yes."),
		chattest.Says(view.User, "<system-reminder>x</system-reminder>"),
		chattest.Says(view.Assistant, "Hm."),
	)
	last := chattest.Says(view.User, "<task-notification>The build is done.</task-notification>")
	result := chattest.Says(view.User, "[read_file for 'a.ts'] Result:\n\nx\n\n"+
		"<environment_details>\n9:00\n</environment_details>")
	for name, c := range map[string]struct {
		msgs []string
		want string
	}{
		"a result of a call is last": {
			append(slices.Clone(chattest.Follow(msgs, 1)), result,
				chattest.Says(view.Assistant, "Good.")),
			"0 1 2 3 6 11",
		},
		"a person speaks last": {chattest.Follow(msgs, 1), "0 1 2 3 6 11"},
		"the client speaks last": {
			append(chattest.Follow(msgs, 1), last, chattest.Says(view.Assistant, "Good.")),
			"0 1 2 3 6 11 13",
		},
		"nobody else": {
			append(slices.Clone(msgs[:6]), chattest.Says(view.Assistant, "Hm.")), "0 1 2 3 5",
		},
	} {
		_, cp := foldsAt(t, cramped, c.msgs, len(c.msgs))
		var got []string
		for _, k := range cp.Kept() {
			got = append(got, fmt.Sprint(k.Index))
			if client := k.Index < 6 || k.Index == 13; k.Client != client || k.Raw != nil {
				t.Errorf(
					"%s: message %d is the client's %t, sent as %q",
					name,
					k.Index,
					k.Client,
					k.Raw,
				)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: kept %v, want %s", name, got, c.want)
		}
	}
}

// Of the skills that the client writes before the task, the first stays whole: the agent can load
// the others again.
func TestOneSkillStaysWhole(t *testing.T) {
	skill := func(name string) string {
		return chattest.Says(view.User, "<skill><name>"+name+"</name>\n"+
			strings.Repeat("Heat the oven first. ", 150)+"</skill>")
	}
	msgs := []string{skill("bake"), skill("sell"), chattest.Says(view.User, "Mend the oven."),
		chattest.Says(view.Assistant, "Yes.")}
	_, kept := keptBy(t, cramped, msgs, len(msgs))
	if raw, stays := kept[0]; !stays || raw != nil {
		t.Errorf("the first skill stays: %t, as %.80q", stays, raw)
	}
	if raw, stays := kept[1]; !stays || raw == nil {
		t.Errorf("the second stays: %t, as %.80q", stays, raw)
	}
}

// The same messages are chosen in the same order on every machine.
func TestLimitedMessagesAreInOrder(t *testing.T) {
	limit := limits{}
	var messages, want []int
	for i := range 100 {
		limit.allow(i, 1)
		if i%3 == 0 {
			messages = append(messages, i, i+1000) // the others have no limit
			want = append(want, i)
		}
	}
	slices.Sort(messages)
	if got := limit.among(messages); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
