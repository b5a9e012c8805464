package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"killick/cache"
	"killick/internal/config"
	"killick/internal/config/load"
	"killick/internal/usage"
)

const rotateLong = `Change the key that the store is encrypted with, while no proxy has it open. One
small file is rewritten and renamed, so an interruption leaves the store with
either the old key or the new one. Records are not rewritten: they are encrypted
with data keys, which are rotated automatically every day. If the current key is
wrong, nothing is changed.

Afterwards, set cache.encryption_key_file to the new file and destroy the old
one. Replicas that share a store (cache.url) change their keys together.`

// sharedKey is printed if replicas share a store: they compare their keys there.
const sharedKey = `Replicas share %s, where everything is encrypted with the old key. No replica
starts with another key. So stop all replicas and change the key of each. Before the first one
starts, remove the names that begin with killick:1: there (or set cache.url to another database).
`

func newStore(env []string) *cobra.Command {
	store := &cobra.Command{
		Use:     "store",
		Short:   "Maintain the store while no proxy has it open",
		Example: "  killick store rotate-key --config killick.yaml --to /etc/killick/store.key.new",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	var file, from, to string
	rotate := &cobra.Command{
		Use:     "rotate-key --to FILE",
		Short:   "Change the key that the store is encrypted with",
		Long:    rotateLong,
		Example: "  killick store rotate-key --config killick.yaml --to /etc/killick/store.key.new",
		Args:    noArguments,
		RunE: running(func(cmd *cobra.Command, _ []string) error {
			file = cmp.Or(file, load.Lookup(env, load.EnvFile))
			s, err := load.Config(load.Sources{File: file, Env: env})
			if err != nil {
				return err
			}
			from = cmp.Or(from, s.Cache.EncryptionKeyFile)
			if err := rotateKey(s.Cache, from, to); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(),
				"%s is now encrypted with the key in %s: set cache.encryption_key_file to it.\n",
				s.Cache.Dir, to)
			if s.Cache.URL != "" {
				fmt.Fprintf(cmd.OutOrStdout(), sharedKey, s.Cache.URL)
			}
			return nil
		}),
	}
	rotate.Flags().StringVarP(&file, "config", "c", "",
		"read this `file` (default: the one that "+load.EnvFile+" names)")
	rotate.Flags().StringVar(&from, "from", "",
		"the `file` with the current key (default: cache.encryption_key_file)")
	rotate.Flags().StringVar(&to, "to", "", "the `file` with the new key")
	store.AddCommand(rotate)
	return store
}

func rotateKey(c config.Cache, from, to string) error {
	switch {
	case c.InMemory:
		return usage.Error{Err: errors.New("cache.in_memory is set: there is no store on disk")}
	case from == "":
		return usage.Error{Err: errors.New("the current key is missing: set " +
			"cache.encryption_key_file, or give --from FILE")}
	case to == "":
		return usage.Error{Err: errors.New("the new key is missing: give --to FILE; openssl " +
			"rand -hex 32 generates one")}
	case config.Inside(c.Dir, to):
		return usage.Error{Err: fmt.Errorf("%s is inside %s: a copy of the store must not contain "+
			"its key, put it elsewhere", to, c.Dir)}
	}
	old, err := cache.LoadKey(from)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	next, err := cache.LoadKey(to)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	if bytes.Equal(old, next) {
		return usage.Error{Err: errors.New("--to holds the key that the store already has")}
	}
	if _, err := os.Stat(c.Dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no store in %s yet: set cache.encryption_key_file to %s, "+
			"and the first start creates one with it", c.Dir, to)
	}
	return cache.RotateKey(filepath.Clean(c.Dir), old, next)
}
