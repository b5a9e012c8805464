package programs

import (
	"fmt"
	"path/filepath"

	"killick/internal/agents/work"
)

// grok is Grok Build, which speaks Responses to models that it knows, else chat completions.
func grok(name, format, model string) Agent {
	return Agent{
		Name: name, Module: "@xai-official/grok", Model: model, Format: format,
		Dialect: grokCalls, Parallel: true,
		Files: func(p Place) map[string]string {
			return map[string]string{
				".grok/config.toml": fmt.Sprintf("[models]\ndefault = %q\n[model.%[1]q]\n"+
					"model = %[1]q\nbase_url = %q\nenv_key = \"KILLICK_KEY\"\n"+
					"context_window = 200000\n", model, p.Base+"/v1"),
			}
		},
		Command: func(p Place, prompt string, first bool) Setup {
			s := Setup{
				Args: []string{filepath.Join(p.Bin, "grok"), "-p", prompt, "--always-approve"},
				Env: []string{"KILLICK_KEY=" + fakeKey, "GROK_TELEMETRY_ENABLED=0",
					"GROK_DISABLE_AUTOUPDATER=1"},
			}
			if !first {
				s.Args = append(s.Args, "--continue")
			}
			return s
		},
	}
}

func grokCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read_file", map[string]any{"target_file": filepath.Join(dir, s.File)})
	case work.KindEdit:
		return withJSON("search_replace", map[string]any{"file_path": filepath.Join(dir, s.File),
			"old_string": s.Before, "new_string": s.After})
	case work.KindSearch:
		return withJSON("grep", map[string]any{"pattern": s.Text,
			"path": filepath.Join(dir, "src")})
	}
	return withJSON("run_terminal_command", map[string]any{"command": s.Text,
		"description": "Look at the sources"})
}
