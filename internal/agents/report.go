package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// report is one agent with one number of turns, straight and through the proxy.
type report struct {
	Agent   string  `json:"agent"`
	Module  string  `json:"module"`
	Version string  `json:"version"`
	Model   string  `json:"model"`
	Format  string  `json:"format"`
	Turns   int     `json:"turns"`
	Parts   int     `json:"prompts"`
	Early   bool    `json:"early_compaction"`
	Direct  measure `json:"direct"`
	Proxied measure `json:"killick"`
	// Ratio is what the proxy let through of the prompt tokens.
	Ratio float64 `json:"ratio"`
}

// halvedFrom is the number of turns from which prompt tokens must be at least halved.
const halvedFrom = 120

// faults returns what is wrong with a report; saves is set where the proxy compacts the agent's
// format.
func (r report) faults(saves bool) (faults []string) {
	for name, m := range map[string]measure{"straight": r.Direct, "through the proxy": r.Proxied} {
		for _, fault := range append(append([]string(nil), m.Faults...), m.Invalid...) {
			faults = append(faults, name+": "+fault)
		}
	}
	if first, straight := r.Proxied.FirstCompaction, r.Direct.FirstCompaction; first > 0 &&
		(straight == 0 || first < straight) {
		faults = append(faults, fmt.Sprintf("the agent compacted its conversation at turn %d "+
			"through the proxy, and at turn %d without (0: never)", first, straight))
	}
	if r.Proxied.Compactions > r.Direct.Compactions {
		faults = append(faults, fmt.Sprintf("the agent compacted its conversation %d times "+
			"through the proxy, %d without", r.Proxied.Compactions, r.Direct.Compactions))
	}
	if saves && !r.Early && r.Turns >= halvedFrom && r.Ratio > 0.5 {
		faults = append(faults, fmt.Sprintf("%.0f%% of the prompt tokens were sent, want at most "+
			"half", 100*r.Ratio))
	}
	if saves && !r.Early && r.Turns >= halvedFrom && r.Proxied.Folds == 0 {
		faults = append(faults, "the proxy never made a prompt smaller")
	}
	return faults
}

// write keeps the report and what the model was shown after the last fold in dir.
func (r report) write(dir string) error {
	if err := writeJSON(filepath.Join(dir, "report.json"), r); err != nil {
		return err
	}
	shown := r.Proxied.lastFold
	if shown == nil {
		return nil
	}
	return writeJSON(filepath.Join(dir, "shown.json"), map[string]any{
		"agent": r.Agent, "turn": shown.ask.last + 1, "prompt_tokens": shown.tokens,
		"folds": r.Proxied.Folds, "request": json.RawMessage(shown.Body)})
}

// writeRequests keeps every request in dir, with its headers.
func writeRequests(dir string, requests []*recorded) error {
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
