// Package sessions reads the files in which Claude Code and Codex keep their sessions: what each
// request held, when it was sent and answered, and what the provider counted.
//
// It never guesses what a request held: a conversation of which the file does not say so has no
// requests, and a note with the reason. It counts no tokens and bills nothing. It was checked with
// files of Claude Code 2.1.332 and Codex 0.171.0.
package sessions
