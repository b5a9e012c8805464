package main

import (
	"fmt"
	"path/filepath"
)

// pinned are the packages that are installed, by name. What an agent sends changes from release to
// release: docs/agent-requests.md says what these do.
var pinned = map[string]string{
	"@anthropic-ai/claude-code":       "2.1.332",
	"@openai/codex":                   "0.171.0",
	"opencode-ai":                     "1.18.33",
	"@github/copilot":                 "1.0.102",
	"@google/gemini-cli":              "0.61.0",
	"@qwen-code/qwen-code":            "0.24.4",
	"@earendil-works/pi-coding-agent": "1.6.0",
	"cline":                           "3.0.65",
	"@moonshot-ai/kimi-code":          "2.1.0",
	"@xai-official/grok":              "1.0.41",
	"droid":                           "0.215.0",
	"ai":                              "7.0.173",
	"@ai-sdk/amazon-bedrock":          "5.0.101",
	"@ai-sdk/anthropic":               "4.0.105",
	"@ai-sdk/openai":                  "4.0.118",
	"ai-sdk-ollama":                   "4.3.0",
	"ollama":                          "0.6.4",
	"zod":                             "4.6.7",
	"@openai/agents":                  "0.20.0",
	"openai":                          "7.59.0",
	"@anthropic-ai/sdk":               "1.14.0",
	"@google/genai":                   "3.3.0",
	"deepagents":                      "1.14.1",
	"@langchain/anthropic":            "1.5.11",
	"@langchain/core":                 "1.4.0",
	"@langchain/google-genai":         "2.3.2",
	"@langchain/langgraph":            "1.7.3",
	"@langchain/langgraph-checkpoint": "1.2.2",
	"@langchain/langgraph-sdk":        "1.15.0",
	"@langchain/ollama":               "1.3.0",
	"@langchain/openai":               "1.6.0",
	"langchain":                       "1.5.14",
	"langsmith":                       "0.9.0",
	"node":                            "22.23.3", // what the others run on
}

// place is where one run happens, and what it talks to.
type place struct {
	bin   string // the installed programs
	home  string
	dir   string // the project
	base  string // URL that requests go to, without /v1
	early bool   // the agent is to compact its own conversation early
}

// agent is one program in one configuration.
type agent struct {
	name    string
	module  string // of pinned
	model   string
	format  string // one of the formats of ask.go
	dialect dialect
	// parallel is set if the agent carries out two calls of one answer.
	parallel bool
	// stored is set if the agent leaves parts of its turns with the server, so that only outputs
	// are replaced, which does not halve every run.
	stored bool
	// turnsAPrompt is how many turns the agent is given with one prompt; if 0, 30.
	turnsAPrompt int
	// trigger and target are those of the proxy where the usual ones leave too little room behind
	// the agent's tools and instructions; if empty, the usual ones.
	trigger, target string
	// files are written below home before the first prompt.
	files func(place) map[string]string
	// command returns the arguments and variables for one prompt; first is false for those that
	// continue the conversation.
	command func(p place, prompt string, first bool) setup
}

// setup is how a program is started.
type setup struct {
	args []string
	env  []string
}

const fakeKey = "sk-scripted-0000000000"

var agents = []agent{
	claudeCode("claude-code", "claude-opus-5-5"),
	claudeCode("claude-code-sonnet-4-6", "claude-sonnet-4-6"),
	onVertex(claudeCode("claude-code-vertex", "claude-opus-5-5")),
	onBedrock(claudeCode("claude-code-bedrock", "us.anthropic.claude-opus-5-5-v1:0")),
	codex("codex", "gpt-6.1-sol", true),
	codex("codex-gpt-5.5", "gpt-5.5", false),
	opencode("opencode-messages", "anthropic", "claude-sonnet-5"),
	opencode("opencode-responses", "openai", "gpt-5.5"),
	opencode("opencode-bedrock", "amazon-bedrock", "us.anthropic.claude-opus-5-5-v1:0"),
	aiSDK("ai-sdk-messages", formatMessages, "claude-sonnet-5"),
	aiSDK("ai-sdk-responses", formatResponses, "gpt-5.5"),
	aiSDK("ai-sdk-responses-stored", formatResponses, "gpt-5.5"),
	aiSDK("ai-sdk-bedrock", formatConverse, "us.anthropic.claude-opus-5-5-v1:0"),
	aiSDK("ai-sdk-bedrock-nova", formatConverse, "us.amazon.nova-2-lite-v1:0"),
	copilot("copilot", formatResponses, "gpt-5.4"),
	copilot("copilot-messages", formatMessages, "claude-sonnet-4-6"),
	copilot("copilot-chat", formatChat, "gpt-5.1"),
	aiSDK("ai-sdk-chat", formatChat, "gpt-5.1"),
	aiSDK("ai-sdk-ollama", formatOllama, "qwen3:8b"),
	geminiCLI("gemini-cli", "gemini-3.1-pro-preview"),
	loggedIn(geminiCLI("gemini-cli-login", "gemini-3.1-pro-preview")),
	onVertexAI(geminiCLI("gemini-cli-vertex", "gemini-3.1-pro-preview")),
	qwenCode("qwen-code", "gpt-5.1"),
	pi("pi", "gpt-5.1"),
	cline("cline", "gpt-5.1"),
	kimi("kimi-code", "kimi-k3"),
	grok("grok-build", formatResponses, "grok-4.5"),
	grok("grok-build-chat", formatChat, "gpt-5.1"),
	droid("droid", formatMessages, "claude-opus-5-5"),
	droid("droid-responses", formatResponses, "gpt-5.5"),
	droid("droid-chat", formatChat, "kimi-k3"),
	deepAgents("deepagents-chat", formatChat, "gpt-5.1"),
	deepAgents("deepagents-messages", formatMessages, "claude-sonnet-5"),
	openAIAgents("openai-agents", formatResponses, "gpt-5.5"),
	openAIAgents("openai-agents-chat", formatChat, "gpt-5.1"),
	langChain("langchain-chat", formatChat, "gpt-5.1"),
	langChain("langchain-messages", formatMessages, "claude-sonnet-5"),
	langChain("langchain-responses", formatResponses, "gpt-5.5"),
	langChain("langchain-gemini", formatGemini, "gemini-3.1-pro-preview"),
	langChain("langchain-ollama", formatOllama, "qwen3:8b"),
	langChain("langgraph-chat", formatChat, "gpt-5.1"),
	runner("openai-run-tools", "openai", formatChat, "gpt-5.1"),
	runner("anthropic-tool-runner", "@anthropic-ai/sdk", formatMessages, "claude-sonnet-5"),
	runner("ollama-js", "ollama", formatOllama, "qwen3:8b"),
	runner("google-genai", "@google/genai", formatGemini, "gemini-3.1-pro-preview"),
}

func claudeCode(name, model string) agent {
	a := agent{
		name: name, module: "@anthropic-ai/claude-code", model: model, format: formatMessages,
		dialect: claudeCalls, parallel: true,
		command: func(p place, prompt string, first bool) setup {
			s := setup{
				args: []string{filepath.Join(p.bin, "claude"), "-p", prompt, "--model", model,
					"--dangerously-skip-permissions"},
				env: []string{"ANTHROPIC_BASE_URL=" + p.base, "ANTHROPIC_API_KEY=" + fakeKey,
					"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
					"IS_SANDBOX=1"}, // else it refuses to skip permissions as root
			}
			if !first {
				s.args = append(s.args, "--continue")
			}
			if p.early {
				s.env = append(s.env, "CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000")
			}
			return s
		},
	}
	if model == "claude-sonnet-4-6" { // 23,000 tokens of tools and instructions
		a.trigger, a.target = "40000", "28000"
	}
	return a
}

// onVertex is Claude Code as it calls Vertex AI.
func onVertex(a agent) agent {
	direct := a.command
	a.command = func(p place, prompt string, first bool) setup {
		s := direct(p, prompt, first)
		s.env = append(s.env, "CLAUDE_CODE_USE_VERTEX=1", "CLAUDE_CODE_SKIP_VERTEX_AUTH=1",
			"ANTHROPIC_VERTEX_PROJECT_ID=shop", "CLOUD_ML_REGION=us-east5",
			"ANTHROPIC_VERTEX_BASE_URL="+p.base+"/v1")
		return s
	}
	return a
}

// onBedrock is Claude Code as it calls Bedrock with a key of Bedrock's.
func onBedrock(a agent) agent {
	direct := a.command
	a.command = func(p place, prompt string, first bool) setup {
		s := direct(p, prompt, first)
		s.env = append(s.env, "CLAUDE_CODE_USE_BEDROCK=1", "AWS_BEARER_TOKEN_BEDROCK="+fakeKey,
			"AWS_REGION=us-east-1", "ANTHROPIC_BEDROCK_BASE_URL="+p.base)
		return s
	}
	return a
}

// codex is Codex with its own provider at another URL, which tries a WebSocket first, or with a
// provider of the user's.
func codex(name, model string, builtIn bool) agent {
	a := agent{
		name: name, module: "@openai/codex", model: model, format: formatResponses,
		dialect: codexCalls, parallel: true,
	}
	if builtIn {
		a.dialect, a.parallel = codexScriptCalls, false
	}
	a.command = func(p place, prompt string, first bool) setup {
		s := setup{args: []string{filepath.Join(p.bin, "codex"), "exec"},
			env: []string{"OPENAI_API_KEY=" + fakeKey, "CODEX_API_KEY=" + fakeKey}}
		if !first {
			s.args = append(s.args, "resume", "--last")
		}
		s.args = append(s.args, "--skip-git-repo-check",
			"--dangerously-bypass-approvals-and-sandbox", "-m", model)
		options := []string{"check_for_update_on_startup=false", "analytics.enabled=false"}
		if builtIn {
			options = append(options, fmt.Sprintf("openai_base_url=%q", p.base+"/v1"))
		} else {
			options = append(options, `model_provider="killick"`,
				`model_providers.killick.name="Killick"`,
				fmt.Sprintf("model_providers.killick.base_url=%q", p.base+"/v1"),
				`model_providers.killick.env_key="OPENAI_API_KEY"`,
				`model_providers.killick.wire_api="responses"`)
		}
		if p.early {
			options = append(options, "model_auto_compact_token_limit=40000")
		}
		for _, option := range options {
			s.args = append(s.args, "-c", option)
		}
		s.args = append(s.args, prompt)
		return s
	}
	return a
}

func opencode(name, provider, model string) agent {
	format, calls := formatMessages, dialect(opencodeCalls)
	variant, path := []string{"--variant", "high"}, "/v1"
	switch provider {
	case "openai":
		format, calls, variant = formatResponses, opencodePatchCalls, nil
	case "amazon-bedrock":
		format, path = formatConverse, ""
	}
	config := func(p place) string {
		limit := ""
		if p.early {
			limit = `"limit":{"context":60000,"output":8000}`
		}
		return fmt.Sprintf(`{"$schema":"https://opencode.ai/config.json","autoupdate":false,`+
			`"share":"disabled","provider":{%q:{"options":{"baseURL":%q,"apiKey":%q},`+
			`"models":{%q:{%s}}}}}`, provider, p.base+path, fakeKey, model, limit)
	}
	return agent{
		name: name, module: "opencode-ai", model: model, format: format,
		dialect: calls, parallel: true,
		files: func(p place) map[string]string {
			return map[string]string{"opencode.json": config(p)}
		},
		command: func(p place, prompt string, first bool) setup {
			s := setup{args: append([]string{filepath.Join(p.bin, "opencode"), "run",
				"-m", provider + "/" + model, "--auto"}, variant...),
				env: []string{"OPENCODE_CONFIG=" + filepath.Join(p.home, "opencode.json"),
					"OPENCODE_DISABLE_AUTOUPDATE=1", "AWS_REGION=us-east-1",
					"AWS_BEARER_TOKEN_BEDROCK=" + fakeKey,
					"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
					"OPENCODE_DISABLE_LSP_DOWNLOAD=1"}}
			if !first {
				s.args = append(s.args, "--continue")
			}
			s.args = append(s.args, prompt)
			return s
		},
	}
}

func copilot(name, format, model string) agent {
	a := agent{
		name: name, module: "@github/copilot", model: model, format: format,
		dialect: copilotPatchCalls, parallel: true,
	}
	if format != formatResponses {
		a.dialect = copilotCalls
	}
	a.command = func(p place, prompt string, first bool) setup {
		s := setup{
			args: []string{filepath.Join(p.bin, "copilot"), "-p", prompt, "--allow-all-tools",
				"--no-color", "--no-auto-update"},
			env: []string{"COPILOT_PROVIDER_API_KEY=" + fakeKey, "COPILOT_MODEL=" + model,
				"COPILOT_OFFLINE=true"},
		}
		if format == formatMessages {
			s.env = append(s.env, "COPILOT_PROVIDER_TYPE=anthropic",
				"COPILOT_PROVIDER_BASE_URL="+p.base)
		} else {
			s.env = append(s.env, "COPILOT_PROVIDER_BASE_URL="+p.base+"/v1")
		}
		if format == formatResponses {
			s.env = append(s.env, "COPILOT_PROVIDER_WIRE_API=responses")
		}
		window := 400_000 // by its own count, not by the usage that replies report
		if p.early {
			window = 60_000
		}
		s.env = append(s.env, fmt.Sprintf("COPILOT_PROVIDER_MAX_PROMPT_TOKENS=%d", window))
		if !first {
			s.args = append(s.args, "--continue")
		}
		return s
	}
	return a
}
