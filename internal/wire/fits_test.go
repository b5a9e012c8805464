package wire

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"killick/chat"
	"killick/compaction"
	"killick/converse"
	"killick/internal/config"
	"killick/messages"
	"killick/rawjson"
	"killick/responses"
	"killick/tokenizer"
	"killick/view"
)

// For any body of any format: if it is said to fit without being parsed, it is not compacted when
// it is parsed.
func TestWhatFitsIsNotCompacted(t *testing.T) {
	c := config.Default()
	c.Compaction.Trigger, c.Compaction.Target = 3000, 1500
	local, err := OpenLocal(c, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	counter := tokenizer.New(tokenizer.Options{})
	r := rand.New(rand.NewPCG(3, 14))
	fit, near := 0, 0
	for i := range 2700 {
		g := generator{r: r, media: r.IntN(2) == 0}
		f := []view.Format{chat.Format, messages.Format, responses.Format,
			converse.Format, chat.Ollama}[i%5]
		body := g.body(f)
		if !local.Fits(body, "", "ann", "") {
			continue
		}
		fit++
		req, err := view.Parse(f, body)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		out := local.Engine.Engine.Compact(t.Context(), req, "ann")
		size := counter.For(req.Model()).Request(req).Total
		if size > 800 {
			near++
		}
		left := req.Format().Rules(req).Passthrough != ""
		if size > 3000 || out.Reason != compaction.ReasonFits && !left {
			t.Errorf("%s of %d bytes fits, has %d tokens and is %s:\n%.300s", f.Name(), len(body),
				size, out.Reason, body)
		}
	}
	if fit < 300 || near < 30 {
		t.Errorf("%d bodies fit, %d of them with many tokens", fit, near)
	}
}

// generator makes bodies with all elements of a format.
type generator struct {
	r     *rand.Rand
	media bool
	calls int
}

func (g *generator) pick(of ...string) string { return of[g.r.IntN(len(of))] }

// text returns a JSON string of up to n bytes: words, or text with one token per byte.
func (g *generator) text(n int) string {
	n = g.r.IntN(n) + 1
	var b strings.Builder
	dense := g.r.IntN(2) == 0
	for b.Len() < n {
		if dense {
			b.WriteByte(byte('!' + g.r.IntN(90)))
			continue
		}
		b.WriteString(g.pick("word ", "file ", "\n\t", "世界", "0x7f ", "error: "))
	}
	return string(rawjson.AppendQuoted(nil, b.String()))
}

func (g *generator) body(f view.Format) []byte {
	model := g.pick("gpt-4o", "gpt-oss-120b", "claude-sonnet-4-5", "claude-opus-5", "qwen3", "new")
	var items []string
	for range g.r.IntN(4) + 1 {
		switch f {
		case chat.Format:
			items = append(items, g.chat()...)
		case messages.Format:
			items = append(items, g.messages()...)
		case converse.Format:
			items = append(items, g.converse()...)
		case chat.Ollama:
			items = append(items, g.ollama()...)
		default:
			items = append(items, g.item()...)
		}
	}
	options := ""
	if f == chat.Ollama {
		options = g.pick(`,"options":{}`, `,"options":{"num_ctx":512}`)
	}
	return fmt.Appendf(nil, `{"model":%q,%q:[%s]%s}`, model, f.List(), strings.Join(items, ","),
		options)
}

func (g *generator) ollama() []string {
	_, name := g.call()
	images := ""
	if g.media {
		images = `,"images":["` + g.pick("iVBORw0KGgo=", "/9j/4AAQ") + `","R0lGODlh"]`
	}
	switch g.r.IntN(3) {
	case 0:
		return []string{`{"role":"user","content":` + g.text(500) + images + `}`}
	case 1:
		return []string{`{"role":"assistant","content":` + g.text(300) + `,"thinking":` +
			g.text(100) + `}`}
	}
	return []string{
		`{"role":"assistant","content":"","tool_calls":[{"function":{"name":"` + name +
			`","arguments":{"a":` + g.text(200) + `}}}]}`,
		`{"role":"tool","content":` + g.text(900) + images + `}`,
	}
}

func (g *generator) call() (id, name string) {
	g.calls++
	return fmt.Sprintf("call_%d", g.calls), g.pick("a", "read_file")
}

func (g *generator) chat() []string {
	id, name := g.call()
	parts := []string{
		`{"type":"text","text":` + g.text(400) + `}`, g.text(100),
		`{"type":"new","x":` + g.text(40) + `}`,
	}
	if g.media {
		parts = append(parts, `{"type":"image_url","image_url":{"url":"https://x"}}`,
			`{"type":"file","file":{"file_id":"x"}}`,
			`{"type":"input_audio","input_audio":{"data":"AAAA","format":"mp3"}}`)
	}
	switch g.r.IntN(3) {
	case 0:
		return []string{
			`{"role":"user","content":[` + g.pick(parts...) + `,` + g.pick(parts...) + `]}`,
		}
	case 1:
		return []string{`{"role":"assistant","content":` + g.text(300) + `}`}
	}
	return []string{
		`{"role":"assistant","tool_calls":[{"id":"` + id + `","type":"function",` +
			`"function":{"name":"` + name + `","arguments":` + g.text(200) + `}}]}`,
		`{"role":"tool","tool_call_id":"` + id + `","content":` + g.text(900) + `}`,
	}
}

func (g *generator) messages() []string {
	id, name := g.call()
	source := g.pick(`{"type":"url","url":"x"}`, `{"type":"file","file_id":"x"}`,
		`{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}`)
	parts := []string{
		`{"type":"text","text":` + g.text(400) + `,"cache_control":{"type":"ephemeral"}}`,
		`{"type":"search_result","source":"x","title":` + g.text(20) + `,"content":[` +
			`{"type":"text","text":` + g.text(200) + `}]}`,
	}
	if g.media {
		parts = append(parts, `{"type":"image","source":`+source+`}`,
			`{ "source":`+source+`, "type" : "document","title":"x"}`)
	}
	bound := g.pick("",
		`{"type":"thinking","thinking":`+g.text(200)+`,"signature":`+g.text(300)+`},`,
		`{"type":"thinking","thinking":"","signature":`+g.text(900)+`},`,
		`{"type":"redacted_thinking","data":`+g.text(1500)+`},`)
	server := g.pick("",
		`{"type":"server_tool_use","id":"s","name":"web_fetch","input":{"url":`+g.text(30)+`}},`)
	if server != "" && g.media {
		server += `{"type":"web_fetch_tool_result","tool_use_id":"s","content":{"content":` +
			`{"type":"document","source":` + source + `}}},`
	}
	answer := `{"type":"tool_result","tool_use_id":"` + id + `","content":[` +
		g.pick(parts...) + `]}`
	return []string{
		`{"role":"user","content":[` + g.pick(parts...) + `]}`,
		`{"role":"assistant","content":[` + bound + server + `{"type":"tool_use","id":"` + id +
			`","name":"` + name + `","input":{"path":` + g.text(200) + `}}]}`,
		`{"role":"user","content":[` + answer + `,` + g.pick(parts...) + `]}`,
	}
}

func (g *generator) converse() []string {
	id, name := g.call()
	source := g.pick(`{"bytes":"iVBORw0KGgo="}`, `{"s3Location":{"uri":"x"}}`)
	parts := []string{`{"text":` + g.text(400) + `},{"cachePoint":{"type":"default"}}`,
		`{"document":{"name":"x","source":{"text":` + g.text(200) + `}}}`}
	if g.media {
		kind := g.pick("image", "document", "video", "audio")
		parts = append(parts, `{"`+kind+`":{"format":"x","source":`+source+`}}`)
	}
	thought := g.pick("", `{"reasoningContent":{"reasoningText":{"text":`+g.text(200)+
		`,"signature":`+g.text(900)+`}}},`, `{"reasoningContent":{"redactedContent":`+
		g.text(1500)+`}},`)
	return []string{
		`{"role":"user","content":[` + g.pick(parts...) + `]}`,
		`{"role":"assistant","content":[` + thought + `{"toolUse":{"toolUseId":"` + id +
			`","name":"` + name + `","input":{"path":` + g.text(200) + `}}}]}`,
		`{"role":"user","content":[{"toolResult":{"toolUseId":"` + id + `","content":[{"json":` +
			`{"a":` + g.text(300) + `}}]}},` + g.pick(parts...) + `]}`,
	}
}

func (g *generator) item() []string {
	id, name := g.call()
	parts := []string{`{"type":"input_text","text":` + g.text(400) + `}`}
	if g.media {
		parts = append(parts, `{"type":"input_image","image_url":"https://x"}`,
			`{"type":"input_file","file_id":"x"}`, `{"type":"input_image","file_id":"x"}`)
	}
	turn := []string{
		`{"type":"reasoning","summary":[],"encrypted_content":` + g.text(1500) + `}`,
		`{"type":"reasoning","summary":[{"type":"summary_text","text":` + g.text(200) + `}]}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":` +
			g.text(300) + `}]}`,
		`{"type":"web_search_call","status":"completed","action":{"query":` + g.text(30) + `}}`,
	}
	if g.media {
		turn = append(turn, `{"type":"image_generation_call","result":"iVBORw0KGgo="}`)
	}
	return []string{
		`{"role":"user","content":[` + g.pick(parts...) + `]}`, g.pick(turn...),
		`{"type":"function_call","call_id":"` + id + `","name":"` + name + `","arguments":` +
			g.text(200) + `}`,
		`{"type":"function_call_output","call_id":"` + id + `","output":[` +
			g.pick(parts...) + `]}`,
	}
}
