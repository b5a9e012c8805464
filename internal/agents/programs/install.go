package programs

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// installTimeout is how long npm may take.
const installTimeout = 10 * time.Minute

// scripts are the agents that we wrote over the SDKs. They lie beside the modules that they import.
//
//go:embed *.mjs
var scripts embed.FS

// Install has npm install what is pinned into dir, unless it is there, and returns the folder of
// the programs.
func Install(ctx context.Context, dir string) (string, error) {
	manifest, err := json.MarshalIndent(map[string]any{"name": "agents", "private": true,
		"dependencies": Pinned}, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := writeScripts(dir); err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "node_modules", ".bin")
	name, done := filepath.Join(dir, "package.json"), filepath.Join(dir, "installed.json")
	if have, err := os.ReadFile(done); err == nil && string(have) == string(manifest) {
		return bin, nil
	}
	if err := os.WriteFile(name, manifest, 0o644); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund",
		"--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("installing the agents with npm: %w: %s", err, out)
	}
	return bin, os.WriteFile(done, manifest, 0o644)
}

// writeScripts writes our scripts into dir.
func writeScripts(dir string) error {
	list, err := scripts.ReadDir(".")
	if err != nil {
		return err
	}
	for _, entry := range list {
		text, err := scripts.ReadFile(entry.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, entry.Name()), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
