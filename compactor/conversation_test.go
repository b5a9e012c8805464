package compactor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/internal/chattest"
	"killick/summary"
	"killick/transcript"
)

// conversation makes a random but valid conversation of about n turns: requests,
// parallel calls with results out of order, files read, edited and read again,
// failures and retries, instructions in the middle, parts, images, legacy calls.
func session(seed uint64, n int) []string {
	g := generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	if g.IntN(2) == 0 {
		g.add(`{"role":"system","content":"You are an agent."}`)
	}
	if g.IntN(3) == 0 {
		g.add(`{"role":"user","content":"<environment_context>cwd=/srv</environment_context>"}`)
		g.add(`{"role":"assistant","content":"Noted."}`)
	}
	g.user(
		"Please fix the login of service-" + fmt.Sprint(
			seed,
		) + ". Never touch the migrations folder. Port 8443 stays.",
	)
	for range n {
		g.turn()
	}
	return g.msgs
}

type generator struct {
	*rand.Rand
	msgs []string
	ids  int
}

func (g *generator) add(raw string) { g.msgs = append(g.msgs, raw) }

func (g *generator) user(text string) {
	quoted := string(chat.AppendQuoted(nil, text))
	switch g.IntN(4) {
	case 0:
		g.add(
			`{"role":"user","content":[{"type":"text","text":` + quoted + `},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`,
		)
	case 1:
		g.add(`{"content" : ` + quoted + `, "role":"user","name":"ann"}`)
	default:
		g.add(`{"role":"user","content":` + quoted + `}`)
	}
}

func (g *generator) turn() {
	switch k := g.IntN(12); {
	case k == 0:
		g.add(
			`{"role":"assistant","content":"I've fixed handler_` + fmt.Sprint(
				g.IntN(9),
			) + `.go instead of the router. Shall I go on?"}`,
		)
		g.user(fmt.Sprintf("Yes, go on with step %d\u2026 and always run the linter.", len(g.msgs)))
	case k == 1:
		g.add(`{"role":"assistant","content":"Next, let me look at it."}`)
		g.add(
			`{"role":"developer","content":"Reminder ` + fmt.Sprint(len(g.msgs)) + `: be brief."}`,
		)
		g.user("[Request interrupted by user]")
	case k == 2:
		name := fmt.Sprintf("lookup%d", g.IntN(3))
		g.add(
			`{"role":"assistant","content":null,"function_call":{"name":"` + name + `","arguments":"{\"id\":7}"}}`,
		)
		g.add(`{"role":"function","name":"` + name + `","content":` + g.output() + `}`)
	default:
		g.calls(1 + g.IntN(3))
	}
}

func (g *generator) calls(n int) {
	tools := []string{"read", "edit", "bash"}
	var calls, results []string
	for range n {
		g.ids++
		id := fmt.Sprintf("call_%d", g.ids%40) // ids come again
		name := tools[g.IntN(3)]
		args := fmt.Sprintf(`{"path":"src/file_%d.go"}`, g.IntN(12))
		if name == "bash" {
			args = fmt.Sprintf(`{"command":"go test ./pkg%d"}`, g.IntN(4))
		}
		calls = append(
			calls,
			`{"id":"`+id+`","type":"function","function":{"name":"`+name+`","arguments":`+string(
				chat.AppendQuoted(nil, args),
			)+`}}`,
		)
		content := g.output()
		if g.IntN(5) == 0 {
			content = `[{"type":"text","text":` + content + `,"cache_control":{"type":"ephemeral"}}]`
		}
		results = append(results, `{"role":"tool","tool_call_id":"`+id+`","content":`+content+`}`)
	}
	g.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	text := `null`
	if g.IntN(2) == 0 {
		text = `"Let me check file_` + fmt.Sprint(g.IntN(12)) + `.go, ErrTimeout42 still fails."`
	}
	g.add(
		`{"role":"assistant","content":` + text + `,"tool_calls":[` + strings.Join(
			calls,
			",",
		) + `]}`,
	)
	g.msgs = append(g.msgs, results...)
}

// output is a tool's output, as a JSON string: small or large, good or bad.
func (g *generator) output() string {
	if g.IntN(6) == 0 {
		return `"Error: cannot open config_` + fmt.Sprint(g.IntN(5)) + `.yaml"`
	}
	var b strings.Builder
	for i := range g.IntN(60) {
		fmt.Fprintf(
			&b,
			"%d\tfunc Handle%d(w http.ResponseWriter) error { return errors.New(\"x%d\") }\n",
			i,
			g.IntN(1000),
			g.IntN(1e6),
		)
	}
	return string(chat.AppendQuoted(nil, b.String()+"é\U0001F600"))
}

// body makes a request of messages.
func body(msgs []string) []byte {
	return []byte(
		`{"model":"gpt-5.1", "messages": [` + strings.Join(
			msgs,
			",\n ",
		) + `], "temperature":2.50,"stream":true}`,
	)
}

// turns calls yield with the number of messages of each request that led to
// msgs: an agent sends what stands before each assistant message, then all.
func turns(t testing.TB, msgs []string, yield func(n int)) {
	for i, raw := range msgs {
		if i > 0 && chattest.Message(t, raw).Role() == chat.Assistant {
			yield(i)
		}
	}
	yield(len(msgs))
}

func parse(t testing.TB, body []byte) *chat.Request {
	t.Helper()
	r, err := chat.Parse(body)
	if err != nil {
		t.Fatalf("%v in %.200s", err, body)
	}
	return r
}

// checkForm holds what is forwarded against the rules that never bend.
func checkForm(t testing.TB, in, out []byte) {
	t.Helper()
	was, is := parse(t, in), parse(t, out)
	old, new := was.Messages(), is.Messages()
	before, after := checkpoint.Count(old), checkpoint.Count(new)
	if after.Orphans != 0 && before.Orphans == 0 || after.Open > before.Open {
		t.Errorf("%d results without a call, %d calls without a result", after.Orphans, after.Open)
	}
	if !bytes.Equal(before.Instructions, after.Instructions) {
		t.Error("a system or developer message changed")
	}
	head, tail := bytes.Index(
		in,
		old[0].Raw,
	), bytes.LastIndex(
		in,
		old[len(old)-1].Raw,
	)+len(
		old[len(old)-1].Raw,
	)
	if !bytes.HasPrefix(out, in[:head]) || !bytes.HasSuffix(out, in[tail:]) {
		t.Error("a byte outside the messages changed")
	}
	if len(out) > len(in) {
		t.Errorf("grown from %d to %d bytes", len(in), len(out))
	}
	checkWords(t, out, old)
}

// checkWords looks in what is forwarded for the words of persons that always stay, as
// the client spelled them: the task, the latest request, and the newest messages that
// are not long.
func checkWords(t testing.TB, out []byte, old []chat.Message) {
	t.Helper()
	requests := requestsIn(old)
	for n, i := range requests {
		first, newest := n == 0, n == len(requests)-1
		if !first && !newest &&
			(len(requests)-n > fold.AlwaysKept || byteCounter{}.Message(&old[i]) > fold.KeptMessage) {
			continue
		}
		for part := range old[i].Parts() {
			if part.Text != nil && !bytes.Contains(out, part.Text.StringBody()) {
				t.Errorf(
					"the words of message %d are lost, the %d. of %d of persons: %.100s",
					i,
					n+1,
					len(requests),
					part.Text,
				)
			}
		}
	}
}

// requestsIn are the messages of persons.
func requestsIn(msgs []chat.Message) (found []int) {
	for i := range msgs {
		if isRequest(&msgs[i]) {
			found = append(found, i)
		}
	}
	return found
}

// isRequest reports whether a person typed in a message.
func isRequest(m *chat.Message) bool {
	t := transcript.ReadAll([]chat.Message{*m})
	return m.Role() == chat.User && t.Message(0).Speaker == transcript.Person
}

// recordsIn are the texts of the records in a request.
func recordsIn(r *chat.Request) (texts []string) {
	for i := range r.Messages() {
		if text := r.Messages()[i].Text(); strings.Contains(text, summary.Mark) {
			texts = append(texts, text)
		}
	}
	return texts
}

// randomSeeds is how many random conversations a test takes: under the race detector,
// which is slow, the run is short and one has to do.
func randomSeeds(n uint64) uint64 {
	if testing.Short() {
		return 1
	}
	return n
}

// randomTurns is how long such a conversation is, which for the same reason is half
// as long there.
func randomTurns(n int) int {
	if testing.Short() {
		return n / 2
	}
	return n
}
