package programs

import (
	"path/filepath"

	"killick/internal/agents/work"
)

func qwenCode(name, model string) Agent {
	return Agent{
		Name: name, Module: "@qwen-code/qwen-code", Model: model, Format: FormatChat,
		Dialect: qwenCalls, Parallel: true,
		// A continued conversation may only edit files that it has read again.
		TurnsAPrompt: 3 * work.Cycle,
		Files: func(Place) map[string]string {
			return map[string]string{
				// Else a second request after each prompt asks for memories, with tools; and
				// 0.24.4 loses outputs of commands in a pseudo-terminal now and then.
				".qwen/settings.json": `{"memory":{"enableManagedAutoMemory":false},` +
					`"tools":{"shell":{"enableInteractiveShell":false}}}`,
			}
		},
		Command: func(p Place, prompt string, first bool) Setup {
			s := Setup{
				Args: []string{filepath.Join(p.Bin, "qwen"), "-p", prompt, "--auth-type", "openai",
					"--approval-mode", "yolo"},
				Env: []string{"OPENAI_BASE_URL=" + p.Base + "/v1", "OPENAI_API_KEY=" + fakeKey,
					"OPENAI_MODEL=" + model},
			}
			if !first {
				s.Args = append(s.Args, "--continue")
			}
			return s
		},
	}
}

func qwenCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read_file", map[string]any{"file_path": filepath.Join(dir, s.File)})
	case work.KindEdit:
		return withJSON("edit", map[string]any{"file_path": filepath.Join(dir, s.File),
			"old_string": s.Before, "new_string": s.After})
	case work.KindSearch:
		return withJSON("grep_search", map[string]any{"pattern": s.Text,
			"path": filepath.Join(dir, "src")})
	}
	return withJSON("run_shell_command", map[string]any{"command": s.Text,
		"is_background": false, "description": "Look at the sources"})
}
