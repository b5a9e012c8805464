package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"killick/internal/agents/programs"
	"killick/internal/agents/work"
)

// maxPrinted is how many faults of a run are printed.
const maxPrinted = 5

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	agents []programs.Agent
	turns  []int
	parts  int
	early  bool
	at     []thresholds
	saves  []string // formats
	keep   bool
	out    string
	settings
}

func readOptions(args []string) (options, string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return options{}, "", err
	}
	flags := flag.NewFlagSet("agents", flag.ContinueOnError)
	var (
		names = flags.String("agents", "all", "these `agents`, by name: "+names())
		turns = flags.String("turns", "35,120", "so many `turns`, each number a run of its own")
		parts = flags.Int("prompts", 0, "spread over so many prompts; if 0, one for 30 turns")
		early = flags.Bool("early", false, "have the agents compact their own conversation early")
		saves = flags.String("saves", "chat,messages,responses,gemini,converse,ollama",
			"the `formats` that Killick compacts: fail where it saves too little")
		dir = flags.String("cache", filepath.Join(cache, "killick-agents"),
			"install in this `dir`")
		out    = flags.String("out", filepath.Join("bin", "agents"), "write reports to this `dir`")
		keep   = flags.Bool("requests", false, "keep every request that came to the upstream")
		binary = flags.String("killick", filepath.Join("bin", "killick"), "the built `program`")
	)
	at := flags.String("thresholds", "auto/auto,auto/auto/0,32000/16000,32000/16000/0",
		"run through the proxy with each of these `triggers/targets`, a third number being "+
			"compaction.ingest (32000/16000: more for agents whose tools leave no room)")
	o := options{}
	flags.IntVar(&o.growth, "growth", 0, fmt.Sprintf("files of a size for which prompts grow by "+
		"about so many `tokens` a turn (default %d, as recorded ones do, where that fits a window)",
		work.RecordedGrowth))
	flags.IntVar(&o.replicas, "replicas", 1,
		"so many `replicas` of Killick, each request to the next")
	flags.StringVar(&o.store, "store", "", "the replicas share the store at this `URL`")
	if err := flags.Parse(args); err != nil {
		return options{}, "", err
	}
	o.parts, o.early, o.saves, o.out = *parts, *early, strings.Split(*saves, ","), *out
	o.binary, o.keep = *binary, *keep
	if o.agents, err = chosen(*names); err != nil {
		return options{}, "", err
	}
	for text := range strings.SplitSeq(*turns, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return options{}, "", fmt.Errorf("-turns %q: want numbers from 1", text)
		}
		o.turns = append(o.turns, n)
	}
	if o.at, err = readThresholds(*at); err != nil {
		return options{}, "", err
	}
	if o.replicas > 1 && o.store == "" {
		return options{}, "", errors.New("-replicas wants the -store that they share, such as " +
			"redis://127.0.0.1:6379")
	}
	return o, *dir, nil
}

// chosen returns the agents with these names, separated by commas, or all.
func chosen(list string) ([]programs.Agent, error) {
	if list == "all" {
		return programs.All, nil
	}
	var agents []programs.Agent
	for name := range strings.SplitSeq(list, ",") {
		i := slices.Index(allNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("-agents: %q is none; want all, or some of %s", name, names())
		}
		agents = append(agents, programs.All[i])
	}
	return agents, nil
}

func allNames() []string {
	var list []string
	for _, a := range programs.All {
		list = append(list, a.Name)
	}
	return list
}

func names() string { return strings.Join(allNames(), ", ") }

func run(ctx context.Context, args []string) error {
	o, cache, err := readOptions(args)
	if err != nil {
		return err
	}
	if o.bin, err = programs.Install(ctx, cache); err != nil {
		return err
	}
	const row = "%-24v %5v %11v %11v %-14v %5v %5v %5v %9v %11v\n"
	fmt.Printf(row, "agent", "turns", "straight", "Killick", "at", "saved", "most", "folds",
		"truncated", "compactions")
	failed := 0
	for _, turns := range o.turns {
		for _, a := range o.agents {
			r, err := o.both(ctx, a, turns)
			if err != nil {
				return err
			}
			faults := r.faults(slices.Contains(o.saves, a.Format) && !a.Stored)
			for _, p := range r.Proxied {
				fmt.Printf(row, a.Name, turns, r.Direct.Tokens, p.Tokens, p.At,
					percent(1-p.Ratio), percent(r.Direct.most()), p.Folds, p.Truncated,
					fmt.Sprintf("%d/%d", r.Direct.Compactions, p.Compactions))
			}
			for i, fault := range faults {
				if i == maxPrinted {
					fmt.Fprintf(os.Stderr, "and %d more, in the report\n", len(faults)-i)
					break
				}
				fmt.Fprintf(os.Stderr, "%s, %d turns: %s\n", a.Name, turns, fault)
			}
			if len(faults) > 0 {
				failed++
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d runs have faults", failed)
	}
	return nil
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

// both runs an agent straight and, at each pair of thresholds, through the proxy.
func (o options) both(ctx context.Context, a programs.Agent, turns int) (report, error) {
	parts := o.parts
	if parts == 0 {
		parts = max(1, turns/cmp.Or(a.TurnsAPrompt, 30))
	}
	name := fmt.Sprintf("%s-%d", a.Name, turns)
	if o.early {
		name += "-early"
	}
	dir := filepath.Join(o.out, name)
	if err := os.RemoveAll(dir); err != nil {
		return report{}, err
	}
	r := report{Agent: a.Name, Module: a.Module, Version: programs.Pinned[a.Module], Model: a.Model,
		Format: a.Format, Turns: turns, Parts: parts, Early: o.early,
		Growth: work.GrowthOf(o.growth, turns)}
	one := func(at *thresholds, folder string) (measure, error) {
		j := job{agent: a, turns: turns, parts: parts, early: o.early, proxy: at,
			settings: o.settings, dir: filepath.Join(dir, folder)}
		out, err := j.run(ctx)
		if err != nil {
			return measure{}, fmt.Errorf("%s, %d turns: %w", a.Name, turns, err)
		}
		if o.keep {
			err = writeRequests(j.dir, out.requests)
		}
		return measured(out), err
	}
	var err error
	if r.Direct, err = one(nil, "straight"); err != nil {
		return report{}, err
	}
	for _, at := range o.at {
		at = at.of(a)
		m, err := one(&at, "killick-"+at.name())
		if err != nil {
			return report{}, err
		}
		p := proxied{At: at.name(), Trigger: at.trigger, Target: at.target, Ingest: at.ingest,
			measure: m}
		if r.Direct.Tokens > 0 {
			p.Ratio = float64(m.Tokens) / float64(r.Direct.Tokens)
		}
		r.Proxied = append(r.Proxied, p)
	}
	return r, r.write(dir)
}
