package programs

import (
	"path/filepath"
	"strings"

	"killick/internal/agents/work"
)

// ofSDK returns an agent that is a script of ours over an SDK, in the folder of the modules. It
// takes one prompt each time, and keeps the conversation in a file.
func ofSDK(name, module, script, format, model string, calls Dialect) Agent {
	return Agent{
		Name: name, Module: module, Model: model, Format: format, Dialect: calls, Parallel: true,
		Command: func(p Place, prompt string, first bool) Setup {
			return Setup{Args: []string{filepath.Join(p.Bin, "node"),
				filepath.Join(p.Bin, "..", "..", script), name, p.Base, model,
				filepath.Join(p.Home, "session.json"), prompt},
				Env: []string{"SCRIPTED_KEY=" + fakeKey}}
		},
	}
}

// aiSDK is an agent over the AI SDK. The one that is named stored leaves the setting store at the
// SDK's default.
func aiSDK(name, format, model string) Agent {
	a := ofSDK(name, "ai", "aisdk.mjs", format, model, scriptCalls)
	a.Stored = strings.HasSuffix(name, "-stored")
	return a
}

// scriptCalls are those of aisdk.mjs.
func scriptCalls(s work.Step, _ string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read", map[string]any{"path": s.File})
	case work.KindEdit:
		return withJSON("edit", map[string]any{"path": s.File, "before": s.Before,
			"after": s.After})
	}
	return withJSON("bash", map[string]any{"command": work.AsShell(s)})
}

// deepAgents is an agent of LangChain's deepagents, with the tools that it brings.
func deepAgents(name, format, model string) Agent {
	return ofSDK(name, "deepagents", "deepagents.mjs", format, model, deepCalls)
}

func deepCalls(s work.Step, dir string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read_file", map[string]any{"file_path": filepath.Join(dir, s.File),
			"offset": 0, "limit": 2000})
	case work.KindEdit:
		return withJSON("edit_file", map[string]any{"file_path": filepath.Join(dir, s.File),
			"old_string": s.Before, "new_string": s.After})
	case work.KindSearch:
		return withJSON("grep", map[string]any{"pattern": s.Text,
			"path": filepath.Join(dir, "src")})
	}
	return withJSON("execute", map[string]any{"command": s.Text})
}

// openAIAgents is an agent of OpenAI's Agents SDK: over Responses with the hosted tools that run on
// the client's side, else with functions.
func openAIAgents(name, format, model string) Agent {
	calls := Dialect(hostedCalls)
	if format == FormatChat {
		calls = functionCalls
	}
	return ofSDK(name, "@openai/agents", "openaiagents.mjs", format, model, calls)
}

func hostedCalls(s work.Step, _ string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read_file", map[string]any{"path": s.File})
	case work.KindEdit:
		return Call{Name: "apply_patch", Hosted: "apply_patch_call", Path: s.File,
			Arguments: "@@\n-" + s.Before + "\n+" + s.After + "\n"}
	}
	return Call{Name: "shell", Hosted: "shell_call", Arguments: work.AsShell(s)}
}

func functionCalls(s work.Step, _ string) Call {
	switch s.Kind {
	case work.KindRead:
		return withJSON("read_file", map[string]any{"path": s.File})
	case work.KindEdit:
		return withJSON("edit_file", map[string]any{"path": s.File, "old_string": s.Before,
			"new_string": s.After})
	}
	return withJSON("run_command", map[string]any{"command": work.AsShell(s)})
}

// langChain is an agent of LangChain.js, with functions of our own.
func langChain(name, format, model string) Agent {
	a := ofSDK(name, "langchain", "langchain.mjs", format, model, functionCalls)
	// It sends the results of parallel calls to Google in a content each.
	a.Parallel = format != FormatGemini
	return a
}

// runner is an agent over a provider's own SDK, with the loop that the SDK brings.
func runner(name, module, format, model string) Agent {
	return ofSDK(name, module, "runners.mjs", format, model, functionCalls)
}
