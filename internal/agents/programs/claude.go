package programs

import (
	"path/filepath"

	"killick/internal/agents/work"
)

func claudeCode(name, model string) Agent {
	a := Agent{
		Name: name, Module: "@anthropic-ai/claude-code", Model: model, Format: FormatMessages,
		Dialect: claudeCalls, Parallel: true,
		Command: func(p Place, prompt string, first bool) Setup {
			s := Setup{
				Args: []string{filepath.Join(p.Bin, "claude"), "-p", prompt, "--model", model,
					"--dangerously-skip-permissions"},
				Env: []string{"ANTHROPIC_BASE_URL=" + p.Base, "ANTHROPIC_API_KEY=" + fakeKey,
					"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
					"IS_SANDBOX=1"}, // else it refuses to skip permissions as root
			}
			if !first {
				s.Args = append(s.Args, "--continue")
			}
			if p.Early {
				s.Env = append(s.Env, "CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000")
			}
			return s
		},
	}
	if model == "claude-sonnet-4-6" { // 23,000 tokens of tools and instructions
		a.Trigger, a.Target = "40000", "28000"
	}
	return a
}

// onVertex is Claude Code as it calls Vertex AI.
func onVertex(a Agent) Agent {
	direct := a.Command
	a.Command = func(p Place, prompt string, first bool) Setup {
		s := direct(p, prompt, first)
		s.Env = append(s.Env, "CLAUDE_CODE_USE_VERTEX=1", "CLAUDE_CODE_SKIP_VERTEX_AUTH=1",
			"ANTHROPIC_VERTEX_PROJECT_ID=shop", "CLOUD_ML_REGION=us-east5",
			"ANTHROPIC_VERTEX_BASE_URL="+p.Base+"/v1")
		return s
	}
	return a
}

// onBedrock is Claude Code as it calls Bedrock with a key of Bedrock's.
func onBedrock(a Agent) Agent {
	direct := a.Command
	a.Command = func(p Place, prompt string, first bool) Setup {
		s := direct(p, prompt, first)
		s.Env = append(s.Env, "CLAUDE_CODE_USE_BEDROCK=1", "AWS_BEARER_TOKEN_BEDROCK="+fakeKey,
			"AWS_REGION=us-east-1", "ANTHROPIC_BEDROCK_BASE_URL="+p.Base)
		return s
	}
	return a
}

func claudeCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("Read", map[string]any{"file_path": filepath.Join(dir, s.File)})
	case work.KindEdit:
		return withJSON("Edit", map[string]any{"file_path": filepath.Join(dir, s.File),
			"old_string": s.Before, "new_string": s.After})
	}
	return withJSON("Bash", map[string]any{"command": work.AsShell(s),
		"description": "Look at the sources"})
}
