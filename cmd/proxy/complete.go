package main

import (
	"github.com/spf13/cobra"

	"killick/internal/config"
)

// flagValues are the values of flags that take one of a few words, in every command.
var flagValues = map[string][]string{
	"mode":       {"on", "observe", "off"},
	"profile":    config.Profiles,
	"log-level":  {"debug", "info", "warn", "error"},
	"log-format": {"auto", "text", "json"},
	"half":       {"even", "odd", "all"},
}

// complete adds shell completion to root's commands: for fixed words, models, and YAML files.
func complete(root *cobra.Command) {
	models := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return config.Default().PricesFile.Table().Names(), cobra.ShellCompDirectiveNoFileComp
	}
	configs := cobra.FixedCompletions([]string{"yaml", "yml", "json"},
		cobra.ShellCompDirectiveFilterFileExt)
	shells(root)
	for _, cmd := range root.Commands() {
		byFlag := map[string]cobra.CompletionFunc{"config": configs, "model": models}
		for name, values := range flagValues {
			byFlag[name] = cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
		}
		for name, values := range byFlag {
			if cmd.Flags().Lookup(name) == nil {
				continue
			}
			if err := cmd.RegisterFlagCompletionFunc(name, values); err != nil {
				panic(err) // the flag exists, and has no other completion
			}
		}
		switch cmd.Name() {
		case "check":
			cmd.ValidArgsFunction = configs
		case "prices":
			cmd.ValidArgsFunction = models
		case "serve", "demo", "version":
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
}

// shells sets the help texts of cobra's completion command, and makes an unknown shell an error:
// otherwise source <(killick completion tcsh) would run the help as a script.
func shells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "Print the script by which a shell completes commands and flags"
		cmd.Long = cmd.Short + ", their values,\nand names of models. The help of each shell " +
			"says how to load it for good."
		cmd.Example = "  source <(killick completion bash)"
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		}
	}
}
