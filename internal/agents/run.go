package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"killick/internal/agents/programs"
	"killick/internal/agents/scripted"
	"killick/internal/agents/work"
)

// promptTimeout is how long an agent may take for one prompt.
const promptTimeout = 8 * time.Minute

// job is one run to make: an agent, straight or through the proxy.
type job struct {
	agent        programs.Agent
	turns, parts int
	early        bool        // the agent is to compact its own conversation early
	proxy        *thresholds // nil: straight
	settings     settings
	dir          string // where logs go
}

// outcome is what a run was.
type outcome struct {
	requests []*scripted.Request
	outside  []string // hosts that the agent tried to reach
	faults   []string
	stubs    int
	cut      int
	took     time.Duration
}

// run makes one run in folders of its own, which are removed.
func (j job) run(ctx context.Context) (outcome, error) {
	if err := os.MkdirAll(j.dir, 0o755); err != nil {
		return outcome{}, err
	}
	// Elsewhere than in the repository: agents read the instructions of the folders above.
	root, err := os.MkdirTemp("", "killick-agent-")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(root)
	p := programs.Place{Bin: j.settings.bin, Home: filepath.Join(root, "home"),
		Dir: filepath.Join(root, "shop"), Early: j.early}
	if err := prepare(p, work.LongerBy(work.GrowthOf(j.settings.growth, j.turns))); err != nil {
		return outcome{}, err
	}
	m := &scripted.Model{Turns: j.turns, Parts: j.parts, Agent: j.agent, Dir: p.Dir}
	up, err := scripted.Start(j.agent.Format, m)
	if err != nil {
		return outcome{}, err
	}
	defer up.Close()
	p.Base = up.Base
	if j.proxy != nil {
		proxy, err := startReplicas(j.settings, *j.proxy, up.Base, root)
		if err != nil {
			return outcome{}, err
		}
		defer proxy.stop()
		defer proxy.keep(j.dir)
		p.Base = proxy.url
	}
	if j.agent.Files != nil {
		if err := work.WriteFiles(p.Home, j.agent.Files(p)); err != nil {
			return outcome{}, err
		}
	}
	guard, err := startGuard()
	if err != nil {
		return outcome{}, err
	}
	defer guard.close()
	begun := time.Now()
	faults := j.prompts(ctx, p, guard)
	o := outcome{requests: up.All(), outside: guard.hosts(), took: time.Since(begun)}
	found, stubs, truncated := m.End()
	o.faults, o.stubs, o.cut = slices.Concat(faults, found), stubs, truncated
	return o, nil
}

// prepare makes the folders of a run, with the project under git, its files so many bytes longer
// than the smallest.
func prepare(p programs.Place, more int) error {
	if err := os.MkdirAll(p.Home, 0o755); err != nil {
		return err
	}
	if err := work.WriteProject(p.Dir, more); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=shop", "-c", "user.email=shop@example.com", "commit", "-qm", "shop"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), "HOME="+p.Home)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("making the project: git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

// prompts has the agent do part after part, and returns what went wrong.
func (j job) prompts(ctx context.Context, p programs.Place, g *guard) (faults []string) {
	for part := 1; part <= j.parts; part++ {
		s := j.agent.Command(p, work.Prompt(part, j.parts), part == 1)
		out, err := j.start(ctx, p, g, s, part)
		switch {
		case err != nil:
			return append(faults, fmt.Sprintf("part %d: %v", part, err))
		case !strings.Contains(out, work.FinalText):
			faults = append(faults, fmt.Sprintf("part %d: the last answer was not printed", part))
		}
	}
	return faults
}

// start runs the agent for one prompt and returns what it printed.
func (j job) start(
	ctx context.Context, p programs.Place, g *guard, s programs.Setup, part int,
) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, promptTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Args[0], s.Args[1:]...)
	cmd.Dir = p.Dir
	cmd.Env = append([]string{"HOME=" + p.Home, "LANG=C.UTF-8", "TERM=dumb",
		"PATH=" + strings.Join([]string{p.Bin, j.ripgrep(), os.Getenv("PATH")},
			string(os.PathListSeparator)),
		"HTTP_PROXY=" + g.url, "HTTPS_PROXY=" + g.url, "http_proxy=" + g.url,
		"https_proxy=" + g.url, "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}, s.Env...)
	endTogether(cmd)
	cmd.WaitDelay = 5 * time.Second
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	name := filepath.Join(j.dir, fmt.Sprintf("part-%d", part))
	if err := errors.Join(os.WriteFile(name+".out", out.Bytes(), 0o644),
		os.WriteFile(name+".err", log.Bytes(), 0o644)); err != nil {
		return "", err
	}
	if err != nil {
		text := log.String()
		return "", fmt.Errorf("the agent failed: %w: %s", err, text[max(0, len(text)-600):])
	}
	return out.String(), nil
}

// ripgrep returns the folder of the program rg that Codex brings: opencode would download one.
func (j job) ripgrep() string {
	found, _ := filepath.Glob(filepath.Join(j.settings.bin, "..", "@openai", "codex-*", "vendor",
		"*", "codex-path"))
	if len(found) == 0 {
		return j.settings.bin
	}
	return found[0]
}
