package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// settings are the same for all runs.
type settings struct {
	bin, binary string // the agents' programs, the built proxy
	growth      int    // of prompts with a turn, in tokens; if 0, see [work.GrowthOf]
	replicas    int    // so many proxies
	store       string // that they share
}

// startTimeout is how long the proxy may take to log its address.
const startTimeout = 20 * time.Second

// proxyProcess is the built proxy, started as an operator would.
type proxyProcess struct {
	cmd        *exec.Cmd
	url, admin string
	log        string // its file
}

// startProxy starts the proxy before an upstream, with its store and its log in dir.
func startProxy(s settings, t thresholds, upstream, dir string) (*proxyProcess, error) {
	log, err := os.Create(filepath.Join(dir, "killick.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &proxyProcess{
		log: log.Name(),
		cmd: exec.Command(s.binary, "serve", "--listen", "127.0.0.1:0",
			"--admin-listen", "127.0.0.1:0", "--log-format", "json", "--upstream", upstream+"/v1",
			"--data", filepath.Join(dir, "store"), "--trigger", t.trigger, "--target", t.target),
	}
	p.cmd.Stderr = log
	p.cmd.Env = os.Environ()
	if s.store != "" {
		p.cmd.Env = append(p.cmd.Env, "KILLICK_CACHE_URL="+s.store)
	}
	if t.ingest != "" {
		p.cmd.Env = append(p.cmd.Env, "KILLICK_COMPACTION_INGEST="+t.ingest)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the proxy, which make build makes: %w", err)
	}
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(log.Name())
		if err != nil {
			p.stop()
			return nil, err
		}
		for line := range bytes.Lines(text) {
			var entry struct{ Msg, Listen, Admin string }
			if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
				p.url, p.admin = "http://"+entry.Listen, "http://"+entry.Admin
				return p, nil
			}
		}
		if time.Now().After(deadline) {
			p.stop()
			return nil, fmt.Errorf("starting the proxy: it does not serve after %v: %s",
				startTimeout, text)
		}
	}
}

// stop ends the proxy as an operator would and waits for it.
func (p *proxyProcess) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// metrics returns what the proxy counted.
func (p *proxyProcess) metrics() ([]byte, error) {
	res, err := http.Get(p.admin + "/metrics")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(res.Body)
	return b.Bytes(), err
}
