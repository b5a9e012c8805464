package main

import (
	"fmt"
	"math"
	"path/filepath"
)

// Agents that speak chat completions.

func qwenCode(name, model string) agent {
	return agent{
		name: name, module: "@qwen-code/qwen-code", model: model, format: formatChat,
		dialect: qwenCalls, parallel: true,
		// A continued conversation may only edit files that it has read again.
		turnsAPrompt: 3 * cycle,
		files: func(place) map[string]string {
			return map[string]string{
				// Else a second request after each prompt asks for memories, with tools; and
				// 0.24.4 loses outputs of commands in a pseudo-terminal now and then.
				".qwen/settings.json": `{"memory":{"enableManagedAutoMemory":false},` +
					`"tools":{"shell":{"enableInteractiveShell":false}}}`,
			}
		},
		command: func(p place, prompt string, first bool) setup {
			s := setup{
				args: []string{filepath.Join(p.bin, "qwen"), "-p", prompt, "--auth-type", "openai",
					"--approval-mode", "yolo"},
				env: []string{"OPENAI_BASE_URL=" + p.base + "/v1", "OPENAI_API_KEY=" + fakeKey,
					"OPENAI_MODEL=" + model},
			}
			if !first {
				s.args = append(s.args, "--continue")
			}
			return s
		},
	}
}

func qwenCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read_file", map[string]any{"file_path": filepath.Join(dir, s.file)})
	case kindEdit:
		return withJSON("edit", map[string]any{"file_path": filepath.Join(dir, s.file),
			"old_string": s.before, "new_string": s.after})
	case kindSearch:
		return withJSON("grep_search", map[string]any{"pattern": s.text,
			"path": filepath.Join(dir, "src")})
	}
	return withJSON("run_shell_command", map[string]any{"command": s.text,
		"is_background": false, "description": "Look at the sources"})
}

func pi(name, model string) agent {
	return agent{
		name: name, module: "@earendil-works/pi-coding-agent", model: model, format: formatChat,
		dialect: piCalls, parallel: true,
		files: func(p place) map[string]string {
			return map[string]string{
				".pi/agent/models.json": fmt.Sprintf(`{"providers":{"killick":{"baseUrl":%q,`+
					`"api":"openai-completions","apiKey":"$OPENAI_API_KEY",`+
					`"models":[{"id":%q,"contextWindow":400000}]}}}`, p.base+"/v1", model),
			}
		},
		command: func(p place, prompt string, first bool) setup {
			s := setup{
				args: []string{filepath.Join(p.bin, "pi"), "--provider", "killick", "--model",
					model, "--offline", "-p", prompt},
				env: []string{"OPENAI_API_KEY=" + fakeKey},
			}
			if !first {
				s.args = append(s.args, "--continue")
			}
			return s
		},
	}
}

func piCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read", map[string]any{"path": filepath.Join(dir, s.file)})
	case kindEdit:
		return withJSON("edit", map[string]any{"path": filepath.Join(dir, s.file),
			"edits": []any{map[string]any{"oldText": s.before, "newText": s.after}}})
	}
	return withJSON("bash", map[string]any{"command": asShell(s)})
}

func cline(name, model string) agent {
	return agent{
		name: name, module: "cline", model: model, format: formatChat,
		dialect: clineCalls, parallel: true,
		turnsAPrompt: math.MaxInt, // it continues a conversation only at a terminal
		files: func(p place) map[string]string {
			return map[string]string{
				".cline/data/settings/providers.json": fmt.Sprintf(`{"version":1,`+
					`"lastUsedProvider":"openai-compatible","modes":{},"providers":{`+
					`"openai-compatible":{"settings":{"provider":"openai-compatible",`+
					`"apiKey":%q,"model":%q,"baseUrl":%q},"tokenSource":"manual",`+
					`"updatedAt":"2026-11-01T00:00:00.000Z"}}}`,
					fakeKey, model, p.base+"/v1"),
			}
		},
		command: func(p place, prompt string, _ bool) setup {
			s := setup{
				args: []string{filepath.Join(p.bin, "cline"), "--compaction", "off"},
				env:  []string{"CLINE_SESSION_BACKEND_MODE=local"}, // else a daemon stays behind
			}
			if p.early {
				s.args[2] = "agentic"
			}
			s.args = append(s.args, prompt)
			return s
		},
	}
}

// clineCalls are calls of tools that take several files, searches or commands each.
func clineCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read_files", map[string]any{"files": []any{
			map[string]any{"path": filepath.Join(dir, s.file)}}})
	case kindEdit:
		return withJSON("apply_patch", map[string]any{"input": patch(s)})
	case kindSearch:
		return withJSON("search_codebase", map[string]any{
			"queries": []any{s.text, "revision of " + s.text}})
	}
	return withJSON("run_commands", map[string]any{
		"commands": []any{"git status --short", s.text}})
}

// grok is Grok Build, which speaks Responses to models that it knows, else chat completions.
func grok(name, format, model string) agent {
	return agent{
		name: name, module: "@xai-official/grok", model: model, format: format,
		dialect: grokCalls, parallel: true,
		files: func(p place) map[string]string {
			return map[string]string{
				".grok/config.toml": fmt.Sprintf("[models]\ndefault = %q\n[model.%[1]q]\n"+
					"model = %[1]q\nbase_url = %q\nenv_key = \"KILLICK_KEY\"\n"+
					"context_window = 200000\n", model, p.base+"/v1"),
			}
		},
		command: func(p place, prompt string, first bool) setup {
			s := setup{
				args: []string{filepath.Join(p.bin, "grok"), "-p", prompt, "--always-approve"},
				env: []string{"KILLICK_KEY=" + fakeKey, "GROK_TELEMETRY_ENABLED=0",
					"GROK_DISABLE_AUTOUPDATER=1"},
			}
			if !first {
				s.args = append(s.args, "--continue")
			}
			return s
		},
	}
}

func grokCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read_file", map[string]any{"target_file": filepath.Join(dir, s.file)})
	case kindEdit:
		return withJSON("search_replace", map[string]any{"file_path": filepath.Join(dir, s.file),
			"old_string": s.before, "new_string": s.after})
	case kindSearch:
		return withJSON("grep", map[string]any{"pattern": s.text,
			"path": filepath.Join(dir, "src")})
	}
	return withJSON("run_terminal_command", map[string]any{"command": s.text,
		"description": "Look at the sources"})
}

// kimi is Kimi Code, with a model of any API that speaks chat completions.
func kimi(name, model string) agent {
	return agent{
		name: name, module: "@moonshot-ai/kimi-code", model: model, format: formatChat,
		dialect: kimiCalls, parallel: true,
		command: func(p place, prompt string, first bool) setup {
			s := setup{
				// Its own first line asks for a newer release of Node than the agents run on.
				args: []string{filepath.Join(p.bin, "node"), filepath.Join(p.bin, "kimi"),
					"-p", prompt},
				env: []string{"KIMI_MODEL_NAME=" + model, "KIMI_MODEL_API_KEY=" + fakeKey,
					"KIMI_MODEL_BASE_URL=" + p.base + "/v1",
					"KIMI_MODEL_MAX_CONTEXT_SIZE=400000", "KIMI_CODE_NO_AUTO_UPDATE=1"},
			}
			if !first {
				s.args = append(s.args, "--continue")
			}
			return s
		},
	}
}

func kimiCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("Read", map[string]any{"path": filepath.Join(dir, s.file)})
	case kindEdit:
		return withJSON("Edit", map[string]any{"path": filepath.Join(dir, s.file),
			"old_string": s.before, "new_string": s.after})
	case kindSearch:
		return withJSON("Grep", map[string]any{"pattern": s.text,
			"path": filepath.Join(dir, "src"), "output_mode": "content"})
	}
	return withJSON("Bash", map[string]any{"command": s.text})
}
