package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"killick/cache"
	"killick/internal/config"
	"killick/internal/wire"
)

// The command changes the key of a store with data: afterwards the new key opens it, and the old
// one does not. Every mistake is reported and changes nothing.
func TestRotateKeyCommand(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, next, third := file("old.key", strings.Repeat("a1", 32)), file("next.key",
		strings.Repeat("b2", 32)), file("third.key", strings.Repeat("c3", 32))
	short := file("short.key", "too short")
	named := file("killick.yaml", fmt.Sprintf("cache: {dir: %s, encryption_key_file: %s}\n",
		filepath.Join(dir, "store"), old))
	shared := file("shared.yaml", fmt.Sprintf("cache: {dir: %s, encryption_key_file: %s, url: "+
		"'redis://:hunter2@valkey.example'}\n", filepath.Join(dir, "store"), next))
	plain := file("plain.yaml", fmt.Sprintf("cache: {dir: %s}\n", filepath.Join(dir, "store")))
	memory := file("memory.yaml", "cache: {in_memory: true}\n")
	command := func(args ...string) (code int, said string) {
		var out strings.Builder
		code = run(append([]string{"store", "rotate-key"}, args...), nil, &out, &out, nil)
		return code, out.String()
	}
	hold := func(wantCode int, want string, args ...string) {
		t.Helper()
		if code, said := command(args...); code != wantCode || !strings.Contains(said, want) {
			t.Errorf("%q: code %d, %q; want %d, %q", args, code, said, wantCode, want)
		}
	}
	open := func(key string) (*cache.Store, error) {
		store, _, err := wire.OpenStore(config.Cache{Dir: filepath.Join(dir, "store"),
			EncryptionKeyFile: key, TTL: config.Default().Cache.TTL}, slog.New(slog.DiscardHandler))
		return store, err
	}
	hold(exitFailed, "there is no store in "+filepath.Join(dir, "store")+" yet", "-c", named,
		"--to", next)
	store, err := open(old)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.PutOriginals(t.Context(), "who",
		[]cache.Original{{Ref: "ref", Content: []byte("kept")}}); err != nil {
		t.Fatal(err)
	}
	hold(exitFailed, "another process has it open", "-c", named, "--to", next)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}

	hold(exitUsage, "give --to FILE", "-c", named)
	hold(exitUsage, "give --from FILE", "-c", plain, "--to", next)
	hold(exitUsage, "there is no store on disk", "-c", memory, "--to", next)
	hold(exitUsage, "put it elsewhere", "-c", named, "--to",
		filepath.Join(dir, "store", "next.key"))
	hold(exitUsage, "the key that the store already has", "-c", named, "--to", old)
	hold(exitFailed, "--to: ", "-c", named, "--to", filepath.Join(dir, "absent.key"))
	hold(exitFailed, "want 16, 24 or 32", "-c", named, "--to", short)
	hold(exitFailed, "another key", "-c", named, "--from", third, "--to", next)
	hold(exitUsage, "takes flags only", "-c", named, "--to", next, "extra")

	hold(exitGood, "is now encrypted with the key in "+next, "-c", named, "--to", next)
	if store, err = open(old); err == nil {
		store.Close()
		t.Fatal("the old key still opens it")
	}
	// A shared store is encrypted with the old key, too.
	hold(exitGood, "Replicas share redis://:xxxxx@valkey.example, where everything is encrypted",
		"-c", shared, "--to", third)
	if store, err = open(third); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if got, err := store.Original(t.Context(), "who", "ref"); err != nil || string(got) != "kept" {
		t.Errorf("under the newest key: %q, %v", got, err)
	}
}
