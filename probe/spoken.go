package probe

import "strings"

// Clients write user messages of their own: records of commands, interruptions, reminders, skills, their own
// summaries. What a person said is what is left without them.
var (
	// recordBlocks are elements that a client adds; they go with all they hold.
	recordBlocks = words(`system-reminder environment_context environment_details user_instructions instructions
		command-name command-message command-contents local-command-stdout local-command-stderr local-command-caveat
		bash-input bash-stdout bash-stderr task-notification ide_opened_file ide_selection ide_diagnostics attached_files
		file_content file_contents additional_data open_and_recently_viewed_files post-tool-use-hook user-prompt-submit-hook
		tool_use_error context_window project_layout git_status automated_reminder`)
	// speechBlocks are elements that a client puts around a person's words.
	speechBlocks = words(`user_query user_message user_request task request feedback answer command-args message query`)
	// recordHeads begin messages that are a client's own from end to end.
	recordHeads = []string{
		"[request interrupted", "caveat: the messages below", "base directory for this skill:", "api error",
		"this session is being continued from a previous conversation", "operation stopped by hook:",
		"stop hook feedback", "invoke the ", "[image]", "[image:", "your conversation has been", "# agents.md instructions",
		"i am not sharing any files", "these are the *read-write*", "*read-only*", "here are summaries of some files",
		"i have *added these files to the chat*", "i switched to a new code base", "the user opened the file",
		"here is a demonstration of how to", "please continue from where you left off", "continue from where you left off", "[tool result", "tool result:", "[record of earlier turns",
	}
)

// spoken returns what a person said in the text of a user message, "" if a client made all of it.
func spoken(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "###STOP###", ""))
	head := strings.ToLower(clip(text, 80))
	for _, h := range recordHeads {
		if strings.HasPrefix(head, h) && (h != "invoke the " || strings.Contains(head, " skill")) {
			return ""
		}
	}
	return strings.TrimSpace(withoutCommands(withoutBlocks(text)))
}

// withoutBlocks removes client-made elements and unwraps those around speech, in one pass over text.
func withoutBlocks(text string) string {
	if strings.IndexByte(text, '<') < 0 {
		return text
	}
	var out strings.Builder
	lost := set{} // closing tags known to be absent from here on
	for {
		open := strings.IndexByte(text, '<')
		if open < 0 {
			break
		}
		name := tagName(text[open+1:])
		whole := "<" + name
		switch folded := strings.ToLower(name); {
		case recordBlocks.has(folded):
			out.WriteString(text[:open])
			closing := "</" + name + ">"
			end := -1
			if !lost.has(closing) {
				end = strings.Index(text[open:], closing)
			}
			if end < 0 { // unclosed: it ends with its own tag
				lost[closing] = struct{}{}
				text = afterTag(text[open:])
				continue
			}
			text = text[open+end+len(closing):]
		case speechBlocks.has(folded), strings.HasPrefix(folded, "/") && speechBlocks.has(folded[1:]):
			out.WriteString(text[:open])
			out.WriteByte('\n')
			text = afterTag(text[open:])
		default:
			out.WriteString(text[:open+len(whole)])
			text = text[open+len(whole):]
		}
	}
	out.WriteString(text)
	return out.String()
}

// tagName returns the name of the tag that s continues, "" if it is none.
func tagName(s string) string {
	end := 0
	for end < len(s) && end < 40 && (isAlnum(s[end]) || s[end] == '-' || s[end] == '_' || end == 0 && s[end] == '/') {
		end++
	}
	if end == len(s) || s[end] != '>' && s[end] != ' ' {
		return ""
	}
	return s[:end]
}

func afterTag(s string) string {
	if i := strings.IndexByte(clip(s, 400), '>'); i >= 0 {
		return s[i+1:]
	}
	return s[1:]
}

// withoutCommands drops the lines that are a slash command: "/mode", "/add main.go", but not "/usr/bin fails".
func withoutCommands(text string) string {
	if !strings.HasPrefix(text, "/") && !strings.Contains(text, "\n/") {
		return text
	}
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if !slashCommand(strings.TrimSpace(line)) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func slashCommand(line string) bool {
	rest, ok := strings.CutPrefix(line, "/")
	if !ok {
		return false
	}
	verb, _, _ := strings.Cut(rest, " ")
	return len(verb) < 40 && !strings.ContainsAny(verb, "/.")
}

// withoutFences blanks what stands between code fences, byte for byte, so that offsets keep.
func withoutFences(text string) string {
	if !strings.Contains(text, "```") {
		return text
	}
	out := []byte(text)
	inside := false
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at
		}
		fence := strings.HasPrefix(strings.TrimLeft(text[at:end], " \t"), "```")
		if inside || fence {
			for i := at; i < end; i++ {
				out[i] = ' '
			}
		}
		if fence {
			inside = !inside
		}
		at = end + 1
	}
	return string(out)
}
