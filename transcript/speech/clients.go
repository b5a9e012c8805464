package speech

import "strings"

// The tables of this file list what clients write into user messages beside a person's words: the
// tag names that the named agents used in November 2026. Text that matches no table counts as
// typed: it is kept, and nothing is claimed about it. Names that people use in their own prompts
// (<context>, <rules>, <instructions>, <example>) are not listed as blocks: a missing entry leaves
// a client's note among a person's words, but a wrong entry hides a person's words.

// tag describes the text between a tag and its end tag.
type tag struct {
	kind   SpanKind
	output bool // the output of a command, which may contain the end tag
}

// tags are the known tags by name. Names of documents match in any letter case.
var tags = func() map[string]tag {
	known := map[string]tag{}
	for _, t := range []struct {
		tag
		names string
	}{
		// Claude Code 2.1.330; the last line 1.0.128.
		{tag{kind: Block}, "system-reminder system_reminder local-command-caveat command-name " +
			"command-message command-contents skill-format bash-input bash-exit-code tick " +
			"task-notification teammate-message cross-session-message agent-message " +
			"coordinator-relay remote-review remote-review-progress untrusted-widget-state " +
			"fork-boilerplate forked-skill-launch queued-remote-notifications " +
			"tools-used-before-summary user-prompt-submit-hook post-tool-use-hook ide_selection " +
			"ide_opened_file new-diagnostics mcp-resource-update mcp-polling-update " +
			"persisted-output sandbox_violations guidance-loaded non-user-message " +
			"session-start-hook background-task-input background-remote-session-status"},
		{tag{kind: Block, output: true},
			"local-command-stdout local-command-stderr bash-stdout bash-stderr " +
				"background-task-output"},
		{tag{kind: Document}, "mcp-resource fetched-web-content"},
		{tag{kind: Typed}, "command-args user-memory-input"},

		// Codex 0.169.
		{tag{kind: Block}, "environment_context environments_instructions recommended_plugins " +
			"turn_aborted user_action subagent_notification collaboration_mode persistent_mode " +
			"multi_agent_mode multi_agent_role model_switch personality_spec skills_instructions " +
			"apps_instructions plugins_instructions managed_developer_instructions " +
			"codex_delegation codex_internal_context realtime_conversation current_time_reminder " +
			"context_window_reminder image_resize_notice"},
		{tag{kind: Block, output: true}, "user_shell_command"},

		// qwen-code 0.24.4, gemini-cli 0.61.0.
		{tag{kind: Block}, "background-tasks plan-mode-active goal_runtime_data teammate_message " +
			"team_error team_notice team_status session_context hook_context loaded_context " +
			"activated_skill state_snapshot"},
		{tag{kind: Block, output: true}, "background_output"},
		{tag{kind: Typed}, "skill-args"},

		// Cline 3.0.65 and 2.18.0.
		{tag{kind: Block},
			"environment_details explicit_instructions mode_notice workspace_diagnostics " +
				"git_working_state"},
		{tag{kind: Document},
			"file_content folder_content url_content final_file_content terminal_output " +
				"git_commit"},
		{tag{kind: Typed}, "task feedback answer user_message user_input user_command"},

		// Copilot CLI 1.0.102 and 1.0.0; VS Code's and Cursor's tags around a person's words.
		{tag{kind: Block}, "current_datetime tools_changed_notice mode_changed_notice " +
			"working_directory_changed additional_directories_changed session_limits_status " +
			"todo_status system_notification invoked_skills autopilot_mode skill-context " +
			"reminderInstructions open_and_recently_viewed_files"},
		{tag{kind: Block, output: true}, "user_shell_command_output"},
		{tag{kind: Document}, "tagged_files attached_files"},
		{tag{kind: Typed}, "userRequest user_query"},

		// opencode 1.18.34 and 1.2.27.
		{tag{kind: Block}, "conversation-checkpoint shell_metadata"},
		// oh-my-opencode 4.19.4, a plugin of it.
		{tag{kind: Block}, "ultrawork-mode hyperplan-ultrawork-mode"},

		// Qwen-Agent (nous_fncall_prompt.py) and others with the prompts of Nous Research's
		// Hermes, around the result of a call that the model wrote as <tool_call>.
		{tag{kind: Block, output: true}, "tool_response"},

		// oh-my-pi 18.2.3.
		{tag{kind: Block}, "system-notice system-interrupt system-injection system-warning"},

		// Droid 0.215.0.
		{tag{kind: Block}, "system-notification"},

		// Documents, marked as the vendors' prompting guides recommend (docs.anthropic.com, "Use
		// XML tags" and "Long context prompting tips").
		{tag{kind: Document}, "document documents document_content document_contents " +
			"file_contents uploaded_files attachment attachments"},

		// Tags around text of others, or around context that a person gives: kept as the person's
		// words, and treated as quotations.
		{tag{kind: Quotation},
			"context source quote transcript file files email mail search_results"},
	} {
		for name := range strings.FieldsSeq(t.names) {
			known[name] = t.tag
		}
	}
	return known
}()

// marked are tags with ambiguous names. The text after the name shows that the client wrote them.
var marked = map[string][]struct {
	start string
	kind  SpanKind
}{
	// pi 1.5.2; Codex 0.169
	"skill": {{`<skill name="`, Block}, {"<skill>\n<name>", Block}},
	"file":  {{`<file name="`, Document}, {`<file path="`, Document}}, // pi 1.5.2
	"task":  {{`<task id="`, Block}},                                  // opencode 1.18.34
	// Kimi Code 2.1.0
	"notification": {{`<notification id="task:`, Block}},
	// Claude Code 2.1.330
	"channel":       {{`<channel source="`, Block}},
	"skill_content": {{`<skill_content name="`, Block}},          // opencode 1.18.34
	"context":       {{"<context>\nThe current date is", Block}}, // VS Code Copilot
	"user_info":     {{"<user_info>\nOS Version:", Block}},       // Cursor, Grok Build 1.0.41
	// Cursor, Grok Build 1.0.41
	"rules": {
		{"<rules>\nThe rules section has a number of possible rules/memories/context", Block},
	},
	"doc": {{"<doc id=", Document}}, // OpenAI's guide to GPT-4.1
}

// tagAt classifies the tag at the beginning of text, and returns the name that its end tag must
// have.
func tagAt(text, name string) (t tag, key string, ok bool) {
	for _, m := range marked[name] {
		if strings.HasPrefix(text, m.start) {
			return tag{kind: m.kind}, name, true
		}
	}
	if t, ok = tags[name]; ok {
		return t, name, true
	}
	key = strings.ToLower(name)
	t = tags[key]
	return t, key, t.kind == Document
}

// endName returns the name under which an end tag is looked up.
func endName(name string) (key string, ok bool) {
	if _, ok = tags[name]; ok {
		return name, true
	}
	if _, ok = marked[name]; ok {
		return name, true
	}
	key = strings.ToLower(name)
	return key, tags[key].kind == Document
}
