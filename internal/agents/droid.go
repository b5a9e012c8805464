package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// droid is Factory's Droid with a model of the user's, which needs no account.
func droid(name, format, model string) agent {
	a := agent{
		name: name, module: "droid", model: model, format: format,
		dialect: droidCalls, parallel: true,
		turnsAPrompt: math.MaxInt, // without an account it continues no session
		files: func(p place) map[string]string {
			base, provider := p.base+"/v1", "generic-chat-completion-api"
			switch format {
			case formatMessages:
				base, provider = p.base, "anthropic"
			case formatResponses:
				provider = "openai"
			}
			return map[string]string{
				".factory/settings.json": fmt.Sprintf(`{"customModels":[{"model":%q,`+
					`"displayName":"scripted","baseUrl":%q,"apiKey":%q,"provider":%q,`+
					`"maxOutputTokens":16000}]}`, model, base, fakeKey, provider),
			}
		},
		command: func(p place, prompt string, _ bool) setup {
			return setup{
				args: []string{filepath.Join(p.bin, "droid"), "exec", "--auto", "high",
					"-m", "custom:scripted-0", prompt},
				env: []string{"FACTORY_DROID_AUTO_UPDATE_ENABLED=false"},
			}
		},
	}
	if strings.HasPrefix(model, "gpt-") {
		a.dialect = droidPatchCalls
	}
	return a
}

func droidCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("Read", map[string]any{"file_path": filepath.Join(dir, s.file)})
	case kindEdit:
		return withJSON("Edit", map[string]any{"file_path": filepath.Join(dir, s.file),
			"old_str": s.before, "new_str": s.after})
	case kindSearch:
		return withJSON("Grep", map[string]any{"pattern": s.text,
			"path": filepath.Join(dir, "src"), "output_mode": "content"})
	}
	return withJSON("Execute", map[string]any{"command": s.text,
		"summary": "Look at the sources", "riskLevelReason": "It only checks the sources.",
		"riskLevel": "low"})
}

// droidPatchCalls are those for OpenAI's models over Responses.
func droidPatchCalls(s step, dir string) call {
	if s.kind == kindEdit {
		s.file = filepath.Join(dir, s.file)
		return call{name: "ApplyPatch", arguments: patch(s), custom: true}
	}
	return droidCalls(s, dir)
}
