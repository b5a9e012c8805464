package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"killick/internal/fakemessages"
	"killick/internal/fakeresponses"
	"killick/internal/fakeserver"
)

// recorded is one request as it came to the scripted upstream.
type recorded struct {
	fakeserver.Recorded
	ask     ask  // of a request to the model
	model   bool // whether it was one
	tokens  int  // of the prompt
	cached  int  // of these, read from the prompt cache
	prefix  int  // of these, what a cache of the longest prefix would have read
	refused string
}

// upstream is the scripted upstream of one run, which refuses what the API of its format is
// documented to refuse.
type upstream struct {
	base  string // URL without /v1
	close func()
	all   func() []*recorded // the requests so far, in order of arrival
}

// startUpstream starts a scripted upstream for a format. The caller closes it.
func startUpstream(format string, m *model) (*upstream, error) {
	switch format {
	case formatMessages:
		return startMessages(m)
	case formatChat:
		return startChat(m)
	case formatGemini:
		return startGemini(m)
	case formatConverse:
		return startConverse(m)
	case formatOllama:
		return startOllama(m), nil
	}
	return startResponses(m)
}

func startMessages(m *model) (*upstream, error) {
	s, err := fakemessages.Start(fakemessages.Config{
		Record: true,
		Think:  func(*fakemessages.Request) string { return thought },
		Reply: func(r *fakemessages.Request) fakemessages.Reply {
			a, err := readAsk(formatMessages, r.Body)
			if err != nil {
				return fakemessages.Reply{Status: http.StatusInternalServerError}
			}
			answer := m.answer(a)
			var reply fakemessages.Reply
			if answer.text != "" {
				reply.Blocks = append(reply.Blocks, fakemessages.Text(answer.text))
			}
			for _, c := range answer.calls {
				reply.Blocks = append(reply.Blocks, fakemessages.Call(c.id, c.name, c.arguments))
			}
			return reply
		},
	})
	if err != nil {
		return nil, err
	}
	return &upstream{base: s.URL(), close: s.Close,
		all: allOf(s.Requests, func(r fakemessages.Recorded) *recorded {
			rec := &recorded{Recorded: r.Recorded, tokens: r.Usage.Prompt(),
				cached: r.Usage.CacheReadTokens, prefix: r.ByPrefix, refused: r.Refused}
			return rec.read(formatMessages, "/messages",
				":streamRawPredict",            // on Vertex AI
				"/invoke-with-response-stream") // on Bedrock
		})}, nil
}

func startResponses(m *model) (*upstream, error) {
	s, err := fakeresponses.Start(fakeresponses.Config{
		Record: true, RefuseUpgrade: true,
		RequirePhase: strings.HasPrefix(m.agent.model, "gpt-"), // xAI's API has none
		PlainUsage:   m.agent.module == "@openai/agents",
		Reply: func(r *fakeresponses.Request) fakeresponses.Reply {
			body, err := json.Marshal(r.Body)
			if err != nil {
				return fakeresponses.Reply{Status: http.StatusInternalServerError}
			}
			a, err := readAsk(formatResponses, body)
			if err != nil {
				return fakeresponses.Reply{Status: http.StatusInternalServerError}
			}
			answer := m.answer(a)
			reply := fakeresponses.Reply{Content: answer.text}
			for _, c := range answer.calls {
				item := fakeresponses.Call{ID: c.id, Name: c.name, Namespace: c.namespace,
					Input: c.arguments}
				switch {
				case c.custom:
					item.Type = "custom_tool_call"
				case c.hosted != "":
					item = fakeresponses.Call{ID: c.id, Type: c.hosted, Path: c.path,
						Commands: []string{c.arguments}, Operation: "update_file",
						Diff: c.arguments}
				}
				reply.Calls = append(reply.Calls, item)
			}
			return reply
		},
	})
	if err != nil {
		return nil, err
	}
	return &upstream{base: strings.TrimSuffix(s.URL(), "/v1"), close: s.Close,
		all: allOf(s.Requests, func(r fakeresponses.Recorded) *recorded {
			rec := &recorded{Recorded: r.Recorded, tokens: r.Usage.Input,
				cached: r.Usage.Cached, prefix: r.LongestPrefix}
			return rec.read(formatResponses, "/responses")
		})}, nil
}

// allOf returns what reads all requests of an upstream.
func allOf[R any](requests func() []R, read func(R) *recorded) func() []*recorded {
	return func() (all []*recorded) {
		for _, r := range requests() {
			all = append(all, read(r))
		}
		return all
	}
}

// read reads the body of a request to the model, whose path has one of these ends, and returns r.
func (r *recorded) read(format string, ends ...string) *recorded {
	if r.Method != http.MethodPost || !slices.ContainsFunc(ends, func(end string) bool {
		return strings.HasSuffix(r.Path, end)
	}) {
		return r
	}
	r.model = true
	a, err := readAsk(format, r.Body)
	if err != nil {
		r.refused = fmt.Sprint(err)
		return r
	}
	r.ask = a
	return r
}

// thought is what the model thinks before it answers.
const thought = "I look at what came back, and choose the next file."
