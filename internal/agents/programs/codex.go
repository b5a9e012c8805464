package programs

import (
	"fmt"
	"path/filepath"
	"strconv"

	"killick/internal/agents/work"
)

// codex is Codex with its own provider at another URL, which tries a WebSocket first, or with a
// provider of the user's.
func codex(name, model string, builtIn bool) Agent {
	a := Agent{
		Name: name, Module: "@openai/codex", Model: model, Format: FormatResponses,
		Dialect: codexCalls, Parallel: true,
	}
	if builtIn {
		a.Dialect, a.Parallel = codexScriptCalls, false
	}
	a.Command = func(p Place, prompt string, first bool) Setup {
		s := Setup{Args: []string{filepath.Join(p.Bin, "codex"), "exec"},
			Env: []string{"OPENAI_API_KEY=" + fakeKey, "CODEX_API_KEY=" + fakeKey}}
		if !first {
			s.Args = append(s.Args, "resume", "--last")
		}
		s.Args = append(s.Args, "--skip-git-repo-check",
			"--dangerously-bypass-approvals-and-sandbox", "-m", model)
		options := []string{"check_for_update_on_startup=false", "analytics.enabled=false"}
		if builtIn {
			options = append(options, fmt.Sprintf("openai_base_url=%q", p.Base+"/v1"))
		} else {
			options = append(options, `model_provider="killick"`,
				`model_providers.killick.name="Killick"`,
				fmt.Sprintf("model_providers.killick.base_url=%q", p.Base+"/v1"),
				`model_providers.killick.env_key="OPENAI_API_KEY"`,
				`model_providers.killick.wire_api="responses"`)
		}
		if p.Early {
			options = append(options, "model_auto_compact_token_limit=40000")
		}
		for _, option := range options {
			s.Args = append(s.Args, "-c", option)
		}
		s.Args = append(s.Args, prompt)
		return s
	}
	return a
}

func codexCalls(s work.Step, _ string) Call {
	if s.Kind == work.KindEdit {
		return Call{Name: "apply_patch", Arguments: patch(s), Custom: true}
	}
	return withJSON("exec_command", map[string]any{"cmd": work.AsShell(s)})
}

// codexScriptCalls are calls of the tool that runs JavaScript, the only one that newer models get,
// in the forms that recorded sessions have: one call, several at once, the value of a call as JSON.
func codexScriptCalls(s work.Step, _ string) Call {
	// Unlike JSON of encoding/json, this leaves & and > as they are. The texts are ASCII, without
	// the few characters that Go escapes in other ways than JavaScript.
	command := "tools.exec_command({cmd: " + strconv.Quote(work.AsShell(s)) + "})"
	script := "const r = await " + command + ";\ntext(r.output);"
	switch s.Kind {
	case work.KindEdit:
		script = "text(await tools.apply_patch(" + strconv.Quote(patch(s)) + "));"
	case work.KindSearch:
		script = "const results = await Promise.all([\n  " + command + ",\n" +
			"  tools.exec_command({cmd: \"ls src\"})\n]);\nfor (const r of results) text(r.output);"
	case work.KindShell:
		script = "const r = await " + command + ";\ntext(JSON.stringify(r));"
	}
	return Call{Name: "exec", Namespace: "functions", Arguments: script, Custom: true}
}
