package programs

import (
	"fmt"
	"path/filepath"

	"killick/internal/agents/work"
)

func opencode(name, provider, model string) Agent {
	format, calls := FormatMessages, Dialect(opencodeCalls)
	variant, path := []string{"--variant", "high"}, "/v1"
	switch provider {
	case "openai":
		format, calls, variant = FormatResponses, opencodePatchCalls, nil
	case "amazon-bedrock":
		format, path = FormatConverse, ""
	}
	config := func(p Place) string {
		limit := ""
		if p.Early {
			limit = `"limit":{"context":60000,"output":8000}`
		}
		return fmt.Sprintf(`{"$schema":"https://opencode.ai/config.json","autoupdate":false,`+
			`"share":"disabled","provider":{%q:{"options":{"baseURL":%q,"apiKey":%q},`+
			`"models":{%q:{%s}}}}}`, provider, p.Base+path, fakeKey, model, limit)
	}
	return Agent{
		Name: name, Module: "opencode-ai", Model: model, Format: format,
		Dialect: calls, Parallel: true,
		Files: func(p Place) map[string]string {
			return map[string]string{"opencode.json": config(p)}
		},
		Command: func(p Place, prompt string, first bool) Setup {
			s := Setup{Args: append([]string{filepath.Join(p.Bin, "opencode"), "run",
				"-m", provider + "/" + model, "--auto"}, variant...),
				Env: []string{"OPENCODE_CONFIG=" + filepath.Join(p.Home, "opencode.json"),
					"OPENCODE_DISABLE_AUTOUPDATE=1", "AWS_REGION=us-east-1",
					"AWS_BEARER_TOKEN_BEDROCK=" + fakeKey,
					"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
					"OPENCODE_DISABLE_LSP_DOWNLOAD=1"}}
			if !first {
				s.Args = append(s.Args, "--continue")
			}
			s.Args = append(s.Args, prompt)
			return s
		},
	}
}

func opencodeCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read", map[string]any{"filePath": filepath.Join(dir, s.File)})
	case work.KindEdit:
		return withJSON("edit", map[string]any{"filePath": filepath.Join(dir, s.File),
			"oldString": s.Before, "newString": s.After})
	case work.KindSearch:
		return withJSON("grep", map[string]any{"pattern": s.Text,
			"path": filepath.Join(dir, "src")})
	}
	return withJSON("bash", map[string]any{"command": s.Text, "description": "Look at the sources"})
}

// opencodePatchCalls are those for OpenAI's models, which get apply_patch and no edit.
func opencodePatchCalls(s work.Step, dir string) Call {
	if s.Kind == work.KindEdit {
		return withJSON("apply_patch", map[string]any{"patchText": patch(s)})
	}
	return opencodeCalls(s, dir)
}
