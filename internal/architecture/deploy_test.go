package architecture

import (
	"regexp"
	"strings"
	"testing"
)

// TestChartIsOfThisVersion holds the program's version in the chart to that of the repository: it
// is the tag of the image.
func TestChartIsOfThisVersion(t *testing.T) {
	version := strings.TrimSpace(read(t, "../../VERSION"))
	if !strings.Contains(read(t, "../../deploy/helm/killick/Chart.yaml"),
		"\nappVersion: "+version+"\n") {
		t.Errorf("Chart.yaml has another appVersion than VERSION, %s", version)
	}
}

// TestChartReadmeHasEveryValue compares the table of the README with the keys of values.yaml: the
// outermost ones, and one level more where there is one.
func TestChartReadmeHasEveryValue(t *testing.T) {
	table := read(t, "../../deploy/helm/killick/README.md")
	outer, keys := "", 0
	for line := range strings.Lines(read(t, "../../deploy/helm/killick/values.yaml")) {
		m := regexp.MustCompile(`^(  )?([A-Za-z]+):(.*)`).FindStringSubmatch(line)
		if m == nil {
			continue
		}
		key := m[2]
		if m[1] == "" {
			outer = key
		} else {
			key = outer + "." + key
		}
		if m[1] == "" && strings.TrimSpace(m[3]) == "" {
			continue // its keys follow
		}
		keys++
		if !strings.Contains(table, "`"+key+"`") {
			t.Errorf("the README of the chart does not have `%s`", key)
		}
	}
	if keys < 40 {
		t.Errorf("%d keys: they are not read as they are written", keys)
	}
}

// TestBaseImagesArePinned holds the defaults of the bake file to those of the Dockerfile, and both
// to a tag that names a release.
func TestBaseImagesArePinned(t *testing.T) {
	bake := read(t, "../../docker-bake.hcl")
	for _, m := range regexp.MustCompile(`(?m)^ARG ([A-Z]+_IMAGE)=(\S+)$`).FindAllStringSubmatch(
		read(t, "../../Dockerfile"), -1) {
		if !strings.Contains(bake, `variable "`+m[1]+`" { default = "`+m[2]+`" }`) {
			t.Errorf("docker-bake.hcl has another %s than the Dockerfile's %s", m[1], m[2])
		}
	}
	build := regexp.MustCompile(`BUILD_IMAGE=golang:1\.\d+\.\d+-`)
	if !build.MatchString(read(t, "../../Dockerfile")) {
		t.Error("the toolchain of the image is not pinned to a patch release")
	}
}
