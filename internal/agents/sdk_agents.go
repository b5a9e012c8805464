package main

import (
	"path/filepath"
	"strings"
)

// Agents that are scripts of ours over an SDK, one prompt each time, with the conversation in a
// file.

// ofSDK returns an agent that is a script in the folder of the modules.
func ofSDK(name, module, script, format, model string, calls dialect) agent {
	return agent{
		name: name, module: module, model: model, format: format, dialect: calls, parallel: true,
		command: func(p place, prompt string, first bool) setup {
			return setup{args: []string{filepath.Join(p.bin, "node"),
				filepath.Join(p.bin, "..", "..", script), name, p.base, model,
				filepath.Join(p.home, "session.json"), prompt},
				env: []string{"SCRIPTED_KEY=" + fakeKey}}
		},
	}
}

// aiSDK is an agent over the AI SDK. The one that is named stored leaves the setting store at the
// SDK's default.
func aiSDK(name, format, model string) agent {
	a := ofSDK(name, "ai", "aisdk.mjs", format, model, scriptCalls)
	a.stored = strings.HasSuffix(name, "-stored")
	return a
}

// scriptCalls are those of aisdk.mjs.
func scriptCalls(s step, _ string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read", map[string]any{"path": s.file})
	case kindEdit:
		return withJSON("edit", map[string]any{"path": s.file, "before": s.before,
			"after": s.after})
	}
	return withJSON("bash", map[string]any{"command": asShell(s)})
}

// deepAgents is an agent of LangChain's deepagents, with the tools that it brings.
func deepAgents(name, format, model string) agent {
	return ofSDK(name, "deepagents", "deepagents.mjs", format, model, deepCalls)
}

func deepCalls(s step, dir string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read_file", map[string]any{"file_path": filepath.Join(dir, s.file),
			"offset": 0, "limit": 2000})
	case kindEdit:
		return withJSON("edit_file", map[string]any{"file_path": filepath.Join(dir, s.file),
			"old_string": s.before, "new_string": s.after})
	case kindSearch:
		return withJSON("grep", map[string]any{"pattern": s.text,
			"path": filepath.Join(dir, "src")})
	}
	return withJSON("execute", map[string]any{"command": s.text})
}

// openAIAgents is an agent of OpenAI's Agents SDK: over Responses with the hosted tools that run on
// the client's side, else with functions.
func openAIAgents(name, format, model string) agent {
	calls := dialect(hostedCalls)
	if format == formatChat {
		calls = functionCalls
	}
	return ofSDK(name, "@openai/agents", "openaiagents.mjs", format, model, calls)
}

func hostedCalls(s step, _ string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read_file", map[string]any{"path": s.file})
	case kindEdit:
		return call{name: "apply_patch", hosted: "apply_patch_call", path: s.file,
			arguments: "@@\n-" + s.before + "\n+" + s.after + "\n"}
	}
	return call{name: "shell", hosted: "shell_call", arguments: asShell(s)}
}

func functionCalls(s step, _ string) call {
	switch s.kind {
	case kindRead:
		return withJSON("read_file", map[string]any{"path": s.file})
	case kindEdit:
		return withJSON("edit_file", map[string]any{"path": s.file, "old_string": s.before,
			"new_string": s.after})
	}
	return withJSON("run_command", map[string]any{"command": asShell(s)})
}

// langChain is an agent of LangChain.js, with functions of our own.
func langChain(name, format, model string) agent {
	a := ofSDK(name, "langchain", "langchain.mjs", format, model, functionCalls)
	// It sends the results of parallel calls to Google in a content each.
	a.parallel = format != formatGemini
	return a
}

// runner is an agent over a provider's own SDK, with the loop that the SDK brings.
func runner(name, module, format, model string) agent {
	return ofSDK(name, module, "runners.mjs", format, model, functionCalls)
}
