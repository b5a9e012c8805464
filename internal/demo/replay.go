package demo

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"killick/chat"
	"killick/internal/fakeupstream"
	"killick/internal/terminal"
	"killick/internal/wire"
	"killick/proxy/events"
)

// scene is all that the demo starts: two scripted upstreams, and the proxy in
// front of one of them.
type scene struct {
	direct, proxied *fakeupstream.Server
	app             *wire.App
	proxy, admin    string // addresses
	client          *http.Client
	stop            context.CancelFunc
	served          chan error
}

// turnHeader numbers the requests, so that the upstream can match each to its turn.
const turnHeader = "X-Demo-Turn"

// answer is what a client sees of one request.
type answer struct {
	status  int
	header  http.Header
	usage   chat.Usage
	elapsed time.Duration // to the last byte
}

// replay sends every turn both ways, alternating which goes first, and measures.
func (s *scene) replay(
	ctx context.Context, session *Session, p *terminal.Progress,
) (*Report, error) {
	m := newMeasure(session)
	for turn := range session.Turns {
		body := session.Request(turn)
		straight := func() (answer, error) {
			return s.send(ctx, s.direct.URL()+"/chat/completions", turn, body)
		}
		proxied := func() (answer, error) {
			return s.send(ctx, s.proxy+"/v1/chat/completions", turn, body)
		}
		var before, after answer
		var err error
		if turn%2 == 0 {
			before, after, err = both(straight, proxied)
		} else {
			after, before, err = both(proxied, straight)
		}
		if err != nil {
			return nil, fmt.Errorf("replaying turn %d: %w", turn+1, err)
		}
		if before.status != http.StatusOK {
			return nil, fmt.Errorf("replaying turn %d: the scripted upstream refused it "+
				"with status %d", turn+1, before.status)
		}
		s := m.add(before, after)
		p.Show(s.done >= s.of, s.draw)
	}
	counted, err := s.metrics(ctx)
	if err != nil {
		return nil, err
	}
	return m.report(s.direct.Requests(), s.proxied.Requests(), counted), nil
}

func both(first, second func() (answer, error)) (a, b answer, err error) {
	if a, err = first(); err != nil {
		return a, b, err
	}
	b, err = second()
	return a, b, err
}

// send posts one request and reads the whole stream.
func (s *scene) send(ctx context.Context, url string, turn int, body []byte) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer demo")
	req.Header.Set(turnHeader, strconv.Itoa(turn))
	start := time.Now()
	res, err := s.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, fmt.Errorf("reading the reply: %w", err)
	}
	a := answer{status: res.StatusCode, header: res.Header, elapsed: time.Since(start)}
	var reader events.Reader
	reader.Feed(reply, func(data []byte) {
		if u, ok := chat.ParseUsage(data); ok {
			a.usage = u
		}
	})
	return a, nil
}

// metrics reads the proxy's metrics, by name with labels.
func (s *scene) metrics(ctx context.Context) (map[string]int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.admin+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	res, err := s.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("reading the proxy's metrics: %w", err)
	}
	defer res.Body.Close()
	counted := map[string]int{}
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if !strings.HasPrefix(name, "killick_") {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("reading the proxy's metrics: %s: %w", name, err)
		}
		counted[name] = int(n)
	}
	return counted, lines.Err()
}

// measure collects the figures from the answers.
type measure struct {
	session  *Session
	turns    []turn
	elapsed  [][2]time.Duration // straight and through the proxy
	masked   int                // outputs that were newly masked
	masks    int                // in the latest request
	coverage *float64           // the lowest
	failed   int
	before   bill
	after    bill
}

func newMeasure(s *Session) *measure { return &measure{session: s} }

// add adds one turn's answers and returns the progress to show.
func (m *measure) add(before, after answer) step {
	m.elapsed = append(m.elapsed, [2]time.Duration{before.elapsed, after.elapsed})
	if after.status != http.StatusOK {
		m.failed++
	}
	m.before.add(before.usage)
	m.after.add(after.usage)
	turn := turn{
		Raw:    before.usage.PromptTokens,
		Sent:   after.usage.PromptTokens,
		Action: after.header.Get("Killick-Action"),
	}
	m.turns = append(m.turns, turn)
	if share, ok := coverageOf(after.header.Get("Killick-Probe")); ok &&
		(m.coverage == nil || share < *m.coverage) {
		m.coverage = &share
	}
	masks := droppedOf(after.header.Get("Killick-Dropped"), "tool_outputs")
	m.masked += max(0, masks-m.masks)
	m.masks = masks
	return step{done: len(m.turns), of: len(m.session.Turns), turn: turn}
}

// coverageOf reads the coverage from the header Killick-Probe: "coverage=0.97; repaired=1".
func coverageOf(header string) (share float64, ok bool) {
	first, _, _ := strings.Cut(header, ";")
	text, ok := strings.CutPrefix(first, "coverage=")
	if !ok {
		return 0, false
	}
	share, err := strconv.ParseFloat(text, 64)
	return share, err == nil
}

// droppedOf returns the count of one kind in the header Killick-Dropped: "tool_outputs; count=12;
// tokens=3400, messages; count=31".
func droppedOf(header, kind string) int {
	for item := range strings.SplitSeq(header, ", ") {
		fields := strings.Split(item, "; ")
		if fields[0] != kind {
			continue
		}
		for _, f := range fields[1:] {
			if n, ok := strings.CutPrefix(f, "count="); ok {
				count, _ := strconv.Atoi(n)
				return count
			}
		}
	}
	return 0
}

// report summarises the results. direct and proxied are the requests that arrived at the upstreams.
func (m *measure) report(direct, proxied []fakeupstream.Recorded, counted map[string]int) *Report {
	r := &Report{
		Model:         m.session.model,
		Turns:         m.turns,
		Before:        m.before.priced(),
		After:         m.after.priced(),
		MaskedOutputs: m.masked,
		MaskPasses:    counted[`killick_compactions_total{outcome="mask"}`],
		Summaries:     counted[`killick_compactions_total{outcome="summary"}`],
		Coverage:      m.coverage,
		FailedTurns:   m.failed,
	}
	for name, n := range counted {
		if strings.HasPrefix(name, "killick_fail_opens_total{") {
			r.FailOpens += n
		}
	}
	for _, rec := range proxied {
		turn, err := strconv.Atoi(rec.Header.Get(turnHeader))
		if err != nil {
			continue // not a request of ours
		}
		broken, changed, lost := m.session.faultsIn(rec.Body, m.session.Turns[turn])
		r.BrokenPairs += broken
		r.ChangedInstructions += changed
		r.LostRequests += lost
	}
	r.AddedMS = m.added(direct, proxied)
	return r
}

// added returns the time that the proxy adds to a request: the difference of both ways, each
// without the upstream's own time.
func (m *measure) added(direct, proxied []fakeupstream.Recorded) (t addedTime) {
	busy := func(records []fakeupstream.Recorded) map[string]time.Duration {
		d := map[string]time.Duration{}
		for _, r := range records {
			d[r.Header.Get(turnHeader)] += r.Ended.Sub(r.Arrived)
		}
		return d
	}
	directBusy, proxiedBusy := busy(direct), busy(proxied)
	var ms []float64
	for turn, e := range m.elapsed {
		key := strconv.Itoa(turn)
		extra := (e[1] - proxiedBusy[key]) - (e[0] - directBusy[key])
		ms = append(ms, max(0, float64(extra)/float64(time.Millisecond)))
	}
	slices.Sort(ms)
	if len(ms) > 0 {
		t.P50, t.Max = ms[len(ms)/2], ms[len(ms)-1]
	}
	return t
}
