package names

import (
	"testing"

	"killick/internal/chattest"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/view"
)

func user(text string) []string { return []string{chattest.Says(view.User, text)} }

func assistant(text string) []string { return []string{chattest.Says(view.Assistant, text)} }

// call returns a call with its arguments as JSON, and its result.
func call(name, args, result string) []string { return chattest.Exchange(name, args, result) }

// run returns a command with its exit code and output.
func run(command, exit, printed string) []string {
	return call("Bash", chattest.Object("command", command), "Exit code "+exit+"\n"+printed)
}

// sourceOf returns a conversation whose names are read.
func sourceOf(t testing.TB, msgs []string) *quotes.Source {
	t.Helper()
	return &quotes.Source{Transcript: transcript.ReadAll(chattest.Messages(t, msgs...))}
}
