package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/internal/recorded"
	"killick/replay/billing"
)

// agent returns a conversation of n turns in which files are read and edited, with about 60 tokens
// per kilobyte of text.
func agent(n int) []string {
	messages := []string{msg("system", "20 rules"), msg("user", "50 task in src/main.go")}
	for i := range n {
		id, file := fmt.Sprint("c", i), fmt.Sprintf("src/part%d/file_%03d.go", i%7, i%31)
		if i%3 == 2 {
			messages = append(messages,
				call(id,
					fmt.Sprintf(`{"path":%q,"old_string":"func number%d(argument string) error {"}`,
						file, i-1)), result(id, "20 done"))
			continue
		}
		var lines []string
		for k := range 40 {
			lines = append(lines,
				fmt.Sprintf("%6d→func number%d(argument string) error {", k, i*40/40+k*1000))
		}
		messages = append(messages, call(id, fmt.Sprintf(`{"path":%q}`, file)),
			result(id, "400 \n"+strings.Join(lines, "\n")))
	}
	return append(messages, msg("assistant", "done with src/main.go"))
}

func TestRun(t *testing.T) {
	var all []*Transcript
	for i := range 12 {
		tr := transcriptOf(t, agent(3+i)...)
		tr.ID = fmt.Sprint(i)
		all = append(all, tr)
	}
	all = append(all, transcriptOf(t, hello)) // has no answer
	var mu sync.Mutex
	seen, progress := 0, Progress{}
	o := Options{Counter: say{}, MinTokens: 1500, Workers: 4,
		Progress: func(p Progress) { progress = p },
		Each: func(_ *Transcript, strategy, _ int, _ Forwarded) error {
			mu.Lock()
			defer mu.Unlock()
			seen += strategy
			return nil
		},
	}
	results, err := Run(context.Background(), all, []Strategy{Nothing(), HideOutputs()}, o)
	if err != nil {
		t.Fatal(err)
	}
	turns := 0
	for i, r := range results {
		turns += r.Turns
		if i > 0 && results[i-1].Tokens >= r.Tokens {
			t.Errorf("results out of order: %d tokens before %d", results[i-1].Tokens, r.Tokens)
		}
		if len(r.Figures) != 2 || r.Figures[0].Turns != r.Turns ||
			r.Figures[0].Tokens.All.Share() != 1 {
			t.Errorf("%s: %+v", r.ID, r)
		}
	}
	if results[0].Tokens < 1500 || len(results) == len(all)-1 {
		t.Errorf("%d results, the shortest of %d tokens", len(results), results[0].Tokens)
	}
	if seen != turns {
		t.Errorf("%d turns of the second strategy were seen, want %d", seen, turns)
	}
	if progress.Done != progress.Of || progress.Of == 0 {
		t.Errorf("reported %d of %d at the end", progress.Done, progress.Of)
	}
	if _, err := json.Marshal(Total([]*Figures{results[0].Figures[0]})); err != nil {
		t.Error(err)
	}
}

func TestRunStops(t *testing.T) {
	all := []*Transcript{transcriptOf(t, agent(5)...), transcriptOf(t, agent(6)...),
		transcriptOf(t, agent(7)...)}
	failed := errors.New("disk full")
	_, err := Run(context.Background(), all, []Strategy{Nothing()},
		Options{Counter: say{}, Workers: 2,
			Each: func(*Transcript, int, int, Forwarded) error { return failed }})
	if !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, all, []Strategy{Nothing()}, Options{Counter: say{}}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	broken := Strategy{Name: "broken", Open: func(Clock) (Forwarder, func() error, error) {
		return nil, nil, failed
	}}
	if _, err := Run(context.Background(), all, []Strategy{broken},
		Options{Counter: say{}}); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
}

// The same must be true of recorded sessions.
func TestRealConversations(t *testing.T) {
	var all []*Transcript
	for _, file := range recorded.Files(t, "tau-*.jsonl") {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Read(file, f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, read...)
	}
	results, err := Run(context.Background(), all, Baselines(say{}, 2000), Options{Counter: say{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		nothing := r.Figures[0]
		if nothing.Validity.Faults() != 0 || nothing.Recall.All.Lost() != 0 ||
			nothing.Bills[0].Share() != 1 || nothing.Changes.Turns != 0 {
			t.Errorf("%s: with nothing done: %+v", r.ID, nothing)
		}
	}
}

func BenchmarkMeasure(b *testing.B) {
	s := study(b, say{}, agent(300)...)
	var bytes int64
	for _, turn := range s.turns {
		bytes += int64(len(s.Body(turn.at)))
	}
	for _, strategy := range Baselines(say{}, 20000) {
		b.Run(strings.ReplaceAll(strategy.Name, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(bytes)
			for b.Loop() {
				if _, err := s.Measure(strategy, billing.DefaultProfiles, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStudy(b *testing.B) {
	tr := transcriptOf(b, agent(300)...)
	b.ReportAllocs()
	b.SetBytes(tr.size())
	for b.Loop() {
		if _, err := NewStudy(tr, say{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Without recorded times, all requests are sent at the same time, on a slow machine too.
func TestTheClockStandsStill(t *testing.T) {
	var times []time.Time
	forwarded(t, Strategy{Open: func(now Clock) (Forwarder, func() error, error) {
		forward := func(body []byte) Forwarded {
			times = append(times, now())
			time.Sleep(time.Millisecond)
			return Forwarded{Body: body}
		}
		return forward, func() error { return nil }, nil
	}}, outputs(3)...)
	if len(times) < 2 || !times[len(times)-1].Equal(times[0]) {
		t.Errorf("the times were %v", times)
	}
}
