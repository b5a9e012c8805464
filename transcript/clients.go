package transcript

import "strings"

// What clients write into user messages beside a person's words. The tables hold
// what was seen in the agents named, in November 2026: names of tags and fixed
// beginnings, never a guess at what a sentence means. What is in no table counts
// as typed: it is kept, and nothing is claimed of it.

// tag says what stands between a tag and its end tag.
type tag struct {
	kind   SpanKind
	output bool // what a command printed: it may hold its own end tag
}

// tags are the known tags by their names.
var tags = map[string]tag{
	// Claude Code 2.1, qwen-code 0.24 and agents built on them.
	"system-reminder":         {kind: Block},
	"local-command-caveat":    {kind: Block},
	"local-command-stdout":    {kind: Block, output: true},
	"local-command-stderr":    {kind: Block, output: true},
	"command-name":            {kind: Block},
	"command-message":         {kind: Block},
	"command-contents":        {kind: Block},
	"bash-input":              {kind: Block},
	"bash-stdout":             {kind: Block, output: true},
	"bash-stderr":             {kind: Block, output: true},
	"task-notification":       {kind: Block},
	"user-prompt-submit-hook": {kind: Block},
	"ide_selection":           {kind: Block},
	"ide_opened_file":         {kind: Block},
	"ide_diagnostics":         {kind: Block},
	"new-diagnostics":         {kind: Block},
	"session-start-hook":      {kind: Block},
	"post-tool-use-hook":      {kind: Block},
	"tick":                    {kind: Block},
	"command-args":            {kind: Typed}, // what a person typed behind a command

	// Codex 0.6 and later.
	"environment_context":    {kind: Block},
	"user_instructions":      {kind: Block},
	"INSTRUCTIONS":           {kind: Block},
	"recommended_plugins":    {kind: Block},
	"turn_aborted":           {kind: Block},
	"user_shell_command":     {kind: Block, output: true},
	"subagent_notification":  {kind: Block},
	"permissions":            {kind: Block},
	"collaboration_mode":     {kind: Block},
	"model_switch":           {kind: Block},
	"personality_spec":       {kind: Block},
	"skills_instructions":    {kind: Block},
	"apps_instructions":      {kind: Block},
	"multi_agent_mode":       {kind: Block},
	"skill":                  {kind: Block},
	"ide_context":            {kind: Block},
	"user_action":            {kind: Block},
	"realtime_conversation":  {kind: Block},
	"hook_prompt":            {kind: Block},
	"turn_context":           {kind: Block},
	"current_plan":           {kind: Block},
	"plugins_instructions":   {kind: Block},
	"memory_instructions":    {kind: Block},
	"spawned_agents_context": {kind: Block},

	// Cline and Roo Code. Their tags around what a person typed come below.
	"environment_details":            {kind: Block},
	"explicit_instructions":          {kind: Block},
	"hook_context":                   {kind: Block},
	"task_progress_instructions":     {kind: Block},
	"task":                           {kind: Typed},
	"feedback":                       {kind: Typed},
	"user_message":                   {kind: Typed},
	"user_feedback":                  {kind: Typed},
	"answer":                         {kind: Typed},
	"new_message":                    {kind: Typed},
	"user_query":                     {kind: Typed}, // Cursor
	"userRequest":                    {kind: Typed}, // VS Code Copilot
	"user_input":                     {kind: Typed},
	"user_request":                   {kind: Typed},
	"open_and_recently_viewed_files": {kind: Block}, // Cursor
	"additional_data":                {kind: Block},
	"attached_files":                 {kind: Document},
	"git_status":                     {kind: Block},
	"project_layout":                 {kind: Block},
	"user_info":                      {kind: Block},
	"rules":                          {kind: Document},
	"context":                        {kind: Document},
	"environment_info":               {kind: Block}, // VS Code Copilot, Copilot CLI
	"workspace_info":                 {kind: Block},
	"editorContext":                  {kind: Block},
	"reminderInstructions":           {kind: Block},
	"reminder":                       {kind: Block},
	"current_datetime":               {kind: Block}, // Copilot CLI
	"attachments":                    {kind: Document},
	"attachment":                     {kind: Document},

	// Documents, as vendors' guides to prompts advise to mark them
	// (docs.anthropic.com, "Use XML tags").
	"document":         {kind: Document},
	"documents":        {kind: Document},
	"document_content": {kind: Document},
	"file":             {kind: Document},
	"files":            {kind: Document},
	"file_content":     {kind: Document},
	"file_contents":    {kind: Document},
	"folder_content":   {kind: Document},
	"url_content":      {kind: Document},
	"terminal_output":  {kind: Document},
	"uploaded_files":   {kind: Document},
	"email":            {kind: Document},
	"mail":             {kind: Document},
	"transcript":       {kind: Document},
	"search_results":   {kind: Document},
	"source":           {kind: Document},
	"quote":            {kind: Document},
}

// beginnings are how texts begin that a client writes as a whole.
var beginnings = []struct{ start, of string }{
	{"[Request interrupted by user", "interruption"},                            // Claude Code
	{"Caveat: The messages below were generated by the user", "caveat"},         // Claude Code
	{"Base directory for this skill:", "skill"},                                 // Claude Code
	{"This session is being continued from a previous conversation", "summary"}, // Claude Code
	{"This is the Qwen Code. We are setting up the context", "preamble"},        // qwen-code
	{"This is the Gemini CLI. We are setting up the context", "preamble"},       // gemini-cli
	{"Another language model started to solve this problem", "summary"},         // Codex
	{"# AGENTS.md instructions for ", "instructions"},                           // Codex
	{RecordMark, "record"}, // Killick, a proxy before this one
}

// RecordMark begins every record of ours.
const RecordMark = "[Record of earlier turns, kept by Killick:"

// RecordEnd parts a record from a user's own words behind it in one message.
const RecordEnd = "[End of the record. The user's own message follows.]"

// clientText reports whether all of a text is the client's, and what it is.
func clientText(text string) (of string, ok bool) {
	text = strings.TrimSpace(text)
	for _, b := range beginnings {
		if strings.HasPrefix(text, b.start) {
			if b.start == RecordMark && strings.Contains(text, RecordEnd) {
				return "", false // words of the user stand behind it
			}
			return b.of, true
		}
	}
	if skillCall(text) {
		return "skill", true
	}
	return "command", slashCommand(text)
}

// skillCall reports whether a text is the one with which clients ask for a skill:
// `Invoke the "name" skill`, and nothing else in its first line.
func skillCall(text string) bool {
	rest, ok := strings.CutPrefix(text, "Invoke the ")
	if !ok {
		return false
	}
	line, _, _ := strings.Cut(rest, "\n")
	line = strings.TrimRight(line, ".: ")
	name, ok := strings.CutSuffix(line, " skill")
	return ok && !strings.Contains(strings.TrimSpace(name), " ")
}

// slashCommand reports whether a text is a bare command to the client, such as
// "/mode". With words behind it a person's words are among it.
func slashCommand(text string) bool {
	if len(text) < 2 || text[0] != '/' || len(text) > maxTagName {
		return false
	}
	for i := 1; i < len(text); i++ {
		if c := text[i]; !isLetter(c) && !isDigit(c) && c != '-' && c != '_' && c != ':' {
			return false
		}
	}
	return true
}
