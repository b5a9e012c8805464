package programs

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"killick/internal/agents/work"
)

// droid is Factory's Droid with a model of the user's, which needs no account.
func droid(name, format, model string) Agent {
	a := Agent{
		Name: name, Module: "droid", Model: model, Format: format,
		Dialect: droidCalls, Parallel: true,
		TurnsAPrompt: math.MaxInt, // without an account it continues no session
		Files: func(p Place) map[string]string {
			base, provider := p.Base+"/v1", "generic-chat-completion-api"
			switch format {
			case FormatMessages:
				base, provider = p.Base, "anthropic"
			case FormatResponses:
				provider = "openai"
			}
			return map[string]string{
				".factory/settings.json": fmt.Sprintf(`{"customModels":[{"model":%q,`+
					`"displayName":"scripted","baseUrl":%q,"apiKey":%q,"provider":%q,`+
					`"maxOutputTokens":16000}]}`, model, base, fakeKey, provider),
			}
		},
		Command: func(p Place, prompt string, _ bool) Setup {
			return Setup{
				Args: []string{filepath.Join(p.Bin, "droid"), "exec", "--auto", "high",
					"-m", "custom:scripted-0", prompt},
				Env: []string{"FACTORY_DROID_AUTO_UPDATE_ENABLED=false"},
			}
		},
	}
	if strings.HasPrefix(model, "gpt-") {
		a.Dialect = droidPatchCalls
	}
	return a
}

func droidCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("Read", map[string]any{"file_path": filepath.Join(dir, s.File)})
	case work.KindEdit:
		return withJSON("Edit", map[string]any{"file_path": filepath.Join(dir, s.File),
			"old_str": s.Before, "new_str": s.After})
	case work.KindSearch:
		return withJSON("Grep", map[string]any{"pattern": s.Text,
			"path": filepath.Join(dir, "src"), "output_mode": "content"})
	}
	return withJSON("Execute", map[string]any{"command": s.Text,
		"summary": "Look at the sources", "riskLevelReason": "It only checks the sources.",
		"riskLevel": "low"})
}

// droidPatchCalls are those for OpenAI's models over Responses.
func droidPatchCalls(s work.Step, dir string) Call {
	if s.Kind == work.KindEdit {
		s.File = filepath.Join(dir, s.File)
		return Call{Name: "ApplyPatch", Arguments: patch(s), Custom: true}
	}
	return droidCalls(s, dir)
}
