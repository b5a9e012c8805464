package programs

import (
	"path/filepath"

	"killick/internal/agents/work"
)

// kimi is Kimi Code, with a model of any API that speaks chat completions.
func kimi(name, model string) Agent {
	return Agent{
		Name: name, Module: "@moonshot-ai/kimi-code", Model: model, Format: FormatChat,
		Dialect: kimiCalls, Parallel: true,
		Command: func(p Place, prompt string, first bool) Setup {
			s := Setup{
				// Its own first line asks for a newer release of Node than the agents run on.
				Args: []string{filepath.Join(p.Bin, "node"), filepath.Join(p.Bin, "kimi"),
					"-p", prompt},
				Env: []string{"KIMI_MODEL_NAME=" + model, "KIMI_MODEL_API_KEY=" + fakeKey,
					"KIMI_MODEL_BASE_URL=" + p.Base + "/v1",
					"KIMI_MODEL_MAX_CONTEXT_SIZE=400000", "KIMI_CODE_NO_AUTO_UPDATE=1"},
			}
			if !first {
				s.Args = append(s.Args, "--continue")
			}
			return s
		},
	}
}

func kimiCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("Read", map[string]any{"path": filepath.Join(dir, s.File)})
	case work.KindEdit:
		return withJSON("Edit", map[string]any{"path": filepath.Join(dir, s.File),
			"old_string": s.Before, "new_string": s.After})
	case work.KindSearch:
		return withJSON("Grep", map[string]any{"pattern": s.Text,
			"path": filepath.Join(dir, "src"), "output_mode": "content"})
	}
	return withJSON("Bash", map[string]any{"command": s.Text})
}
