package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"killick/internal/config/load"
)

// update rewrites the golden files and scripts with the program's present output.
var update = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"killick": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			// The environment of the tests must have no effect.
			for _, name := range []string{load.EnvFile, "KILLICK_DATA"} {
				env.Setenv(name, "")
			}
			return nil
		},
	})
}

// Help fits the narrowest usual terminal.
func TestHelpFits(t *testing.T) {
	for _, args := range [][]string{{}, {"serve"}, {"check"}, {"replay"}, {"count"}, {"demo"},
		{"prices"}, {"version"}, {"store"}, {"store", "rotate-key"}, {"help"}, {"healthcheck"}} {
		var stdout, stderr strings.Builder
		if code := run(append(args, "--help"), nil, &stdout, &stderr, nil); code != exitGood {
			t.Errorf("%q: code %d, %s", args, code, stderr.String())
		}
		for line := range strings.SplitSeq(stdout.String(), "\n") {
			if len(line) > helpWidth {
				t.Errorf("%q: %d columns: %s", args, len(line), line)
			}
		}
	}
}

func TestExitCodes(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "killick.yaml")
	if err := os.WriteFile(bad, []byte("listen: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		env  []string
		want int
	}{
		{args: []string{}, want: exitGood},
		{args: []string{"--help"}, want: exitGood},
		{args: []string{"check"}, want: exitGood},
		{args: []string{"version"}, want: exitGood},
		{args: []string{"--version"}, want: exitGood},
		{args: []string{"count", "-"}, want: exitGood},
		{args: []string{"nonsense"}, want: exitUsage},
		{args: []string{"--nonsense"}, want: exitUsage},
		{args: []string{"version", "--nonsense"}, want: exitUsage},
		{args: []string{"version", "extra"}, want: exitUsage},
		{args: []string{"count"}, want: exitUsage},
		{args: []string{"prices", "--file", "claude-opus-5-5"}, want: exitUsage},
		{args: []string{"prices", "--file", "--json"}, want: exitUsage},
		{args: []string{"check", bad}, want: exitUsage},
		{args: []string{"serve", "--config", bad}, want: exitUsage},
		{args: []string{"serve", "--mode", "nonsense"}, want: exitUsage},
		{args: []string{"check"}, env: []string{"KILLICK_LISTEN=1"}, want: exitUsage},
		{args: []string{"count", "absent.txt"}, want: exitFailed},
		{args: []string{"check", "absent.yaml"}, want: exitUsage},
		{args: []string{"serve", "--config", "absent.yaml"}, want: exitUsage},
		{args: []string{"serve", "--config", t.TempDir()}, want: exitUsage},
		{args: []string{"serve"}, env: []string{load.EnvFile + "=absent.yaml"}, want: exitUsage},
		{args: []string{"check", "--log", "absent.log"}, want: exitFailed},
		{args: []string{"healthcheck", "--url", "http://127.0.0.1:1/"}, want: exitFailed},
		{args: []string{"healthcheck", "--url", ":"}, want: exitUsage},
	} {
		var stdout, stderr strings.Builder
		got := run(c.args, strings.NewReader("text"), &stdout, &stderr, c.env)
		if got != c.want {
			t.Errorf("killick %q: code %d, want %d; it said %q", c.args, got, c.want,
				stderr.String())
		}
		if said := stderr.Len() > 0; said != (got != exitGood) {
			t.Errorf("killick %q: code %d, and on standard error %q", c.args, got, stderr.String())
		}
		if got == exitGood && stdout.Len() == 0 {
			t.Errorf("killick %q said nothing", c.args)
		}
	}
}
