package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"killick/internal/loadtest/conversations"
)

// runShared measures the store that replicas share, and one on disk, as conversations fill them.
func runShared(ctx context.Context, args []string) error {
	set, _ := flags("shared")
	most := set.Int("conversations", 1_000_000, "small conversations, up to; from 1,000 on by tens")
	full := set.Int("recorded", 10_000, "conversations of recorded sizes, likewise")
	replicas := set.Int("replicas", 3, "processes that share the store")
	sample := set.Int("sample", 2000, "requests of each kind that are timed")
	url := set.String("url", "", "address of a server that is emptied (default: one is started)")
	svg := set.String("svg", "", "draw the plot into this `file`")
	disk := set.Int("disk", 100_000, "conversations up to which a store on disk is measured, too")
	dir, remove, err := parse(set, args)
	if err != nil {
		return err
	}
	defer remove()
	server, err := sharedServer(ctx, *url, dir)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Printf("%s; %s; %d replicas\n", machine(), server.Name, *replicas)
	began := time.Now()
	o := conversations.Options{Replicas: *replicas, Sample: *sample, Server: server,
		Progress: func(line string) {
			fmt.Fprintf(os.Stderr, "%5.0fs %s\n", time.Since(began).Seconds(), line)
		}}
	for _, run := range []struct {
		shape conversations.Shape
		most  int
		svg   string
	}{{conversations.Recorded, *full, ""}, {conversations.Small, *most, *svg}} {
		o.Shape, o.Counts = run.shape, tens(run.most)
		o.Dir, o.OnDisk = filepath.Join(dir, run.shape.Name), *disk
		got, err := conversations.Run(ctx, o)
		if err != nil {
			return err
		}
		printShared(got)
		if err := os.RemoveAll(o.Dir); err != nil {
			return err
		}
		if run.svg != "" {
			err := os.WriteFile(run.svg, []byte(conversations.Plot(got)), 0o600)
			if err != nil {
				return err
			}
		}
	}
	lengths, err := conversations.Lengths(ctx, server, []int{100, 400, 1600, 4000, 8000}, 200)
	if err != nil {
		return err
	}
	printLengths(lengths)
	return nil
}

func sharedServer(ctx context.Context, url, dir string) (*conversations.Server, error) {
	if url != "" {
		return conversations.Connect(ctx, url)
	}
	return conversations.StartServer(ctx, dir)
}

// tens returns 1,000, 10,000 and so on up to a number, and the number.
func tens(most int) (counts []int) {
	for n := 1000; n < most; n *= 10 {
		counts = append(counts, n)
	}
	return append(counts, most)
}

func printShared(r *conversations.Result) {
	memory := table{title: "Memory of the server, " + r.Shape.Name, head: []string{"conversations",
		"used_memory", "for each", "names for each", "a form", "an original", "a stamp",
		"last seen", "evicted", "filled in"}}
	for _, s := range r.Shared {
		m := s.Memory
		memory.row(fmt.Sprint(s.Conversations), mib(m.Used), fmt.Sprint(s.PerConversation()),
			fmt.Sprintf("%.1f", float64(m.Keys)/float64(s.Conversations)), kind(m, "form"),
			kind(m, "original"), kind(m, "stamp"), kind(m, "last seen"), fmt.Sprint(m.Evicted),
			s.Filled.Round(time.Second).String())
	}
	memory.print()
	requests := table{title: "Requests, " + r.Shape.Name, head: []string{"store", "conversations",
		"request", "round trips, most", "commands", "median", "p99", "over 20 ms", "missed"}}
	for i, steps := range [][]conversations.Step{r.Shared, r.OnDisk} {
		for _, s := range steps {
			for _, q := range s.Requests {
				requests.row(
					[]string{"shared", "on disk"}[i],
					fmt.Sprint(s.Conversations),
					q.Kind,
					fmt.Sprint(q.Trips),
					fmt.Sprintf("%.1f", q.Commands),
					micros(q.Median),
					micros(q.P99),
					fmt.Sprint(q.Late),
					fmt.Sprint(s.Missed),
				)
			}
		}
	}
	requests.print()
}

func kind(m conversations.Memory, name string) string {
	return fmt.Sprintf("%.0f", m.Bytes[name])
}

func micros(d time.Duration) string {
	return strings.TrimSuffix(d.Round(10*time.Microsecond).String(), "s") + "s"
}

func printLengths(all []conversations.Length) {
	t := table{title: "A conversation that grows", head: []string{"messages",
		"first at another replica", "the next one there", "round trips, most"}}
	for _, l := range all {
		t.row(fmt.Sprint(l.Messages), micros(l.Elsewhere), micros(l.Again), fmt.Sprint(l.Trips))
	}
	t.print()
}
