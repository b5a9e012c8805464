// Command proxy builds killick, a reverse proxy for the APIs of OpenAI, Anthropic, Google, Amazon
// Bedrock and Ollama that compacts long conversations before it forwards them.
//
// The package holds the commands: each parses its part of the command line, calls the
// package that does the work and prints. It decides nothing about requests and never
// prints a credential or a conversation. It writes only the store, and the dumps and
// charts that the operator asks for.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"killick/internal/buildinfo"
	"killick/internal/closest"
	"killick/internal/config/load"
	"killick/internal/fields"
	"killick/internal/usage"
	"killick/internal/wire"
)

// Exit codes, the same for every command.
const (
	exitGood   = 0
	exitFailed = 1 // the command failed
	// The command line or the configuration is invalid, or a file or folder in the configuration
	// cannot be used: serve fails again until somebody changes that. The systemd unit
	// (deploy/systemd) does not restart after it.
	exitUsage = 2
)

func main() {
	runtime.MemProfileRate = 0 // the profile is not exposed, and its table takes 1.4 MB
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}

// run is the program. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	root := newRoot(env)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(context.Background())
	if log, ok := root.ErrOrStderr().(*wire.Log); ok { // serve writes there
		defer log.Close()
	}
	if err == nil {
		return exitGood
	}
	code, lines := explain(cmd, err)
	for line := range strings.SplitSeq(lines, "\n") {
		fmt.Fprintf(root.ErrOrStderr(), "killick: %s\n", line)
	}
	return code
}

// newHelp is cobra's help command, which takes an unknown command for a success.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			for _, name := range args {
				next := slices.IndexFunc(about.Commands(), func(c *cobra.Command) bool {
					return c.Name() == name
				})
				if next < 0 {
					return unknownCommand(about, name)
				}
				about = about.Commands()[next]
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
		ValidArgsFunction: func(
			cmd *cobra.Command, _ []string, _ string,
		) (names []string, _ cobra.ShellCompDirective) {
			for _, c := range cmd.Root().Commands() {
				if c.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// explain returns the exit code of an error of cmd and what to print.
func explain(cmd *cobra.Command, err error) (int, string) {
	var (
		wrong    load.Faults
		unusable unusableError
		line     usage.Error
		ran      failure
	)
	switch {
	case errors.As(err, &wrong):
		return exitUsage, wrong.Error()
	case errors.As(err, &unusable):
		return exitUsage, err.Error()
	case errors.As(err, &line), !errors.As(err, &ran):
		text, suggested, any := strings.Cut(err.Error(), "\n\nDid you mean this?")
		if any { // one on each line
			text += "; did you mean " + strings.Join(strings.Fields(suggested), " or ") + "?"
		}
		return exitUsage, fmt.Sprintf("%s\nsee \"%s --help\"", text, cmd.CommandPath())
	}
	return exitFailed, err.Error()
}

const rootLong = `Killick is a reverse proxy for the APIs of OpenAI, Anthropic, Google, Amazon
Bedrock and Ollama. It counts the tokens of every request and, past a
threshold, masks stale tool outputs or replaces old turns with a record of
quotes and facts. Clients only change their base URL.`

const rootExample = "" +
	`  killick demo                                        try it: no key, no network
  killick serve --upstream https://api.openai.com/v1  serve real traffic
  killick check killick.yaml                          test a configuration`

const rootFooter = `
Exit codes: 0 success; 1 failure; 2 invalid command line or configuration, or a
file or folder in the configuration that cannot be used: serve would fail again.
Every configuration key has an environment variable: KILLICK_CACHE_DIR sets
cache.dir. Flags override variables, variables override the file.
`

// helpWidth is the width of help in columns: that of the narrowest usual terminal.
const helpWidth = 80

func newRoot(env []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "killick",
		Short:         "A reverse proxy that compacts long conversations with language models",
		Long:          rootLong,
		Example:       rootExample,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.Version = buildinfo.Read().String() // enables --version
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages",
		fmt.Sprintf(".FlagUsagesWrapped %d", helpWidth)) + rootFooter)
	root.AddCommand(
		newServe(env),
		newCheck(env),
		newCount(),
		newDemo(env),
		newReplay(env),
		newPrices(env),
		newStore(env),
		newVersion(),
		newHealthcheck(env),
	)
	complete(root)
	return root
}

// flagError words cobra's error about a value, and adds to one about an unknown flag which one was
// probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		want := map[string]string{
			"bool": "true or false", "int": "a whole number", "float64Slice": "numbers",
		}[value.GetFlag().Value.Type()]
		if want != "" {
			return fmt.Errorf("--%s %s: want %s", value.GetFlag().Name,
				fields.Quote(value.GetValue()), want)
		}
		return err
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := closest.Name(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}
