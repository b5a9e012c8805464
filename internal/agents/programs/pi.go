package programs

import (
	"fmt"
	"path/filepath"

	"killick/internal/agents/work"
)

func pi(name, model string) Agent {
	return Agent{
		Name: name, Module: "@earendil-works/pi-coding-agent", Model: model, Format: FormatChat,
		Dialect: piCalls, Parallel: true,
		Files: func(p Place) map[string]string {
			return map[string]string{
				".pi/agent/models.json": fmt.Sprintf(`{"providers":{"killick":{"baseUrl":%q,`+
					`"api":"openai-completions","apiKey":"$OPENAI_API_KEY",`+
					`"models":[{"id":%q,"contextWindow":400000}]}}}`, p.Base+"/v1", model),
			}
		},
		Command: func(p Place, prompt string, first bool) Setup {
			s := Setup{
				Args: []string{filepath.Join(p.Bin, "pi"), "--provider", "killick", "--model",
					model, "--offline", "-p", prompt},
				Env: []string{"OPENAI_API_KEY=" + fakeKey},
			}
			if !first {
				s.Args = append(s.Args, "--continue")
			}
			return s
		},
	}
}

func piCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read", map[string]any{"path": filepath.Join(dir, s.File)})
	case work.KindEdit:
		return withJSON("edit", map[string]any{"path": filepath.Join(dir, s.File),
			"edits": []any{map[string]any{"oldText": s.Before, "newText": s.After}}})
	}
	return withJSON("bash", map[string]any{"command": work.AsShell(s)})
}
