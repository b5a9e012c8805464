package main

import (
	"cmp"
	"fmt"

	"killick/internal/agents/scripted"
)

// measure is what came to the upstream in one run.
type measure struct {
	Requests int `json:"requests"` // to the model
	Tokens   int `json:"prompt_tokens"`
	Cached   int `json:"cached_tokens"`
	ByPrefix int `json:"cached_by_longest_prefix"`
	Largest  int `json:"largest_prompt"`
	First    int `json:"first_prompt"`
	// Floor is the prompt tokens if every prompt were as short as the first: without any turn.
	Floor       int      `json:"tokens_without_turns"`
	Prompts     []int    `json:"prompts"`        // tokens of each request to the model
	Growth      int      `json:"growth"`         // of the prompt with a turn, on average
	Side        int      `json:"side_requests"`  // titles and the like: without tools
	Other       []string `json:"other_requests"` // other paths, with their status
	Invalid     []string `json:"invalid"`
	Marks       int      `json:"most_cache_marks"`
	Compactions int      `json:"own_compactions"`
	// FirstCompaction is the turn before which the agent first compacted, 0 if it did not.
	FirstCompaction int `json:"first_own_compaction"`
	// Rewritten counts requests that do not continue the one before.
	Rewritten int      `json:"rewritten"`
	Folds     int      `json:"smaller_than_before"`
	Stubs     int      `json:"stubbed_reads"`
	Truncated int      `json:"truncated_on_arrival"`
	Outside   []string `json:"outside"`
	Seconds   int      `json:"seconds"`
	Faults    []string `json:"faults"`

	lastFold *scripted.Request
}

// measured looks at what came in a run.
func measured(o outcome) measure {
	m := measure{
		Stubs:     o.stubs,
		Truncated: o.cut,
		Outside:   o.outside,
		Seconds:   int(o.took.Seconds()),
		Faults:    o.faults,
	}
	var before *scripted.Request
	for _, r := range o.requests {
		if !r.ToModel {
			m.Other = append(m.Other, fmt.Sprintf("%s %s %d", r.Method, r.Path, r.Status))
			continue
		}
		m.Requests++
		m.Prompts = append(m.Prompts, r.Tokens)
		m.Tokens, m.Cached, m.ByPrefix = m.Tokens+r.Tokens, m.Cached+r.Cached, m.ByPrefix+r.Prefix
		m.Largest = max(m.Largest, r.Tokens)
		m.Marks = max(m.Marks, r.Ask.Marks)
		if r.Status >= 400 || r.Refused != "" {
			m.Invalid = append(m.Invalid, fmt.Sprintf("request %d: status %d %s", m.Requests,
				r.Status, r.Refused))
			continue
		}
		switch {
		case r.Ask.OwnCompaction:
			m.Compactions++
			if m.FirstCompaction == 0 {
				m.FirstCompaction = r.Ask.Last + 1
			}
		case len(r.Ask.Tools) < 3:
			m.Side++
		default:
			if before != nil && !r.Ask.Continues(before.Ask) {
				m.Rewritten++
			}
			if before != nil && r.Tokens < before.Tokens {
				m.Folds++
				m.lastFold = r
			}
			if m.First == 0 {
				m.First = r.Tokens
			}
			before = r
		}
		m.Floor += min(r.Tokens, cmp.Or(m.First, r.Tokens))
	}
	if before != nil && m.Requests-m.Side > 1 {
		m.Growth = (m.Largest - m.First) / (m.Requests - m.Side - 1)
	}
	if m.lastFold == nil {
		m.lastFold = before
	}
	return m
}

// most returns the share of the tokens that would be saved if every turn were left out of every
// prompt.
func (m measure) most() float64 {
	if m.Tokens == 0 {
		return 0
	}
	return 1 - float64(m.Floor)/float64(m.Tokens)
}
