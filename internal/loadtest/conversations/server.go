package conversations

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// errNoServer is returned if redis-server is not installed.
var errNoServer = errors.New("redis-server is not installed (Debian: apt-get install redis-server)")

// maxMemory is the memory limit of a server that is started here.
const maxMemory = "6gb"

// Server is a server on the Redis protocol.
type Server struct {
	URL    string
	Name   string // what it is, and its version
	client redis.UniversalClient
	stop   func()
}

// StartServer starts redis-server on a free port, with nothing on disk.
func StartServer(ctx context.Context, dir string) (*Server, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errNoServer
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	cmd := exec.Command(program, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir,
		"--save", "", "--appendonly", "no", "--maxmemory", maxMemory, "--maxmemory-policy",
		"volatile-ttl")
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting redis-server: %w", err)
	}
	s, err := Connect(ctx, fmt.Sprintf("redis://127.0.0.1:%d", port))
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("starting redis-server: %w", err)
	}
	disconnect := s.stop
	s.stop = func() {
		disconnect()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return s, nil
}

// Connect returns the server at an address, once it answers.
func Connect(ctx context.Context, url string) (*Server, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("the address of the server: %w", err)
	}
	s := &Server{URL: url, client: redis.NewClient(o)}
	s.stop = func() { _ = s.client.Close() }
	const startTimeout = 10 * time.Second
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		info, err := s.info(ctx, "server")
		if err == nil {
			s.Name = "redis " + info["redis_version"]
			if v := info["valkey_version"]; v != "" {
				s.Name = "valkey " + v
			}
			return s, nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			s.stop()
			return nil, fmt.Errorf("asking the server what it is: %w", err)
		}
	}
}

// Close ends the use of the server, and the server if it was started here.
func (s *Server) Close() { s.stop() }

// info returns a section of the server's INFO.
func (s *Server) info(ctx context.Context, section string) (map[string]string, error) {
	text, err := s.client.Info(ctx, section).Result()
	if err != nil {
		return nil, err
	}
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = value
		}
	}
	return info, nil
}

// Memory is the contents of a server.
type Memory struct {
	Used, Keys, Evicted int64
	Bytes               map[string]float64 // of one value, as the server counts it, by kind of name
}

// kinds are the suffixes of names, see cache/shared.
var kinds = map[string]func(name string) bool{
	"form":      func(name string) bool { return strings.Contains(name, "}:f:") },
	"stamp":     func(name string) bool { return strings.HasSuffix(name, "}:s") },
	"last seen": func(name string) bool { return strings.HasSuffix(name, "}:v") },
	"original":  func(name string) bool { return strings.HasSuffix(name, "}:o") },
}

// memory measures the server's contents, from a sample of names of each kind.
func (s *Server) memory(ctx context.Context) (m Memory, err error) {
	info, err := s.info(ctx, "memory")
	if err != nil {
		return m, err
	}
	m.Used, err = strconv.ParseInt(info["used_memory"], 10, 64)
	if err != nil {
		return m, fmt.Errorf("the server's used_memory: %w", err)
	}
	if info, err = s.info(ctx, "stats"); err != nil {
		return m, err
	}
	if m.Evicted, err = strconv.ParseInt(info["evicted_keys"], 10, 64); err != nil {
		return m, fmt.Errorf("the server's evicted_keys: %w", err)
	}
	if m.Keys, err = s.client.DBSize(ctx).Result(); err != nil {
		return m, err
	}
	const sample = 5000
	names, _, err := s.client.Scan(ctx, 0, "", sample).Result() // in the order of a hash
	if err != nil {
		return m, err
	}
	usage := make([]*redis.IntCmd, len(names))
	if _, err = s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, name := range names {
			usage[i] = p.MemoryUsage(ctx, name)
		}
		return nil
	}); err != nil {
		return m, fmt.Errorf("asking for the memory of some names: %w", err)
	}
	m.Bytes = map[string]float64{}
	for kind, is := range kinds {
		count, bytes := 0.0, 0.0
		for i, name := range names {
			if is(name) {
				count, bytes = count+1, bytes+float64(usage[i].Val())
			}
		}
		m.Bytes[kind] = bytes / max(count, 1)
	}
	return m, nil
}
