package main

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"killick/internal/config"
	"killick/internal/wire"
)

// The files for deployments give the process as much time to stop as it may take.
func TestSupervisorsWaitLongEnough(t *testing.T) {
	timeouts := config.Default().Timeouts
	stop := timeouts.Notice + timeouts.Drain + wire.Closing
	const (
		kubernetes = `Kubernetes waits for both and (\d+) s more`
		pods       = `PeriodSeconds: {{ add .Values.noticeSeconds .Values.drainSeconds (\d+) }}`
		compose    = `(?s)x-killick: &killick\n.*?\n  stop_grace_period: (\d+)s`
	)
	for file, c := range map[string]struct {
		seconds string // an expression that matches the time in seconds
		least   time.Duration
	}{
		"Dockerfile":                             {`docker stop --time (\d+)`, stop},
		"docker-compose.yml":                     {compose, stop},
		"docs/deployment.md":                     {`takes up\s+to (\d+) s more`, wire.Closing},
		"deploy/helm/killick/README.md":          {kubernetes, wire.Closing},
		"deploy/helm/killick/templates/_pod.tpl": {pods, wire.Closing},
		"deploy/helm/killick/values.yaml":        {kubernetes, wire.Closing},
		"deploy/systemd/README.md":               {`the sum of both and (\d+) s`, wire.Closing},
		"deploy/systemd/killick.service":         {`\nTimeoutStopSec=(\d+)s\n`, stop},
	} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(c.seconds).FindSubmatch(text)
		if found == nil {
			t.Errorf("%s does not say how long stopping may take: no %s", file, c.seconds)
			continue
		}
		seconds, _ := strconv.Atoi(string(found[1]))
		if got := time.Duration(seconds) * time.Second; got < c.least {
			t.Errorf("%s gives it %v, want at least %v", file, got, c.least)
		}
	}
}
