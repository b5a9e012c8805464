package tap

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"killick/chat"
	"killick/proxy/coding"
	"killick/proxy/coding/codingtest"
	"killick/proxy/format"
	"killick/proxy/frames"
)

const completion = `{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":` +
	`{"role":"assistant","content":"The \"usage\":{} of it."},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":70,"completion_tokens":5,"total_tokens":75,` +
	`"prompt_tokens_details":{"cached_tokens":64}}}`

const eventStream = ": keep-alive\n\n" +
	`data: {"id":"c","choices":[{"index":0,"delta":{"content":""}}],"usage":null}` + "\n\n" +
	"event: x\r\n" +
	`data: {"choices":[{"index":1,"delta":{"content":"half \ud83d \"usage\""},"logprobs":null}]}` +
	"\r\n\r\n" +
	`data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":22,` +
	`"prompt_tokens_details":{"cached_tokens":3}}}` + "\n\n" +
	"data: [DONE]\n\n"

// tapped returns the last usage that a tap observes, its reply cut in pieces.
func tapped(h http.Header, reply string, piece int) (u chat.Usage, heard int) {
	seen := tappedIn(format.Chat, h, reply, piece)
	return seen.usage, seen.heard
}

// seen is what a tap observes: the last usage, how many there were, and how often the window
// was full.
type seen struct {
	usage       chat.Usage
	heard, full int
}

func (s *seen) Usage(u chat.Usage) { s.usage = u; s.heard++ }
func (s *seen) WindowFull()        { s.full++ }

func tappedIn(f format.Format, h http.Header, reply string, piece int) *seen {
	s := new(seen)
	t := New(h, f, s)
	for b := []byte(reply); len(b) > 0; b = b[min(piece, len(b)):] {
		t.Feed(b[:min(piece, len(b))])
	}
	t.End()
	t.End()
	t.Feed([]byte("after the end"))
	return s
}

func header(contentType, coding string) http.Header {
	h := http.Header{"Content-Type": {contentType}}
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	return h
}

func TestTapReadsUsageFromPiecesOfEverySize(t *testing.T) {
	long := `{"choices":[{"message":{"content":"` + strings.Repeat(`a\\\"\n`, 3000) + `"}}],` +
		completion[1:]
	for _, reply := range []string{completion, long} {
		for _, coding := range codingtest.Codings {
			encoded := codingtest.Encode(coding, reply)
			for _, piece := range []int{1, 2, 3, 7, 64, 4096, 1 << 20} {
				u, heard := tapped(header("application/json", coding), encoded, piece)
				if heard != 1 || u.PromptTokens != 70 || u.CachedTokens != 64 ||
					u.CompletionTokens != 5 {
					t.Errorf("%s in pieces of %d: heard %d times %+v", coding, piece, heard, u)
				}
			}
		}
		for _, piece := range []int{1, 2, 3, 7, 64, 4096, 1 << 20} {
			if u, heard := tapped(header("", ""), reply, piece); heard != 1 ||
				u.PromptTokens != 70 {
				t.Errorf("plain in pieces of %d: heard %d times %+v", piece, heard, u)
			}
		}
	}
	stream := eventStream
	for _, piece := range []int{1, 2, 5, 100, 1 << 20} {
		if u, heard := tapped(header("Text/Event-Stream; x=1", ""), stream, piece); heard != 1 ||
			u.CompletionTokens != 22 {
			t.Errorf("stream in pieces of %d: heard %d times %+v", piece, heard, u)
		}
	}
}

func TestTapObservesTheLastOfRunningUsages(t *testing.T) {
	stream := "data: {\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\ndata: " +
		"{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n"
	if u, heard := tapped(header("text/event-stream", ""), stream, 10); heard != 2 ||
		u.CompletionTokens != 2 {
		t.Errorf("heard %d times, last %+v", heard, u)
	}
}

var scans = []struct {
	body string
	want int // prompt tokens, 0: none
}{
	{completion, 70},
	{` {"usage" : {"prompt_tokens" : 3 } , "x":1}`, 3},
	{`{"usage":null,"a":[{"usage":{"prompt_tokens":9}}],"usage":{"prompt_tokens":4}}`, 4},
	{`{"a":{"usage":{"prompt_tokens":9}}}`, 0},
	{`{"a":"usage","b":{"prompt_tokens":9}}`, 0},
	{`{"a":"\"usage\":{\"prompt_tokens\":9}"}`, 0},
	{`{"a":"\\","usage":{"prompt_tokens":5}}`, 5},
	{`{"usages":{"prompt_tokens":9},"usag":{"prompt_tokens":9}}`, 0},
	{`{"usage":{"prompt_tokens":6,"x":"},\"{","y":[1,{"z":2}]}}`, 6},
	{`{"usage":{"x":"` + strings.Repeat("a", maxMember) + `","prompt_tokens":6}}`, 0},
	{`[{"usage":{"prompt_tokens":9}}]`, 9},
	{`[ {"a":1} , {"usage":{"prompt_tokens":9}} ] {"usage":{"prompt_tokens":8}}`, 9},
	{`,{"usage":{"prompt_tokens":9}}`, 0},
	{`"usage"`, 0},
	{`}{"usage":{"prompt_tokens":9}}`, 0},
	{`]]]{`, 0},
	{``, 0},
}

func TestMemberScanner(t *testing.T) {
	for _, test := range scans {
		for _, piece := range []int{1, 3, 1 << 20} {
			got, heard := tapped(header("application/json", ""), test.body, piece)
			if got.PromptTokens != test.want || heard > 1 {
				t.Errorf("%.60s in pieces of %d: got %d, heard %d times; want %d", test.body, piece,
					got.PromptTokens, heard, test.want)
			}
		}
	}
}

// FuzzMemberScanner: however a reply is cut, the scanner says what the whole says.
func FuzzMemberScanner(f *testing.F) {
	for _, test := range scans {
		if len(test.body) < maxMember { // long seeds are slow to vary
			f.Add([]byte(test.body), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, piece uint8) {
		got, heard := tapped(header("application/json", ""), string(body), int(piece)+1)
		whole, heardWhole := tapped(header("application/json", ""), string(body), len(body)+1)
		if got != whole || heard != heardWhole {
			t.Fatalf("cut in pieces of %d: %+v, %d times; whole: %+v, %d times", piece, got, heard,
				whole, heardWhole)
		}
		// encoding/json compares names without regard to case and takes the last.
		if !json.Valid(body) || bytes.Count(bytes.ToLower(body), []byte("usage")) != 1 ||
			bytes.Contains(body, []byte(`\`)) || len(body) > maxMember {
			return
		}
		if want, ok := chat.ParseUsage(body); ok && bytes.TrimSpace(body)[0] == '{' &&
			(heard != 1 || got != want) {
			t.Fatalf("got %+v, %d times; want %+v", got, heard, want)
		}
	})
}

// FuzzTap: no reply of any encoding makes it crash, or observe twice what is one.
func FuzzTap(f *testing.F) {
	for _, coding := range codingtest.Codings {
		f.Add(coding, "application/json", []byte(codingtest.Encode(coding, completion)), uint8(9))
		f.Add(coding, "text/event-stream", []byte(codingtest.Encode(coding, eventStream)),
			uint8(200))
	}
	f.Add("deflate", "", []byte(codingtest.BareDeflate(completion)), uint8(0))
	f.Add("", "text/event-stream", []byte(eventStream), uint8(1))
	f.Add("gzip", frames.Media, []byte(codingtest.Encode("gzip", onBedrock())), uint8(50))
	f.Add("", frames.Media, []byte(onBedrock()), uint8(1))
	f.Fuzz(func(t *testing.T, coding, contentType string, body []byte, piece uint8) {
		h := http.Header{"Content-Type": {contentType}, "Content-Encoding": {coding}}
		tapped(h, string(body), int(piece)+1)
	})
}

// Code Assist has each answer within a member.
func TestTapOfCodeAssist(t *testing.T) {
	const metadata = `"usageMetadata":{"promptTokenCount":%d,"cachedContentTokenCount":1}`
	for body, want := range map[string]int{
		`{"response": {"candidates":[{"response":{` + metadata + `}}],` + metadata + `},"a":1}`: 9,
		`{"traceId":"}","response":{"a":{"b":[{}]},` + metadata + `}}`:                          9,
		`[{"response":{` + metadata + `}},{"response":{"candidates":[]}}]`:                      9,
		`{"response":{"candidates":[]},` + metadata + `}`:                                       9,
		`{"response":7,` + metadata + `}`:                                                       9,
		`{"response":[{` + metadata + `}]}`:                                                     0,
		`{"response":[],"other":{` + metadata + `}}`:                                            0,
		`{"a":{"response":{` + metadata + `}}}`:                                                 0,
		`{"response":{"response":{` + metadata + `}}}`:                                          0,
	} {
		body = strings.ReplaceAll(body, "%d", "9")
		for _, piece := range []int{1, 3, 1 << 20} {
			got := tappedIn(format.Gemini, header("application/json", ""), body, piece)
			if got.usage.PromptTokens != want || got.heard > 1 {
				t.Errorf("%s in pieces of %d: %+v, heard %d times; want %d", body, piece, got.usage,
					got.heard, want)
			}
			if other := tappedIn(format.Chat, header("application/json", ""), body,
				piece); other.heard != 0 {
				t.Errorf("%s has a usage as chat", body)
			}
		}
	}
	stream := `data: {"response":{"candidates":[],` + strings.Replace(metadata, "%d", "9", 1) +
		"},\"traceId\":\"t\"}\r\n\r\n"
	got := tappedIn(format.Gemini, header("text/event-stream", ""), stream, 5)
	if got.heard != 1 || got.usage.PromptTokens != 9 || got.usage.CachedTokens != 1 {
		t.Errorf("a stream: %+v, heard %d times", got.usage, got.heard)
	}
}

func TestDecoderPanicCostsTheUsageOnly(t *testing.T) {
	tp := &Tap{text: func([]byte) { panic("no") }}
	tp.decode = coding.NewFeeder("gzip", 1000, tp.text)
	tp.Feed([]byte(codingtest.Encode("gzip", "abc")))
	tp.Feed([]byte("more"))
	tp.End()
	if !tp.ended {
		t.Error("it goes on after a panic")
	}
}

// What a message says is read from its body, wherever it is cut, and from its events.
func TestTapOfMessages(t *testing.T) {
	body := `{"type":"message","content":[{"type":"text","text":"\"stop_reason\":\"` +
		`model_context_window_exceeded\""}],"stop_reason":"model_context_window_exceeded",` +
		`"stop_sequence":null,"usage":{"input_tokens":1,"cache_read_input_tokens":2,` +
		`"output_tokens":3}}`
	events := "event: message_start\ndata: {\"message\":{\"stop_reason\":null,\"usage\":" +
		"{\"input_tokens\":1,\"cache_read_input_tokens\":2,\"output_tokens\":1}}}\n\n" +
		"event: message_delta\ndata: {\"delta\":{\"stop_reason\":" +
		"\"model_context_window_exceeded\"},\"usage\":{\"output_tokens\":3}}\n\n"
	want := chat.Usage{PromptTokens: 3, CachedTokens: 2, CompletionTokens: 3}
	for _, piece := range []int{1, 2, 7, 64, 1 << 20} {
		for media, text := range map[string]string{"application/json": body,
			"text/event-stream": events} {
			s := tappedIn(format.Messages, header(media, ""), text, piece)
			if s.usage != want || s.full != 1 {
				t.Errorf("%s in pieces of %d: %+v", media, piece, s)
			}
		}
	}
	ended := strings.ReplaceAll(body, `":"model_context_window_exceeded"`, `":"end_turn"`)
	if s := tappedIn(format.Messages, header("", ""), ended, 9); s.full != 0 || s.heard != 1 {
		t.Errorf("an answer that ended: %+v", s)
	}
	if New(header("application/json", ""), format.Other, new(seen)) != nil {
		t.Error("a reply in no format is read")
	}
}

// The event that ends a response repeats all of it, images too.
func TestTapOfALargeResponse(t *testing.T) {
	ended := `data: {"type":"response.completed","response":{"output":[{"type":` +
		`"image_generation_call","result":"` + strings.Repeat("aGk", 1<<20) + `"}],"usage":` +
		`{"input_tokens":5,"output_tokens":7}}}` + "\n\n"
	want := chat.Usage{PromptTokens: 5, CompletionTokens: 7}
	s := tappedIn(format.Responses, header("text/event-stream", ""), ended, 4096)
	if s.usage != want || s.heard != 1 {
		t.Errorf("heard %d times %+v, want once %+v", s.heard, s.usage, want)
	}
}

func BenchmarkTap(b *testing.B) {
	reply := `{"choices":[{"message":{"content":"` +
		strings.Repeat(`Some words of an answer.\n`, 4000) + `"}}],` + completion[1:]
	for _, coding := range []string{"", "gzip", "br", "zstd"} {
		body := reply
		if coding != "" {
			body = codingtest.Encode(coding, reply)
		}
		b.Run("json/"+coding, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				tapped(header("application/json", coding), body, 16<<10)
			}
		})
	}
}

// The line that ends a stream of Ollama's has the usage, as a whole answer has.
func TestTapOfOllama(t *testing.T) {
	const last = `{"model":"m","message":{"role":"assistant","content":"\"eval_count\":1"},` +
		`"done":true,"load_duration":4,"prompt_eval_count":26,"eval_count":9}`
	const line = `{"message":{"role":"assistant","content":"a","tool_calls":[{"function":` +
		`{"name":"f","arguments":{"eval_count":3,"prompt_eval_count":4}}}]},"done":false}` + "\n"
	want := chat.Usage{PromptTokens: 26, CompletionTokens: 9}
	for media, reply := range map[string]string{
		"application/x-ndjson":            line + line + last + "\n",
		"application/x-ndjson; charset=a": line + last,
		"application/json; charset=utf-8": last,
	} {
		for _, piece := range []int{1, 2, 7, 1 << 20} {
			s := tappedIn(format.Ollama, header(media, ""), reply, piece)
			if s.usage != want || s.heard != 1 {
				t.Errorf("%s in pieces of %d: heard %d times %+v", media, piece, s.heard, s.usage)
			}
		}
	}
	for _, reply := range []string{
		strings.Replace(last, `"prompt_eval_count":26,`, "", 1), // older releases, if it was cached
		line, `{"error":"no such model"}`,
	} {
		s := tappedIn(format.Ollama, header("application/x-ndjson", ""), reply, 50)
		if s.heard != 0 {
			t.Errorf("%s: heard %+v", reply, s.usage)
		}
	}
}
