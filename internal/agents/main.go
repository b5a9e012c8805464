package main

import (
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
)

// mostPrinted is how many faults of a run are printed.
const mostPrinted = 5

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
	agents []agent
	turns  []int
	parts  int
	early  bool
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
		saves = flags.String("saves", "chat,messages,responses",
			"the `formats` that Killick compacts: fail where it saves too little")
		dir = flags.String("cache", filepath.Join(cache, "killick-agents"),
			"install in this `dir`")
		out    = flags.String("out", filepath.Join("bin", "agents"), "write reports to this `dir`")
		keep   = flags.Bool("requests", false, "keep every request that came to the upstream")
		binary = flags.String("killick", filepath.Join("bin", "killick"), "the built `program`")
	)
	o := options{}
	flags.StringVar(&o.trigger, "trigger", "", "compact requests over this `amount` "+
		"(default 32000; more for agents whose tools leave no room)")
	flags.StringVar(&o.target, "target", "", "compact to this `amount` (default 16000)")
	flags.IntVar(
		&o.replicas,
		"replicas",
		1,
		"so many `replicas` of Killick, each request to the next",
	)
	flags.StringVar(&o.store, "store", "", "the replicas share the store at this `URL`")
	if err := flags.Parse(args); err != nil {
		return options{}, "", err
	}
	o.parts, o.early, o.saves, o.out = *parts, *early, strings.Split(*saves, ","), *out
	o.binary, o.keep = *binary, *keep
	for _, a := range agents {
		if *names == "all" || slices.Contains(strings.Split(*names, ","), a.name) {
			o.agents = append(o.agents, a)
		}
	}
	for text := range strings.SplitSeq(*turns, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return options{}, "", fmt.Errorf("-turns %q: want numbers from 1", text)
		}
		o.turns = append(o.turns, n)
	}
	if o.replicas > 1 && o.store == "" {
		return options{}, "", errors.New("-replicas wants the -store that they share, such as " +
			"redis://127.0.0.1:6379")
	}
	if len(o.agents) == 0 {
		return options{}, "", fmt.Errorf("-agents %q: want all, or some of %s", *names,
			strings.Join(allNames(), ", "))
	}
	return o, *dir, nil
}

func allNames() []string {
	var list []string
	for _, a := range agents {
		list = append(list, a.name)
	}
	return list
}

func names() string { return strings.Join(allNames(), ", ") }

func run(ctx context.Context, args []string) error {
	o, cache, err := readOptions(args)
	if err != nil {
		return err
	}
	if o.bin, err = install(ctx, cache); err != nil {
		return err
	}
	const row = "%-24v %5v %11v %11v %5v %5v %11v %6v\n"
	fmt.Printf(row, "agent", "turns", "straight", "Killick", "ratio", "folds", "compactions",
		"faults")
	failed := 0
	for _, turns := range o.turns {
		for _, a := range o.agents {
			r, err := o.both(ctx, a, turns)
			if err != nil {
				return err
			}
			faults := r.faults(slices.Contains(o.saves, a.format) && !a.stored)
			fmt.Printf(row, a.name, turns, r.Direct.Tokens, r.Proxied.Tokens,
				fmt.Sprintf("%.2f", r.Ratio), r.Proxied.Folds,
				fmt.Sprintf("%d/%d", r.Direct.Compactions, r.Proxied.Compactions), len(faults))
			for i, fault := range faults {
				if i == mostPrinted {
					fmt.Fprintf(os.Stderr, "and %d more, in the report\n", len(faults)-i)
					break
				}
				fmt.Fprintf(os.Stderr, "%s, %d turns: %s\n", a.name, turns, fault)
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

// both runs an agent straight and through the proxy.
func (o options) both(ctx context.Context, a agent, turns int) (report, error) {
	parts := o.parts
	if parts == 0 {
		parts = max(1, turns/30)
	}
	name := fmt.Sprintf("%s-%d", a.name, turns)
	if o.early {
		name += "-early"
	}
	dir := filepath.Join(o.out, name)
	if err := os.RemoveAll(dir); err != nil {
		return report{}, err
	}
	r := report{Agent: a.name, Module: a.module, Version: pinned[a.module], Model: a.model,
		Format: a.format, Turns: turns, Parts: parts, Early: o.early}
	for _, proxied := range []bool{false, true} {
		j := job{agent: a, turns: turns, parts: parts, early: o.early, proxy: proxied,
			settings: o.settings.of(a), dir: filepath.Join(dir, "straight")}
		if proxied {
			j.dir = filepath.Join(dir, "killick")
		}
		out, err := j.run(ctx)
		if err != nil {
			return report{}, fmt.Errorf("%s, %d turns: %w", a.name, turns, err)
		}
		if o.keep {
			if err := writeRequests(j.dir, out.requests); err != nil {
				return report{}, err
			}
		}
		if proxied {
			r.Proxied = measured(out)
		} else {
			r.Direct = measured(out)
		}
	}
	if r.Direct.Tokens > 0 {
		r.Ratio = float64(r.Proxied.Tokens) / float64(r.Direct.Tokens)
	}
	return r, r.write(dir)
}
