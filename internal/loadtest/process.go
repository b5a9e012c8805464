package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// contestant is one way to the upstream: a proxy in processes of its own, or no proxy.
type contestant struct {
	name  string
	url   string // base URL for clients, without /v1
	admin string // of the proxy's metrics, "" if it has none
	api   *api   // that it is asked in; if nil, chat completions
	cmd   *exec.Cmd
}

// startTimeout is how long a process may take to report its address.
const startTimeout = 20 * time.Second

// self starts this program in another role and reads its address from its output.
func self(on core, name string, args ...string) (*contestant, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &contestant{name: name, cmd: on.command(program, args...)}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.cmd.Stderr = os.Stderr
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("starting %s: it printed no address: %w", name, err)
	}
	c.url = strings.TrimSpace(line)
	return c, nil
}

// killick starts the built proxy as an operator would, with its store and its log in dir. The
// profile is one whose trigger the sizes without a trigger of their own stay under.
func killick(on core, binary, upstream, dir string, more ...string) (*contestant, error) {
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
		"--log-format", "json", "--profile", "balanced",
		"--upstream", upstream + "/v1", "--data", filepath.Join(dir, "store")}, more...)
	c := &contestant{name: "killick", cmd: on.command(binary, args...)}
	log, err := os.Create(filepath.Join(dir, "killick.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c.cmd.Stderr = log // a file, as for nginx: a pipe would need a reader
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the proxy, which make build makes: %w", err)
	}
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(log.Name())
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			var entry struct{ Msg, Listen, Admin string }
			if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
				c.url, c.admin = "http://"+entry.Listen, "http://"+entry.Admin
				return c, nil
			}
		}
		if time.Now().After(deadline) {
			c.stop()
			return nil, fmt.Errorf("starting the proxy: it does not serve after %v: %s",
				startTimeout, text)
		}
	}
}

// nginxConf is a configuration for this job: bodies stay in memory, replies are not buffered,
// connections are kept.
const nginxConf = `
daemon off;
%s
worker_processes %s;
pid nginx.pid;
error_log error.log warn;
events { worker_connections 4096; }
http {
  access_log access.log;
  client_body_buffer_size 4m;
  client_max_body_size 64m;
  keepalive_requests 1000000;
  upstream api { server %s; keepalive 1024; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:%d;
    location / {
      proxy_pass http://api;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`

var errNoNginx = errors.New("nginx is not installed (Debian: apt-get install nginx-light)")

// nginx starts Debian's nginx. It fails with errNoNginx if there is none.
func nginx(on core, upstream, dir string) (*contestant, error) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program = "/usr/sbin/nginx"; !exists(program) {
			return nil, errNoNginx
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	user := ""
	if os.Getuid() == 0 {
		user = "user root;" // its workers must be able to read the folder
	}
	workers := "auto"
	if on != "" {
		workers = "1" // auto counts the CPUs of the machine
	}
	conf := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(nginxConf, user, workers, strings.TrimPrefix(upstream, "http://"), port)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		return nil, err
	}
	c := &contestant{name: "nginx", url: fmt.Sprintf("http://127.0.0.1:%d", port),
		cmd: on.command(program, "-p", dir, "-c", conf)}
	c.cmd.Stderr = os.Stderr
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting nginx: %w", err)
	}
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
		if err == nil {
			_ = conn.Close()
			return c, nil
		}
		if time.Now().After(deadline) {
			c.stop()
			return nil, fmt.Errorf("starting nginx: %w", err)
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// stop ends the process as an operator would and waits for it.
func (c *contestant) stop() {
	if c == nil || c.cmd == nil {
		return
	}
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	_ = c.cmd.Wait()
}

// pids returns the process and its children.
func (c *contestant) pids() []int {
	if c.cmd == nil {
		return nil
	}
	list := []int{c.cmd.Process.Pid}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", list[0]))
	for _, name := range tasks {
		text, _ := os.ReadFile(name)
		for field := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				list = append(list, pid)
			}
		}
	}
	return list
}

// cpu returns the processor time of the contestant, including the kernel's. It adds nanoseconds by
// thread (schedstat in proc(5)): the times of a process are only reported in hundredths of a
// second.
func (c *contestant) cpu() (time.Duration, error) {
	var sum time.Duration
	for _, pid := range c.pids() {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		if err != nil || len(threads) == 0 {
			return 0, fmt.Errorf("reading the processor time of %s: no /proc/%d/task/*/schedstat",
				c.name, pid)
		}
		for _, thread := range threads {
			text, err := os.ReadFile(thread)
			if err != nil {
				return 0, err
			}
			on, _, _ := strings.Cut(string(text), " ")
			ns, err := strconv.ParseInt(on, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("reading %s: %w", thread, err)
			}
			sum += time.Duration(ns)
		}
	}
	return sum, nil
}

// memory returns the proportional set size in bytes: what several processes share is counted once.
func (c *contestant) memory() (int64, error) {
	var sum int64
	for _, pid := range c.pids() {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("the memory of %s: %w", c.name, err)
		}
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(text)) {
			if value, ok := strings.CutPrefix(line, "Pss:"); ok {
				kib, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
				if err != nil {
					return 0, err
				}
				sum += kib << 10
			}
		}
	}
	return sum, nil
}

// metric reads one metric without labels, -1 if there is none.
func (c *contestant) metric(name string) (float64, error) {
	res, err := http.Get(c.admin + "/metrics")
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return -1, nil
}
