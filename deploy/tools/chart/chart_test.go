// Package chart renders the Helm chart with Helm's own engine and decodes what comes out as
// Kubernetes would. It reaches no cluster.
package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/strvals"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

const (
	root  = "../../.."
	chart = root + "/deploy/helm/killick"
)

// The oldest version that Chart.yaml allows, and one of today.
var kubeVersions = []string{"v1.25.0", "v1.37.0"}

// valuesFiles are those that the chart is rendered with, "" for its defaults.
func valuesFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(chart + "/ci/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files of values, %v; want 3 or more", len(files), err)
	}
	return append(files, "")
}

func values(t *testing.T, file string, sets ...string) map[string]any {
	t.Helper()
	v := map[string]any{}
	if file != "" {
		read, err := chartutil.ReadValuesFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v = read
	}
	for _, s := range sets {
		if err := strvals.ParseInto(s, v); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// render returns the manifests by template.
func render(t *testing.T, kube string, v map[string]any) (map[string]string, error) {
	t.Helper()
	c, err := loader.LoadDir(chart)
	if err != nil {
		t.Fatal(err)
	}
	version, err := chartutil.ParseKubeVersion(kube)
	if err != nil {
		t.Fatal(err)
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *version
	all, err := chartutil.ToRenderValues(c, v, chartutil.ReleaseOptions{Name: "r",
		Namespace: "models", IsInstall: true}, capabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, all)
}

// objects decodes manifests strictly: a field that is not known, or is there twice, is a fault.
func objects(t *testing.T, manifests map[string]string) (all []runtime.Object) {
	t.Helper()
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, monitoring.AddToScheme} {
		if err := add(known); err != nil {
			t.Fatal(err)
		}
	}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, known, known,
		json.SerializerOptions{Yaml: true, Strict: true})
	for name, text := range manifests {
		if strings.HasSuffix(name, "NOTES.txt") {
			continue
		}
		documents := yaml.NewYAMLReader(bufioReader(text))
		for {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(document)) == 0 {
				continue
			}
			object, _, err := decoder.Decode(document, nil, nil)
			if err != nil {
				t.Errorf("%s: %v in\n%s", name, err, document)
				continue
			}
			all = append(all, object)
		}
	}
	return all
}

func TestLint(t *testing.T) {
	for _, file := range valuesFiles(t) {
		version, err := chartutil.ParseKubeVersion(kubeVersions[0])
		if err != nil {
			t.Fatal(err)
		}
		result := lint.AllWithKubeVersion(chart, values(t, file), "models", version)
		for _, m := range result.Messages {
			if m.Severity > support.InfoSev {
				t.Errorf("%s: %v", filepath.Base(file), m)
			}
		}
	}
}

// TestManifests decodes what each file of values gives, and looks at what must be in it.
func TestManifests(t *testing.T) {
	want := map[string][]string{
		"": {"ConfigMap", "Deployment", "Pod", "PodDisruptionBudget", "Service", "ServiceAccount"},
		"fleet.yaml": {"ConfigMap", "Deployment", "HorizontalPodAutoscaler", "Ingress",
			"NetworkPolicy", "Pod", "PodDisruptionBudget", "Service", "Service", "ServiceAccount",
			"ServiceMonitor"},
		"single.yaml": {"ConfigMap", "Deployment", "PodDisruptionBudget", "Service",
			"ServiceAccount"},
		"volumes.yaml": {"ConfigMap", "Service", "Service", "StatefulSet"},
	}
	for _, kube := range kubeVersions {
		for _, file := range valuesFiles(t) {
			manifests, err := render(t, kube, values(t, file))
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			var kinds []string
			for _, o := range objects(t, manifests) {
				kinds = append(kinds, o.GetObjectKind().GroupVersionKind().Kind)
				checkPod(t, file, o)
			}
			slices.Sort(kinds)
			name := strings.TrimPrefix(filepath.Base(file), ".")
			if !slices.Equal(kinds, want[name]) {
				t.Errorf("%s: %v, want %v", name, kinds, want[name])
			}
		}
	}
}

// TestRefused renders values that could not run, or that hold a credential.
func TestRefused(t *testing.T) {
	for set, want := range map[string]string{
		"replicaCount=2":                        "cache.url",
		"autoscaling.enabled=true":              "cache.url",
		"metrics.enabled=true":                  "metrics.tokenSecret",
		"metrics.serviceMonitor.enabled=true":   "metrics.enabled",
		"config.listen=:80":                     "service.port",
		"config.timeouts.drain=5m":              "drainSeconds",
		"config.cache.secret_file=/a":           "cache.sharedSecret",
		"config.upstream.api_key=sk-x":          "/config/upstream/api_key",
		"config.upstreams[0].api_key=sk-x":      "/config/upstreams/0/api_key",
		"config.auth.keys.a.key=sk-x":           "/config/auth/keys/a/key",
		"config.auth.keys.a.upstream_keys.b=x":  "/config/auth/keys/a/upstream_keys/b",
		"config.model.api_key=sk-x":             "/config/model/api_key",
		"config.probe.model.api_key=sk-x":       "/config/probe/model/api_key",
		"cache.url=redis://:password@host:1/0":  "/cache/url",
		"cache.url=redis://u:password@host:1/0": "/cache/url",
		"imageTag=v1":                           "imageTag",
		"config.compaction.expand=true":         "/config/compaction/expand",
		"metrics.tokenSecret.value=x":           "value",
		"goMemLimit=512":                        "/goMemLimit",
	} {
		_, err := render(t, kubeVersions[1], values(t, "", set))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error that names %s", set, err, want)
		}
	}
	for _, set := range []string{"cache.url=redis://user@h:6379/0?addr=b:6379",
		"cache.url=rediss://h", "cache.sharedSecret.name=s"} {
		if _, err := render(t, kubeVersions[1], values(t, "", "replicaCount=2", set)); err != nil {
			t.Errorf("%s: %v", set, err)
		}
	}
}

func TestNotes(t *testing.T) {
	for _, c := range []struct {
		file, want, not string
	}{
		{"", "Each pod begins with a secret", "Replicas share a secret"},
		{chart + "/ci/volumes.yaml", "Replicas share a secret", "Each pod begins"},
		{chart + "/ci/fleet.yaml", "http://r-killick.models.svc:80/v1", "Set"},
	} {
		manifests, err := render(t, kubeVersions[1], values(t, c.file))
		if err != nil {
			t.Fatal(err)
		}
		notes := manifests["killick/templates/NOTES.txt"]
		if !strings.Contains(notes, c.want) || strings.Contains(notes, c.not) {
			t.Errorf("%s: %s", c.file, notes)
		}
	}
}

// at names an object in messages.
func at(file string, what any) string { return fmt.Sprintf("%s, %T", filepath.Base(file), what) }
