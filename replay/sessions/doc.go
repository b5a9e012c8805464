// Package sessions reads the files in which Claude Code and Codex keep their sessions: what each
// request held, when it was sent and answered, and what the provider counted.
//
// It never guesses what a request held. If the file does not say that, the conversation has no
// requests, and a note with the reason. It counts no tokens and bills nothing. It was checked with
// files that Claude Code 1.0.128, 2.0.76, 2.1.100 and 2.1.332 and Codex 0.80.0 and 0.171.0 wrote.
package sessions
