package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"killick/internal/fakeupstream"
)

// programDir holds the program that the tests start.
var programDir string

func TestMain(m *testing.M) {
	var err error
	if programDir, err = os.MkdirTemp("", "killick"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(programDir)
	os.Exit(code)
}

// stampedVersion is the version that the built program says it is.
const stampedVersion = "v9.9.9-test"

var buildProgram = sync.OnceValues(func() (string, error) {
	file := filepath.Join(programDir, "killick")
	args := []string{"build", "-ldflags", "-X killick/internal/buildinfo.stamped=" + stampedVersion,
		"-o", file}
	if raceEnabled {
		args = append(args, "-race")
	}
	output, err := exec.Command("go", append(args, "killick/cmd/proxy")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the program: %w: %s", err, output)
	}
	return file, nil
})

// program is the built program, under the race detector if the tests are.
func program(t testing.TB) string {
	t.Helper()
	file, err := buildProgram()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// The program reports the version that the linker sets.
func TestVersionIsStamped(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		output, err := exec.Command(program(t), arg).Output()
		if err != nil || !strings.HasPrefix(string(output), "killick "+stampedVersion+", go") {
			t.Errorf("%s: %q, %v", arg, output, err)
		}
	}
}

// started is a proxy in a process of its own.
type started struct {
	*exec.Cmd
	public, admin string // base URLs
	log           chan string
	stderr        io.Closer // closes the end at which the log is read
}

// startProxy runs serve as a person would, on free ports, and waits for the line
// that logs the address.
func startProxy(t *testing.T, env []string, args ...string) *started {
	t.Helper()
	s := &started{
		Cmd: exec.Command(program(t),
			append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"},
				args...)...),
		log: make(chan string, 1000),
	}
	s.Env = append(os.Environ(), env...)
	stderr, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stderr = stderr
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill() })
	go func() {
		defer close(s.log)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			s.log <- lines.Text()
		}
	}()
	line := s.await(t, `"msg":"serving"`)
	var where struct{ Listen, Admin string }
	if err := json.Unmarshal([]byte(line), &where); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	s.public, s.admin = "http://"+where.Listen, "http://"+where.Admin
	return s
}

// await returns the next line of the log that has a text in it.
func (s *started) await(t *testing.T, text string) string {
	t.Helper()
	deadline := time.After(time.Minute)
	var seen []string
	for {
		select {
		case line, ok := <-s.log:
			if strings.Contains(line, text) {
				return line
			}
			if seen = append(seen, line); !ok {
				t.Fatalf("the log ended without %q:\n%s", text, strings.Join(seen, "\n"))
			}
		case <-deadline:
			t.Fatalf("no %q in the log:\n%s", text, strings.Join(seen, "\n"))
		}
	}
}

func TestServe(t *testing.T) {
	release := make(chan struct{})
	up := fakeupstream.New(fakeupstream.Config{
		Keys: []string{"sk-client"},
		Fault: func(n int, r *http.Request) fakeupstream.Fault {
			if r.Header.Get("X-Wait") != "" {
				<-release
			}
			return fakeupstream.Fault{}
		},
	})
	defer up.Close()
	dir := t.TempDir()
	s := startProxy(t, []string{"KILLICK_LOG_LEVEL=debug"}, "--upstream", up.URL(), "--data",
		filepath.Join(dir, "store"))

	post := func(wait string) (forwarded, error) {
		return exchange(context.Background(), http.MethodPost, s.public+chatPath,
			strings.NewReader(`{"model":"gpt-5.1","messages":[{"role":"user","content":"a secret `+
				`question"}]}`),
			"Authorization", "Bearer sk-client", "X-Wait", wait)
	}
	f, err := post("")
	if err != nil || f.status != http.StatusOK || f.header.Get("Killick-Action") != "none" {
		t.Errorf("status %d, action %q, %v; want 200 and none", f.status,
			f.header.Get("Killick-Action"), err)
	}
	// A request is counted when it is done with, which its client may not wait for.
	waitFor(t, func() bool {
		return strings.Contains(get(t, s.admin+"/metrics"), "killick_requests_total")
	})
	if output, err := exec.Command(program(t), "healthcheck", "--url",
		s.public+"/healthz").CombinedOutput(); err != nil {
		t.Errorf("healthcheck: %v, %s", err, output)
	}
	nothing := exec.Command(program(t), "healthcheck", "--url", s.admin+"/nothing")
	if err := nothing.Run(); nothing.ProcessState.ExitCode() != 1 {
		t.Errorf("healthcheck of nothing: %v", err)
	}

	// A second proxy on the same store reports that, and what to do.
	second := exec.Command(program(t), "serve", "--listen", "127.0.0.1:0", "--admin-listen", "",
		"--data", filepath.Join(dir, "store"))
	output, err := second.CombinedOutput()
	if second.ProcessState.ExitCode() != 1 ||
		!strings.Contains(string(output), "another process has it open") {
		t.Errorf("a second proxy on the store: %v, %s", err, output)
	}

	// SIGTERM lets the running request end, then the process does.
	answered := make(chan int, 1)
	go func() {
		f, err := post("yes")
		if err != nil {
			f.status = 0 // its outcome is not an answer
		}
		answered <- f.status
	}()
	waitFor(t, func() bool {
		return strings.Contains(get(t, s.admin+"/metrics"), "killick_requests_in_flight 1")
	})
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.await(t, `"msg":"stopping`)
	close(release)
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the request in flight ended with status %d, want 200", status)
	}
	s.await(t, `"msg":"stopped"`)
	if err := s.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "store.secret")); err != nil {
		t.Errorf("no secret beside the store: %v", err)
	}
}

// A proxy whose log nobody reads any more goes on, and stops as it should.
func TestServeOutlivesTheReaderOfItsLog(t *testing.T) {
	up := fakeupstream.New(fakeupstream.Config{})
	defer up.Close()
	s := startProxy(t, []string{"KILLICK_CACHE_IN_MEMORY=true"}, "--upstream", up.URL())
	if err := s.stderr.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f, err := exchange(t.Context(), http.MethodPost, s.public+chatPath, strings.NewReader(
			`{"model":"gpt-5.1","messages":[{"role":"user","content":"x"}]}`))
		if err != nil || f.status != http.StatusOK {
			t.Fatalf("status %d, %v", f.status, err)
		}
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}

// Nor does it wait for a reader of its log that has stopped to read: every reply ends, the metrics
// count the lines that are lost, and it stops as it should.
func TestServeOutlivesAReaderOfItsLogThatHangs(t *testing.T) {
	up := fakeupstream.New(fakeupstream.Config{})
	defer up.Close()
	cmd := exec.CommandContext(t.Context(), program(t), "serve", "--listen", "127.0.0.1:0",
		"--admin-listen", "127.0.0.1:0", "--upstream", up.URL())
	cmd.Env = append(os.Environ(), "KILLICK_CACHE_IN_MEMORY=true")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var serving struct{ Msg, Listen, Admin string }
	for lines := bufio.NewScanner(stderr); serving.Msg != "serving" && lines.Scan(); {
		_ = json.Unmarshal(lines.Bytes(), &serving) // warnings precede the log
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 300 { // a pipe holds 64 KiB, and each line has more than 300 bytes
		f, err := exchange(ctx, http.MethodPost, "http://"+serving.Listen+chatPath,
			strings.NewReader(`{"model":"gpt-5.1","stream":true,"messages":[{"role":"user",`+
				`"content":"x"}]}`), "X-Request-Id", strings.Repeat("i", 60))
		if err != nil || f.status != http.StatusOK {
			t.Fatalf("status %d, %v", f.status, err)
		}
	}
	if !strings.Contains(get(t, "http://"+serving.Admin+"/metrics"),
		"\nkillick_log_lines_dropped_total 0\n") {
		t.Error("no metric of lost lines")
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if state, err := cmd.Process.Wait(); err != nil || !state.Success() {
		t.Errorf("the process ended with %v, %v", state, err)
	}
}

// A second signal does not wait for anybody.
func TestServeEndsAtOnce(t *testing.T) {
	release := make(chan struct{})
	arrived := make(chan struct{}, 1)
	up := fakeupstream.New(fakeupstream.Config{Fault: func(int, *http.Request) fakeupstream.Fault {
		arrived <- struct{}{}
		<-release
		return fakeupstream.Fault{}
	}})
	defer up.Close()
	defer close(release)
	s := startProxy(t, []string{"KILLICK_CACHE_IN_MEMORY=true"}, "--upstream", up.URL())
	go func() {
		res, err := http.Get(s.public + "/v1/models")
		if err == nil {
			res.Body.Close()
		}
	}()
	<-arrived
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.await(t, `"msg":"stopping`)
	// The handler is put back just after that line.
	done := make(chan error, 1)
	go func() { done <- s.Wait() }()
	deadline := time.After(time.Minute)
	for {
		_ = s.Process.Signal(os.Interrupt)
		select {
		case err := <-done:
			if err == nil {
				t.Error("it ended as if all were well")
			}
			return
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			t.Fatal("it runs on after the second signal")
		}
	}
}
