package programs

import (
	"fmt"
	"path/filepath"

	"killick/internal/agents/work"
)

func geminiCLI(name string) Agent {
	const model = "gemini-3.1-pro-preview"
	return Agent{
		Name: name, Module: "@google/gemini-cli", Model: model, Format: FormatGemini,
		Dialect: geminiCalls, Parallel: true,
		Files: func(Place) map[string]string {
			return map[string]string{".gemini/settings.json": geminiSettings("gemini-api-key")}
		},
		Command: func(p Place, prompt string, first bool) Setup {
			s := Setup{
				Args: []string{filepath.Join(p.Bin, "gemini"), "-p", prompt, "-m", model,
					"--approval-mode", "yolo", "--skip-trust"},
				Env: []string{"GEMINI_API_KEY=" + fakeKey, "GOOGLE_GEMINI_BASE_URL=" + p.Base},
			}
			if !first {
				s.Args = append(s.Args, "--resume", "latest")
			}
			return s
		},
	}
}

// loggedIn is Gemini CLI as it calls Code Assist after a Google login.
func loggedIn(a Agent) Agent {
	return authorized(a, "oauth-personal", func(p Place) []string {
		return []string{"CODE_ASSIST_ENDPOINT=" + p.Base, "GOOGLE_GENAI_USE_GCA=true",
			"GOOGLE_CLOUD_ACCESS_TOKEN=" + fakeKey}
	})
}

// onVertexAI is Gemini CLI as it calls Vertex AI with a key.
func onVertexAI(a Agent) Agent {
	return authorized(a, "vertex-ai", func(p Place) []string {
		return []string{"GOOGLE_VERTEX_BASE_URL=" + p.Base, "GOOGLE_GENAI_USE_VERTEXAI=true",
			"GOOGLE_API_KEY=" + fakeKey}
	})
}

// authorized is Gemini CLI with another kind of credential.
func authorized(a Agent, auth string, env func(Place) []string) Agent {
	a.Files = func(Place) map[string]string {
		return map[string]string{".gemini/settings.json": geminiSettings(auth)}
	}
	direct := a.Command
	a.Command = func(p Place, prompt string, first bool) Setup {
		s := direct(p, prompt, first)
		s.Env = env(p)
		return s
	}
	return a
}

func geminiSettings(auth string) string {
	return fmt.Sprintf(`{"general":{"enableAutoUpdate":false},`+
		`"security":{"auth":{"selectedType":%q}},"privacy":{"usageStatisticsEnabled":false}}`, auth)
}

func geminiCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read_file", map[string]any{"file_path": filepath.Join(dir, s.File)})
	case work.KindEdit:
		return withJSON("replace", map[string]any{"file_path": filepath.Join(dir, s.File),
			"instruction": "Raise the revision.", "old_string": s.Before, "new_string": s.After})
	case work.KindSearch:
		return withJSON("grep_search", map[string]any{"pattern": s.Text,
			"dir_path": filepath.Join(dir, "src")})
	}
	return withJSON("run_shell_command", map[string]any{"command": s.Text,
		"description": "Look at the sources"})
}
