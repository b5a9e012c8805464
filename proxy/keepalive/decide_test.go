package keepalive

import (
	"math"
	"testing"
	"time"

	"killick/prices"
)

func TestReturns(t *testing.T) {
	for _, test := range []struct {
		name           string
		idle, from, to time.Duration
		want           float64
	}{
		{"the first of five minutes", 270 * time.Second, 5 * time.Minute, 570 * time.Second, .266},
		{"the second", 540 * time.Second, 570 * time.Second, 840 * time.Second, .138},
		{"the third", 810 * time.Second, 840 * time.Second, 1110 * time.Second, .084},
		{"of half an hour", 29 * time.Minute, 30 * time.Minute, 59 * time.Minute, .098},
		{"of an hour", 59 * time.Minute, time.Hour, 119 * time.Minute, .055},
		{"nothing gained", time.Minute, 5 * time.Minute, 5 * time.Minute, 0},
		{"expired before", 10 * time.Minute, 5 * time.Minute, 9 * time.Minute, 0},
		{"not idle yet", 0, 5 * time.Minute, 10 * time.Minute, .002},
	} {
		if got := returnChance(test.idle, test.from, test.to); math.Abs(got-test.want) > .0006 {
			t.Errorf("%s: %.4f, want %.3f", test.name, got, test.want)
		}
	}
}

func TestDecide(t *testing.T) {
	first := timing{270 * time.Second, 5 * time.Minute, 570 * time.Second}
	second := timing{540 * time.Second, 570 * time.Second, 840 * time.Second}
	third := timing{810 * time.Second, 840 * time.Second, 1110 * time.Second}
	half := timing{29 * time.Minute, 30 * time.Minute, 59 * time.Minute}
	hour := timing{59 * time.Minute, time.Hour, 119 * time.Minute}
	model := func(cached, write float64) prices.Model {
		return prices.Model{Input: 1, Cached: cached, Write: write, Output: 5}
	}
	all := tokens{Cached: 100_000}
	most := tokens{Cached: 99_000, Other: 1000, Output: 1}
	for _, test := range []struct {
		name   string
		model  prices.Model
		tokens tokens
		rest   timing
		want   bool
	}{
		{"p .25, w 1: the first", model(.25, 1), most, first, false},
		{"p .1, w 1.25: the first", model(.1, 1.25), most, first, true},
		{"p .1, w 1.25: the second", model(.1, 1.25), most, second, false},
		{"p .05, w 1.25: the first", model(.05, 1.25), most, first, true},
		{"p .05, w 1.25: the second", model(.05, 1.25), most, second, true},
		{"p .05, w 1.25: the third", model(.05, 1.25), most, third, false},
		{"p .025, w 1.25: the third", model(.025, 1.25), most, third, true},
		{"p .25, w 1: after half an hour", model(.25, 1), most, half, false},
		{"p .1, w 1.25: after half an hour", model(.1, 1.25), most, half, false},
		{"p .05, w 1.25: after half an hour", model(.05, 1.25), all, half, true},
		{"p .1, w 2: after an hour", model(.1, 2), most, hour, false},
		{"p .05, w 2: after an hour", model(.05, 2), all, hour, true},
		{"p .025, w 2: after an hour", model(.025, 2), most, hour, true},
		{"no discount", model(1, 1), most, first, false},
		{"nothing was read from the cache", model(.05, 1.25), tokens{Other: 100_000}, first,
			false},
		{"a tenth was not", model(.05, 1.25), tokens{Cached: 90_000, Other: 10_000}, first, false},
		{"a twentieth was not", model(.05, 1.25), tokens{Cached: 95_000, Other: 5000}, first, true},
		{"half would be folded", model(.05, 1.25), tokens{Cached: 100_000, Cold: 50_000}, first,
			true},
		{"most would be folded", model(.05, 1.25), tokens{Cached: 100_000, Cold: 20_000}, first,
			false},
		{"folded already", model(.05, 1.25), tokens{Cached: 15_000, Cold: 20_000}, first, true},
		{"few tokens beside the answer", model(.05, 1.25), tokens{Cached: 100, Output: 16},
			first, false},
	} {
		if d := decide(test.model, test.tokens, test.rest); d.pays() != test.want {
			t.Errorf("%s: %t (%+v)", test.name, d.pays(), d)
		}
	}
}

// Past a cliff both sides are charged at its prices.
func TestDecideChargesForSize(t *testing.T) {
	m := prices.Model{Input: 1, Cached: .1, Write: 1.25, Output: 5,
		Cliff: prices.Cliff{Above: 50_000, Input: 2, Cached: 2, Output: 1}}
	rest := timing{270 * time.Second, 5 * time.Minute, 570 * time.Second}
	below := decide(m, tokens{Cached: 50_000}, rest)
	above := decide(m, tokens{Cached: 100_000}, rest)
	if math.Abs(above.Cost/below.Cost-4) > 1e-9 || math.Abs(above.Saved/below.Saved-4) > 1e-9 {
		t.Errorf("twice the tokens past the cliff: %+v, before it %+v; want four times", above,
			below)
	}
}

// What is not known to be in the cache may be written to it, or not: the higher price counts.
func TestDecideExpectsTheHigherPrice(t *testing.T) {
	for _, m := range []prices.Model{{Input: 1, Write: 2}, {Input: 2, Write: 1}} {
		d := decide(m, tokens{Other: 1_000_000}, timing{})
		if d.Cost != 2 {
			t.Errorf("%v for input, %v when written: %v dollars, want 2", m.Input, m.Write, d.Cost)
		}
	}
}

func TestModelsThatAreKeptAlive(t *testing.T) {
	claude := prices.Model{Input: 4, Cached: .2, Write: 5, Output: 20, Lifetime: 5 * time.Minute,
		Extended: prices.Extended{Lifetime: time.Hour, Write: 8}}
	with := func(change func(*prices.Model)) prices.Model {
		m := claude
		change(&m)
		return m
	}
	for _, test := range []struct {
		name     string
		model    prices.Model
		asked    time.Duration
		lifetime time.Duration // 0: not kept alive
		write    float64
	}{
		{"as published", claude, 0, 5 * time.Minute, 5},
		{"marks of five minutes", claude, 5 * time.Minute, 5 * time.Minute, 5},
		{"marks of an hour", claude, time.Hour, time.Hour, 8},
		{"marks of a day", claude, 24 * time.Hour, 0, 0},
		{"no prices", prices.Model{Lifetime: time.Minute}, 0, 0, 0},
		{"no lifetime", with(func(m *prices.Model) { m.Lifetime = 0 }), 0, 0, 0},
		{"a long one", with(func(m *prices.Model) { m.Lifetime = 2 * time.Hour }), 0, 0, 0},
		{"one too short", with(func(m *prices.Model) { m.Lifetime = time.Second }), 0, 0, 0},
	} {
		m, ok := withLifetime(test.model, test.asked)
		if ok != (test.lifetime > 0) ||
			ok && (m.Lifetime != test.lifetime || m.Write != test.write) {
			t.Errorf("%s: %v at %v, %t", test.name, m.Lifetime, m.Write, ok)
		}
	}
}
