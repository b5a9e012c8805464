package main

import (
	"github.com/spf13/cobra"

	"killick/internal/config"
)

// flagValues are the values of flags that take one of a few words, in every command.
var flagValues = map[string][]string{
	"mode":       {"on", "observe", "off"},
	"profile":    {"auto", "guard", "balanced", "saver"},
	"log-level":  {"debug", "info", "warn", "error"},
	"log-format": {"auto", "text", "json"},
	"half":       {"even", "odd", "all"},
}

// complete has shells complete what root's commands take: words, models, and files of YAML.
func complete(root *cobra.Command) {
	models := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return config.Default().PricesFile.Table().Names(), cobra.ShellCompDirectiveNoFileComp
	}
	configs := cobra.FixedCompletions([]string{"yaml", "yml", "json"},
		cobra.ShellCompDirectiveFilterFileExt)
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
