package programs

import (
	"fmt"
	"math"
	"path/filepath"

	"killick/internal/agents/work"
)

func cline(name, model string) Agent {
	return Agent{
		Name: name, Module: "cline", Model: model, Format: FormatChat,
		Dialect: clineCalls, Parallel: true,
		TurnsAPrompt: math.MaxInt, // it continues a conversation only at a terminal
		Files: func(p Place) map[string]string {
			return map[string]string{
				".cline/data/settings/providers.json": fmt.Sprintf(`{"version":1,`+
					`"lastUsedProvider":"openai-compatible","modes":{},"providers":{`+
					`"openai-compatible":{"settings":{"provider":"openai-compatible",`+
					`"apiKey":%q,"model":%q,"baseUrl":%q},"tokenSource":"manual",`+
					`"updatedAt":"2026-11-01T00:00:00.000Z"}}}`,
					fakeKey, model, p.Base+"/v1"),
			}
		},
		Command: func(p Place, prompt string, _ bool) Setup {
			s := Setup{
				Args: []string{filepath.Join(p.Bin, "cline"), "--compaction", "off"},
				Env:  []string{"CLINE_SESSION_BACKEND_MODE=local"}, // else a daemon stays behind
			}
			if p.Early {
				s.Args[2] = "agentic"
			}
			s.Args = append(s.Args, prompt)
			return s
		},
	}
}

// clineCalls are calls of tools that take several files, searches or commands each.
func clineCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read_files", map[string]any{"files": []any{
			map[string]any{"path": filepath.Join(dir, s.File)}}})
	case work.KindEdit:
		return withJSON("apply_patch", map[string]any{"input": patch(s)})
	case work.KindSearch:
		return withJSON("search_codebase", map[string]any{
			"queries": []any{s.Text, "revision of " + s.Text}})
	}
	return withJSON("run_commands", map[string]any{
		"commands": []any{"git status --short", s.Text}})
}
