package main

import (
	"strings"
	"testing"

	"killick/internal/agents/scripted"
	"killick/internal/fakeserver"
)

func TestReportsFindFaults(t *testing.T) {
	good := report{Turns: 120, Direct: measure{Compactions: 1, FirstCompaction: 80}}
	through := proxied{At: "auto", Ratio: 0.4,
		measure: measure{Folds: 3, Compactions: 1, FirstCompaction: 90}}
	good.Proxied = []proxied{through, through}
	if faults := good.faults(true); len(faults) != 0 {
		t.Fatalf("faults %q, want none", faults)
	}
	for want, change := range map[string]func(direct, second *measure, p *proxied){
		"the proxy at auto: invalid": func(_, m *measure, _ *proxied) {
			m.Invalid = []string{"invalid"}
		},
		"straight: no exit": func(direct, _ *measure, _ *proxied) {
			direct.Faults = []string{"no exit"}
		},
		"at turn 40, and":            func(_, m *measure, _ *proxied) { m.FirstCompaction = 40 },
		"2 times, 1 without":         func(_, m *measure, _ *proxied) { m.Compactions = 2 },
		"60% of the prompt tokens":   func(_, _ *measure, p *proxied) { p.Ratio = 0.6 },
		"no prompt was made smaller": func(_, m *measure, _ *proxied) { m.Folds = 0 },
		"and at turn 0 without":      func(d, _ *measure, _ *proxied) { d.FirstCompaction = 0 },
	} {
		r, second := good, through
		change(&r.Direct, &second.measure, &second)
		r.Proxied = []proxied{through, second}
		if faults := strings.Join(r.faults(true), "\n"); !strings.Contains(faults, want) {
			t.Errorf("faults %q, want %q", faults, want)
		}
	}
	passed := report{Turns: 120, Proxied: []proxied{{Ratio: 1}}}
	if faults := passed.faults(false); len(faults) != 0 {
		t.Errorf("what passes through has faults %q where nothing is to be saved", faults)
	}
}

func TestMeasures(t *testing.T) {
	request := func(turn, tokens int, items ...string) *scripted.Request {
		return &scripted.Request{Recorded: fakeserver.Recorded{Status: 200}, ToModel: true,
			Tokens: tokens,
			Ask:    scripted.Ask{Tools: []string{"a", "b", "c"}, Last: turn, Items: items}}
	}
	own := request(2, 400, "x")
	own.Ask.OwnCompaction = true
	title := request(0, 10)
	title.Ask.Tools = nil
	refused := request(4, 0, "x")
	refused.Status = 400
	last := request(5, 150, "y")
	m := measured(outcome{requests: []*scripted.Request{title, request(1, 200, "x"),
		request(2, 300, "x", "z"), own, refused, last}})
	if m.Requests != 6 || m.Tokens != 1060 || m.Side != 1 || m.Compactions != 1 ||
		m.FirstCompaction != 3 || len(m.Invalid) != 1 || m.Largest != 400 {
		t.Errorf("measured %+v", m)
	}
	// The title as it is, each other prompt as long as the first.
	if m.First != 200 || m.Floor != 10+200+200+200+0+150 || m.Growth != (400-200)/4 {
		t.Errorf("first prompt %d, %d without turns, growth %d; want 200, 760, 50", m.First,
			m.Floor, m.Growth)
	}
	if m.Folds != 1 || m.Rewritten != 1 || m.lastFold != last {
		t.Errorf("%d folds, %d rewritten; want one of each", m.Folds, m.Rewritten)
	}
}
