package chattest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"killick/rawjson"
)

// Session is a random but valid conversation of about n turns: requests, parallel calls
// with results out of order, files read, edited and read again, failures and retries,
// instructions in the middle, parts, images, legacy calls. A seed gives the same one on
// every machine.
func Session(seed uint64, n int) []string {
	g := Generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	if g.IntN(2) == 0 {
		g.Add(`{"role":"system","content":"You are an agent."}`)
	}
	if g.IntN(3) == 0 {
		g.Add(`{"role":"user","content":"<environment_context>cwd=/srv</environment_context>"}`)
		g.Add(`{"role":"assistant","content":"Noted."}`)
	}
	g.User(
		"Please fix the login of service-" + fmt.Sprint(seed) + ". Never touch the migrations " +
			"folder. Port 8443 stays.",
	)
	for range n {
		g.turn()
	}
	return g.Messages
}

// Generator writes a random conversation.
type Generator struct {
	*rand.Rand
	Messages []string
	ids      int
}

// Add appends a message.
func (g *Generator) Add(raw string) { g.Messages = append(g.Messages, raw) }

// User appends a user's message in one of the forms that clients use.
func (g *Generator) User(text string) {
	quoted := string(rawjson.AppendQuoted(nil, text))
	switch g.IntN(4) {
	case 0:
		g.Add(
			`{"role":"user","content":[{"type":"text","text":` +
				quoted + `},{"type":"image_url","image_url":{"url":"data:image/png;base64,` +
				`AAAA"}}]}`,
		)
	case 1:
		g.Add(`{"content" : ` + quoted + `, "role":"user","name":"ann"}`)
	default:
		g.Add(`{"role":"user","content":` + quoted + `}`)
	}
}

func (g *Generator) turn() {
	switch k := g.IntN(12); {
	case k == 0:
		g.Add(
			`{"role":"assistant","content":"I've fixed handler_` +
				fmt.Sprint(g.IntN(9)) + `.go instead of the router. Shall I go on?"}`,
		)
		g.User(
			fmt.Sprintf(
				"Yes, go on with step %d\u2026 and always run the linter.", len(g.Messages),
			),
		)
	case k == 1:
		g.Add(`{"role":"assistant","content":"Next, let me look at it."}`)
		g.Add(
			`{"role":"developer","content":"Reminder ` +
				fmt.Sprint(len(g.Messages)) + `: be brief."}`,
		)
		g.User("[Request interrupted by user]")
	case k == 2:
		name := fmt.Sprintf("lookup%d", g.IntN(3))
		g.Add(
			`{"role":"assistant","content":null,"function_call":{"name":"` +
				name + `","arguments":"{\"id\":7}"}}`,
		)
		g.Add(`{"role":"function","name":"` + name + `","content":` + g.output() + `}`)
	default:
		g.Calls(1 + g.IntN(3))
	}
}

// Calls appends an assistant message of n calls, and their results.
func (g *Generator) Calls(n int) {
	tools := []string{"read", "edit", "bash"}
	var calls, results []string
	for range n {
		g.ids++
		id := fmt.Sprintf("call_%d", g.ids%40) // ids are reused
		name := tools[g.IntN(3)]
		args := fmt.Sprintf(`{"path":"src/file_%d.go"}`, g.IntN(12))
		if name == "bash" {
			args = fmt.Sprintf(`{"command":"go test ./pkg%d"}`, g.IntN(4))
		}
		calls = append(calls, `{"id":"`+id+`","type":"function","function":{"name":"`+name+
			`","arguments":`+Quote(args)+`}}`)
		content := g.output()
		if g.IntN(5) == 0 {
			content = `[{"type":"text","text":` +
				content + `,"cache_control":{"type":"ephemeral"}}]`
		}
		results = append(results, `{"role":"tool","tool_call_id":"`+id+`","content":`+content+`}`)
	}
	g.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	text := `null`
	if g.IntN(2) == 0 {
		text = `"Let me check file_` + fmt.Sprint(g.IntN(12)) + `.go, ErrTimeout42 still fails."`
	}
	g.Add(
		`{"role":"assistant","content":` + text + `,"tool_calls":[` +
			strings.Join(calls, ",") + `]}`,
	)
	g.Messages = append(g.Messages, results...)
}

// output is a tool's output, as a JSON string: small or large, good or bad.
func (g *Generator) output() string {
	if g.IntN(6) == 0 {
		return `"Error: cannot open config_` + fmt.Sprint(g.IntN(5)) + `.yaml"`
	}
	var b strings.Builder
	for i := range g.IntN(60) {
		fmt.Fprintf(
			&b, "%d\tfunc Handle%d(w http.ResponseWriter) error { return errors.New(\"x%d\") }\n",
			i, g.IntN(1000), g.IntN(1e6),
		)
	}
	return string(rawjson.AppendQuoted(nil, b.String()+"é\U0001F600"))
}
