package programs

import (
	"fmt"
	"path/filepath"

	"killick/internal/agents/work"
)

func copilot(name, format, model string) Agent {
	a := Agent{
		Name: name, Module: "@github/copilot", Model: model, Format: format,
		Dialect: copilotPatchCalls, Parallel: true,
	}
	if format != FormatResponses {
		a.Dialect = copilotCalls
	}
	a.Command = func(p Place, prompt string, first bool) Setup {
		s := Setup{
			Args: []string{filepath.Join(p.Bin, "copilot"), "-p", prompt, "--allow-all-tools",
				"--no-color", "--no-auto-update"},
			Env: []string{"COPILOT_PROVIDER_API_KEY=" + fakeKey, "COPILOT_MODEL=" + model,
				"COPILOT_OFFLINE=true"},
		}
		if format == FormatMessages {
			s.Env = append(s.Env, "COPILOT_PROVIDER_TYPE=anthropic",
				"COPILOT_PROVIDER_BASE_URL="+p.Base)
		} else {
			s.Env = append(s.Env, "COPILOT_PROVIDER_BASE_URL="+p.Base+"/v1")
		}
		if format == FormatResponses {
			s.Env = append(s.Env, "COPILOT_PROVIDER_WIRE_API=responses")
		}
		window := 400_000 // by its own count, not by the usage that replies report
		if p.Early {
			window = 60_000
		}
		s.Env = append(s.Env, fmt.Sprintf("COPILOT_PROVIDER_MAX_PROMPT_TOKENS=%d", window))
		if !first {
			s.Args = append(s.Args, "--continue")
		}
		return s
	}
	return a
}

func copilotCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("view", map[string]any{"path": filepath.Join(dir, s.File)})
	case work.KindEdit:
		return withJSON("edit", map[string]any{"path": filepath.Join(dir, s.File),
			"old_str": s.Before, "new_str": s.After})
	case work.KindSearch:
		return withJSON("grep", map[string]any{"pattern": s.Text,
			"path": filepath.Join(dir, "src"), "output_mode": "content"})
	}
	return withJSON("bash", map[string]any{"command": s.Text, "description": "Look at the sources"})
}

// copilotPatchCalls are those for OpenAI's models.
func copilotPatchCalls(s work.Step, dir string) Call {
	c := copilotCalls(s, dir)
	switch s.Kind {
	case work.KindEdit:
		return Call{Name: "apply_patch", Arguments: patch(s), Custom: true}
	case work.KindSearch:
		c.Name = "rg"
	}
	return c
}
