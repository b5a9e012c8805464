package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"killick/internal/agents/scripted"
)

// report is one agent with one number of turns, straight and through the proxy.
type report struct {
	Agent   string `json:"agent"`
	Module  string `json:"module"`
	Version string `json:"version"`
	Model   string `json:"model"`
	Format  string `json:"format"`
	Turns   int    `json:"turns"`
	Parts   int    `json:"prompts"`
	Early   bool   `json:"early_compaction"`
	// Growth is what the prompt was to grow by with a turn: see [work.GrowthOf].
	Growth  int       `json:"growth_wanted"`
	Direct  measure   `json:"direct"`
	Proxied []proxied `json:"killick"`
	// Most is the share of the tokens that would be saved if every turn were left out.
	Most float64 `json:"most_that_could_be_saved"`
}

// proxied is what came through the proxy at one pair of thresholds.
type proxied struct {
	At      string `json:"at"`
	Trigger string `json:"trigger"`
	Target  string `json:"target"`
	Ingest  string `json:"ingest"`
	measure
	// Ratio is what the proxy let through of the prompt tokens.
	Ratio float64 `json:"ratio"`
}

// halvedFrom is the number of turns from which prompt tokens must be at least halved.
const halvedFrom = 120

// faults returns what is wrong with a report; saves is set where the proxy compacts the agent's
// format.
func (r report) faults(saves bool) (faults []string) {
	add := func(name string, m measure) {
		for _, fault := range append(append([]string(nil), m.Faults...), m.Invalid...) {
			faults = append(faults, name+": "+fault)
		}
	}
	add("straight", r.Direct)
	for _, p := range r.Proxied {
		name := "through the proxy at " + p.At
		add(name, p.measure)
		for _, fault := range r.against(p, saves) {
			faults = append(faults, name+": "+fault)
		}
	}
	return faults
}

// against returns what is wrong with what came through the proxy beside the direct run.
func (r report) against(p proxied, saves bool) (faults []string) {
	if first, straight := p.FirstCompaction, r.Direct.FirstCompaction; first > 0 &&
		(straight == 0 || first < straight) {
		faults = append(faults, fmt.Sprintf("the agent compacted its conversation at turn %d, "+
			"and at turn %d without (0: never)", first, straight))
	}
	if p.Compactions > r.Direct.Compactions {
		faults = append(faults, fmt.Sprintf("the agent compacted its conversation %d times, "+
			"%d without", p.Compactions, r.Direct.Compactions))
	}
	if !saves || r.Early || r.Turns < halvedFrom {
		return faults
	}
	if p.Ratio > 0.5 {
		faults = append(faults, fmt.Sprintf("%.0f%% of the prompt tokens were sent, want at most "+
			"half; without any turn it would be %.0f%%", 100*p.Ratio, 100*(1-r.Direct.most())))
	}
	if p.Folds == 0 && p.Truncated == 0 {
		faults = append(faults, "no prompt was made smaller")
	}
	return faults
}

// write keeps the report and what the model was shown after the last fold in dir.
func (r report) write(dir string) error {
	r.Most = r.Direct.most()
	if err := writeJSON(filepath.Join(dir, "report.json"), r); err != nil {
		return err
	}
	for _, p := range r.Proxied {
		shown := p.lastFold
		if shown == nil {
			continue
		}
		if err := writeJSON(filepath.Join(dir, "shown-"+p.At+".json"), map[string]any{
			"agent": r.Agent, "turn": shown.Ask.Last + 1, "prompt_tokens": shown.Tokens,
			"folds": p.Folds, "request": json.RawMessage(shown.Body)}); err != nil {
			return err
		}
	}
	return nil
}

// writeRequests keeps every request in dir, with its headers.
func writeRequests(dir string, requests []*scripted.Request) error {
	for i, r := range requests {
		body := json.RawMessage(r.Body)
		if !json.Valid(body) {
			body = json.RawMessage("null")
		}
		name := filepath.Join(dir, fmt.Sprintf("request-%04d.json", i+1))
		if err := writeJSON(name, map[string]any{
			"method": r.Method, "path": r.Path, "status": r.Status, "header": r.Header,
			"body": body}); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(name string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return os.WriteFile(name, append(raw, '\n'), 0o644)
}
