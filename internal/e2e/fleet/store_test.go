package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// store is a redis-server in a process of its own. It keeps its port when it is started again.
type store struct {
	port int
	args []string
	dir  string
	wrap []string // what starts it, such as ip netns exec
	host string
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
	out  *bytes.Buffer
}

// program returns where a program is, and skips the test where it is not.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: no shared store of several replicas is tested; .ci/run "+
			"installs it on Debian", name)
	}
	return path
}

// newStore starts a server with no snapshots and these arguments.
func newStore(t testing.TB, args ...string) *store {
	t.Helper()
	s := &store{port: freePort(t), args: args, dir: t.TempDir(), host: "127.0.0.1"}
	s.start(t)
	return s
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// start starts the server, empty, and waits until it answers.
func (s *store) start(t testing.TB) {
	t.Helper()
	s.launch(t)
	s.await(t)
}

func (s *store) launch(t testing.TB) {
	t.Helper()
	command := append([]string{program(t, "redis-server"), "--port", strconv.Itoa(s.port), "--bind",
		s.host, "--protected-mode", "no", "--save", "", "--appendonly", "no", "--dir", s.dir},
		s.args...)
	command = append(append([]string{}, s.wrap...), command...)
	s.cmd, s.out, s.done = exec.Command(command[0], command[1:]...), &bytes.Buffer{},
		make(chan struct{})
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.run(t)
}

// run starts the program and has the end of the test end it.
func (s *store) run(t testing.TB) {
	t.Helper()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd, done := s.cmd, s.done
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
	})
}

// await waits until the server answers.
func (s *store) await(t testing.TB) {
	t.Helper()
	waitFor(t, "redis-server to answer", func() bool {
		select {
		case <-s.done:
			t.Fatalf("redis-server ended: %s", s.out)
		default:
		}
		out, _ := s.cli("PING").CombinedOutput()
		return bytes.Contains(out, []byte("PONG")) || bytes.Contains(out, []byte("NOAUTH"))
	})
}

// cli returns a command that a person would give the server.
func (s *store) cli(args ...string) *exec.Cmd {
	return exec.Command("timeout", append([]string{"10", "redis-cli", "-h", s.host, "-p",
		strconv.Itoa(s.port)}, args...)...)
}

// tell gives the server a command and returns its answer.
func (s *store) tell(t testing.TB, args ...string) string {
	t.Helper()
	out, err := s.cli(args...).CombinedOutput()
	if err != nil || bytes.HasPrefix(out, []byte("ERR")) {
		t.Fatalf("redis-cli %s: %v %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// info returns a field of what the server says of itself.
func (s *store) info(t testing.TB, field string) string {
	t.Helper()
	_, rest, _ := strings.Cut(s.tell(t, "INFO"), field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

func itoa(n int) string { return strconv.Itoa(n) }

// kill ends the server at once.
func (s *store) kill() {
	_ = s.cmd.Process.Kill()
	<-s.done
}

// signal sends the server a signal, such as SIGSTOP.
func (s *store) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

func (s *store) addr() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }
func (s *store) url() string  { return "redis://" + s.addr() }

// dump returns all names and, of each, what it holds, as a client sees it.
func (s *store) dump(t testing.TB) map[string]string {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: s.addr()})
	defer client.Close()
	names, err := client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		kind, err := client.Type(t.Context(), name).Result()
		if err != nil {
			t.Fatal(err)
		}
		if kind == "stream" {
			events, err := client.XRange(t.Context(), name, "-", "+").Result()
			if err != nil {
				t.Fatal(err)
			}
			all[name] = fmt.Sprint(events)
			continue
		}
		all[name], err = client.Get(t.Context(), name).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			t.Fatalf("%s, a %s: %v", name, kind, err)
		}
	}
	return all
}

// waitFor waits until something holds. What does not soon fails the test.
func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !done() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// write writes a file of a test and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
