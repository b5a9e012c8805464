package wire

import (
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/prometheus/client_golang/prometheus"

	"killick/compaction"
	"killick/internal/config"
)

var updateMetrics = flag.Bool("update-metrics", false, "write the table of docs/metrics.md")

// described is what a description of a metric says: its name, its help, and its labels, which are
// constant (one at most) or variable.
var described = regexp.MustCompile(
	`fqName: "(killick_\w+)", help: "(.*?)", (?:unit: ".*?", )?constLabels: \{(?:(\w+)=.*?)?\}, ` +
		`variableLabels: \{(.*?)\}`)

// Every metric is in docs/metrics.md, as its help describes it, and no other.
func TestMetricsAreDocumented(t *testing.T) {
	c := config.Default()
	c.Upstream.BaseURL = "http://127.0.0.1:9/v1"
	c.Cache.InMemory, c.Cache.URL = true, config.StoreURL("redis://"+miniredis.RunT(t).Addr())
	c.CacheKeepAlive.Enabled = true
	c.Compaction.Summarizer = "model"
	c.Auth.Keys = map[string]config.InboundKey{"team": {Key: "a-key-that-is-long-enough"}}
	app, err := Build(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Close() })
	app.CountDropped(nil)
	descriptions := make(chan *prometheus.Desc)
	go func() { app.metrics.Describe(descriptions); close(descriptions) }()
	rows := map[string]string{}
	for d := range descriptions {
		if found := described.FindStringSubmatch(d.String()); found != nil {
			labels := "–"
			if names := found[3] + found[4]; names != "" {
				labels = "`" + strings.ReplaceAll(names, ",", "`, `") + "`"
			}
			help := strings.ReplaceAll(found[2], `\"`, `"`)
			rows[found[1]] = fmt.Sprintf("| `%s` | %s | %s |\n", found[1], labels, help)
		}
	}
	if len(rows) < 40 {
		t.Fatalf("%d metrics are described", len(rows))
	}
	want := ""
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		want += rows[name]
	}
	const file, heading = "../../docs/metrics.md", "|---|---|---|\n"
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, got, _ := strings.Cut(string(doc), heading)
	for _, reason := range compaction.FailOpenReasons {
		if !strings.Contains(before, "`"+reason+"`") {
			t.Errorf("%s does not explain the reason %s", file, reason)
		}
	}
	if *updateMetrics {
		if err := os.WriteFile(file, []byte(before+heading+want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("%s has other metrics: go test ./internal/wire -run Documented -update-metrics",
			file)
	}
}
