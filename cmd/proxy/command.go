package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"killick/internal/config/load"
)

// What the commands share.

// failure is an error of a command that was understood and ran; cobra's own
// errors, about the command line, are not of this type.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// running marks errors returned by a command's run function as failures.
func running(work func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := work(cmd, args); err != nil {
			return failure{err}
		}
		return nil
	}
}

// noArguments is cobra's NoArgs with a readable message.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes flags only; got %q", cmd.Name(), args[0])
	}
	return nil
}

// atMostOne is cobra's MaximumNArgs(1) with a readable message.
func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s takes one %s at most; got %d", cmd.Name(), what, len(args))
		}
		return nil
	}
}

// unknownCommand is the error for a subcommand that does not exist, worded as cobra words that of
// the root command.
func unknownCommand(cmd *cobra.Command, name string) error {
	var near string
	cmd.SuggestionsMinimumDistance = 2 // cobra's default, which it sets too late for us
	if names := cmd.SuggestionsFor(name); len(names) > 0 {
		near = "; did you mean " + strings.Join(names, " or ") + "?"
	}
	return fmt.Errorf("unknown command %q for %q%s", name, cmd.CommandPath(), near)
}

// getenv returns a function that looks up variables in an environment.
func getenv(env []string) func(name string) string {
	return func(name string) string { return load.Lookup(env, name) }
}

// writeJSON prints one value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func printWarnings(w io.Writer, s *load.Settings) {
	for _, warning := range s.Warnings {
		printWarning(w, warning)
	}
}

func printWarning(w io.Writer, warning string) { fmt.Fprintf(w, "killick: warning: %s\n", warning) }
