package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"killick/internal/fakegemini"
	"killick/internal/fakeserver"
)

func geminiCLI(name, model string) agent {
	return agent{
		name: name, module: "@google/gemini-cli", model: model, format: formatGemini,
		dialect: geminiCalls, parallel: true,
		files: func(place) map[string]string {
			return map[string]string{".gemini/settings.json": geminiSettings("gemini-api-key")}
		},
		command: func(p place, prompt string, first bool) setup {
			s := setup{
				args: []string{filepath.Join(p.bin, "gemini"), "-p", prompt, "-m", model,
					"--approval-mode", "yolo", "--skip-trust"},
				env: []string{"GEMINI_API_KEY=" + fakeKey, "GOOGLE_GEMINI_BASE_URL=" + p.base},
			}
			if !first {
				s.args = append(s.args, "--resume", "latest")
			}
			return s
		},
	}
}

// loggedIn is Gemini CLI as it calls Code Assist after a Google login.
func loggedIn(a agent) agent {
	return authorized(a, "oauth-personal", func(p place) []string {
		return []string{"CODE_ASSIST_ENDPOINT=" + p.base, "GOOGLE_GENAI_USE_GCA=true",
			"GOOGLE_CLOUD_ACCESS_TOKEN=" + fakeKey}
	})
}

// onVertexAI is Gemini CLI as it calls Vertex AI with a key.
func onVertexAI(a agent) agent {
	return authorized(a, "vertex-ai", func(p place) []string {
		return []string{"GOOGLE_VERTEX_BASE_URL=" + p.base, "GOOGLE_GENAI_USE_VERTEXAI=true",
			"GOOGLE_API_KEY=" + fakeKey}
	})
}

// authorized is Gemini CLI with another kind of credential.
func authorized(a agent, auth string, env func(place) []string) agent {
	a.files = func(place) map[string]string {
		return map[string]string{".gemini/settings.json": geminiSettings(auth)}
	}
	direct := a.command
	a.command = func(p place, prompt string, first bool) setup {
		s := direct(p, prompt, first)
		s.env = env(p)
		return s
	}
	return a
}

func geminiSettings(auth string) string {
	return fmt.Sprintf(`{"general":{"enableAutoUpdate":false},`+
		`"security":{"auth":{"selectedType":%q}},"privacy":{"usageStatisticsEnabled":false}}`, auth)
}

func geminiCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read_file", map[string]any{"file_path": filepath.Join(dir, s.file)})
	case kindEdit:
		return withJSON("replace", map[string]any{"file_path": filepath.Join(dir, s.file),
			"instruction": "Raise the revision.", "old_string": s.before, "new_string": s.after})
	case kindSearch:
		return withJSON("grep_search", map[string]any{"pattern": s.text,
			"dir_path": filepath.Join(dir, "src")})
	}
	return withJSON("run_shell_command", map[string]any{"command": s.text,
		"description": "Look at the sources"})
}

// readContents reads the contents of a request for Google's generateContent.
func (a *ask) readContents(contents []json.RawMessage) {
	for i, raw := range contents {
		var c fakegemini.Content
		_ = json.Unmarshal(raw, &c) // a content of another shape says nothing
		a.items = append(a.items, string(raw))
		if c.Role == "model" {
			clear(a.results)
			a.unnamed = nil
			continue
		}
		for _, part := range c.Parts {
			switch {
			case part.Response != nil:
				var r struct {
					Output, Result string
					Error          json.RawMessage // a text, or an object with one
				}
				_ = json.Unmarshal(part.Response.Response, &r) // then the result is empty
				if part.Response.ID == "" {                    // LangChain and LlamaIndex send none
					a.unnamed = append(a.unnamed, r.Output+r.Result+string(r.Error))
					continue
				}
				a.result(part.Response.ID, r.Output+r.Result+string(r.Error))
			case part.Text != nil:
				a.user(*part.Text, i == len(contents)-1)
			}
		}
	}
}

// Gemini CLI (0.61.0) asks another model after 30 turns whether the conversation goes in a loop. It
// repeats the question until it gets this object.
var asksForLoops = []byte(`"unproductive_state_confidence":{"type":"number"`)

const noLoop = `{"unproductive_state_analysis":"It goes on.","unproductive_state_confidence":0}`

func startGemini(m *model) (*upstream, error) {
	s := fakegemini.New(fakegemini.Config{
		Record: true, Signs: true,
		Reply: func(r *fakegemini.Request) (parts []fakegemini.Part) {
			a, err := readAsk(formatGemini, r.Body)
			if err != nil {
				return nil
			}
			answer := m.answer(a)
			if bytes.Contains(r.Body, asksForLoops) {
				answer.text = noLoop
			}
			if answer.text != "" {
				parts = append(parts, fakegemini.Part{Text: &answer.text})
			}
			for _, c := range answer.calls {
				parts = append(parts, fakegemini.Part{Call: &fakegemini.Call{
					ID: c.id, Name: c.name, Args: json.RawMessage(c.arguments)}})
			}
			return parts
		},
	})
	return &upstream{base: s.URL(), close: s.Close,
		all: allOf(s.Requests, func(r fakeserver.Recorded) *recorded {
			found, _ := r.Note.(fakegemini.Found)
			rec := &recorded{Recorded: r, tokens: found.Tokens, refused: found.Refused}
			return rec.read(formatGemini, ":streamGenerateContent", ":generateContent")
		})}, nil
}
