package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// events is the number of events of a stream. The next one is only sent once the client has this
// one, so a proxy that collects them before it passes them on is waited for in vain.
const events = 5

// inVain ends what nginx holds back.
const inVain = time.Minute

// behindNginx is an upstream behind two replicas, behind nginx with the configuration that
// docker-compose.yml mounts.
type behindNginx struct {
	url       string // nginx
	upstream  string
	program   string
	replicas  [2]*started
	addresses [2]string

	mu       sync.Mutex
	seen     map[string][]http.Header // headers at the upstream by path
	received chan struct{}            // the client has an event
	arrived  chan struct{}            // the request that is never answered is here
}

func newBehindNginx(t *testing.T) *behindNginx {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program = "/usr/sbin/nginx"; !isFile(program) {
			t.Skip("nginx is not installed (Debian: apt-get install nginx-light): " +
				"deploy/compose/nginx.conf is not tested")
		}
	}
	if raceEnabled {
		t.Skip("all of it runs in processes of their own")
	}
	b := &behindNginx{
		program:  program,
		seen:     map[string][]http.Header{},
		received: make(chan struct{}),
		arrived:  make(chan struct{}),
	}
	up := httptest.NewServer(b)
	t.Cleanup(up.Close)
	b.upstream = up.URL + "/v1"
	for i := range b.replicas {
		b.replicas[i] = startProxy(t, nil, "--upstream", b.upstream, "--data",
			filepath.Join(t.TempDir(), "store"))
		b.addresses[i] = strings.TrimPrefix(b.replicas[i].public, "http://")
	}
	b.url = startNginx(t, program, b.addresses)
	return b
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// startNginx starts nginx with the shipped configuration: only addresses and places of files are
// of the test.
func startNginx(t *testing.T, program string, replicas [2]string) (url string) {
	t.Helper()
	shipped, err := os.ReadFile("../../deploy/compose/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, dir := free.Addr().String(), t.TempDir()
	_ = free.Close()
	conf := strings.ReplaceAll(string(shipped), "/tmp/", dir+"/")
	for _, change := range [][2]string{
		{"killick-1:8080", replicas[0]}, {"killick-2:8080", replicas[1]},
		{"listen 8080;", "listen " + address + ";"},
		{"/dev/stderr", filepath.Join(dir, "error.log")},
		{"worker_processes auto;", "worker_processes 2;\n" + workers()},
	} {
		if strings.Count(conf, change[0]) != 1 {
			t.Fatalf("deploy/compose/nginx.conf has %q %d times, want once", change[0],
				strings.Count(conf, change[0]))
		}
		conf = strings.Replace(conf, change[0], change[1], 1)
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd := exec.Command(program, "-p", dir, "-c", file, "-g", "daemon off;")
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	waitFor(t, func() bool {
		select {
		case <-ended:
			t.Fatalf("nginx ended: %s", said.String())
		default:
		}
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return "http://" + address
}

// workers names who nginx's workers run as: they must be able to read the folder.
func workers() string {
	if os.Getuid() == 0 {
		return "user root;"
	}
	return ""
}

func (b *behindNginx) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/parts" {
		_, _ = io.ReadFull(r.Body, make([]byte, 1))
		b.received <- struct{}{}
	}
	size, _ := io.Copy(io.Discard, r.Body)
	b.mu.Lock()
	b.seen[r.URL.Path] = append(b.seen[r.URL.Path], r.Header)
	n := len(b.seen[r.URL.Path])
	b.mu.Unlock()
	switch r.URL.Path {
	case "/v1/held":
		if n > 1 {
			return // sent again
		}
		close(b.arrived)
		<-r.Context().Done()
	case "/v1/chat/completions":
		// What an upstream could ask nginx to do.
		w.Header().Set("X-Accel-Buffering", "yes")
		w.Header().Set("X-Accel-Redirect", "/v1/elsewhere")
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range events {
			fmt.Fprintf(
				w,
				"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d\"}}]}\n\n",
				i,
			)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-b.received:
			case <-r.Context().Done():
				return
			}
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"bytes":%d}`, size)
	}
}

// at returns the headers of the requests that the upstream had for a path.
func (b *behindNginx) at(path string) []http.Header {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen[path]
}

// TestBehindNginx runs deploy/compose/nginx.conf: what clients of the profile fleet meet.
func TestBehindNginx(t *testing.T) {
	b := newBehindNginx(t)
	t.Run("events pass one by one", b.testEvents)
	t.Run("a body passes as it comes", b.testParts)
	t.Run("headers and bodies pass", b.testPassing)
	t.Run("a WebSocket is refused by Killick", b.testUpgrade)
	t.Run("both replicas answer", b.testTurns)
	t.Run("what was sent is not sent again", b.testSentOnce)
	t.Run("one replica is enough", b.testOneGone) // the other was killed above
}

func (b *behindNginx) testEvents(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), inVain)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+chatPath,
		strings.NewReader(`{"model":"gpt-5.1","stream":true,"messages":[{"role":"user",`+
			`"content":"Count."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got := 0
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: {")
		if !ok {
			continue
		}
		if !strings.Contains(data, `"content":"`+strconv.Itoa(got)+`"`) {
			t.Errorf("event %d: %s", got, data)
		}
		got++
		b.received <- struct{}{}
	}
	if got != events || res.Header.Get("Killick-Action") != "none" {
		t.Errorf("%d events, action %q; want %d, and none", got, res.Header.Get("Killick-Action"),
			events)
	}
}

// testParts sends the second half of a body once the upstream has the first.
func (b *behindNginx) testParts(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), inVain)
	defer cancel()
	body, parts := io.Pipe()
	go func() {
		_, _ = io.WriteString(parts, "a")
		select {
		case <-b.received:
			_, _ = io.WriteString(parts, "b")
			_ = parts.Close()
		case <-ctx.Done():
			_ = parts.CloseWithError(ctx.Err())
		}
	}()
	f, err := exchange(ctx, http.MethodPost, b.url+"/v1/parts", body)
	if err != nil || f.status != http.StatusOK {
		t.Errorf("status %d, %v; want 200", f.status, err)
	}
}

func (b *behindNginx) testPassing(t *testing.T) {
	const size = 3 << 20
	f, err := exchange(t.Context(), http.MethodPost, b.url+"/v1/files%2Fa?x=%2f",
		bytes.NewReader(make([]byte, size)), "X-Tenant_Id", "t", "Authorization",
		"Bearer "+strings.Repeat("k", 20<<10))
	if want := fmt.Sprintf(`{"bytes":%d}`, size); err != nil || string(f.reply) != want {
		t.Fatalf("status %d, %v, %s; want %s", f.status, err, f.reply, want)
	}
	at := b.at("/v1/files/a")
	if len(at) != 1 {
		t.Fatalf("%d requests at the upstream, want 1", len(at))
	}
	if at[0].Get("X-Tenant_Id") != "t" || len(at[0].Get("Authorization")) != 20<<10+len("Bearer ") {
		t.Error("a header of the client is missing at the upstream")
	}
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip", "Forwarded",
		"Via"} {
		if value := at[0].Get(name); value != "" {
			t.Errorf("nginx added %s: %s", name, value)
		}
	}
}

func (b *behindNginx) testUpgrade(t *testing.T) {
	f, err := exchange(t.Context(), http.MethodGet, b.url+"/v1/responses", nil, "Connection",
		"Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key",
		"dGhlIHNhbXBsZSBub25jZQ==")
	if err != nil || f.status != http.StatusUpgradeRequired {
		t.Errorf("status %d, %v; want 426", f.status, err)
	}
}

func (b *behindNginx) testTurns(t *testing.T) {
	for range 6 {
		if status, text := send(t, http.MethodGet, b.url+"/v1/models", nil); status != 200 {
			t.Fatalf("status %d: %s", status, text)
		}
	}
	for _, replica := range b.replicas {
		waitFor(t, func() bool {
			return strings.Contains(get(t, replica.admin+"/metrics"), "killick_requests_total")
		})
	}
}

// testSentOnce kills a replica that has sent a request on: whether it was paid for is not known.
func (b *behindNginx) testSentOnce(t *testing.T) {
	answered := make(chan int, 1)
	go func() {
		f, err := exchange(t.Context(), http.MethodPost, b.url+"/v1/held", strings.NewReader("{}"))
		if err != nil {
			f.status = 0
		}
		answered <- f.status
	}()
	<-b.arrived
	var holder *started // the only one that is at work, once what was before is counted
	waitFor(t, func() bool {
		n := 0
		for _, replica := range b.replicas {
			metrics := get(t, replica.admin+"/metrics")
			if valueOf(t, metrics, "killick_requests_in_flight") == "1" {
				holder = replica
				n++
			}
		}
		return n == 1
	})
	holder.kill(t)
	if status := <-answered; status != http.StatusBadGateway {
		t.Errorf("status %d, want 502", status)
	}
	if n := len(b.at("/v1/held")); n != 1 {
		t.Errorf("the upstream had the request %d times, want once", n)
	}
}

// testOneGone sends requests where one of the replicas takes no connection, which nginx does not
// know yet.
func (b *behindNginx) testOneGone(t *testing.T) {
	url := startNginx(t, b.program, b.addresses)
	for i := range 6 {
		f, err := exchange(t.Context(), http.MethodPost, url+"/v1/after",
			strings.NewReader(`{"a":1}`))
		var reply struct{ Bytes int }
		if err == nil {
			err = json.Unmarshal(f.reply, &reply)
		}
		if err != nil || f.status != http.StatusOK || reply.Bytes != 7 {
			t.Errorf("request %d: status %d, %v, %s", i, f.status, err, f.reply)
		}
	}
	if n := len(b.at("/v1/after")); n != 6 {
		t.Errorf("the upstream had %d requests, want 6", n)
	}
}
