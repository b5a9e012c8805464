package chart

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
)

// TestConfigIsAccepted has killick check read the config.yaml that each file of values gives, with
// the variables and the files that the pod would have.
func TestConfigIsAccepted(t *testing.T) {
	program := filepath.Join(t.TempDir(), "killick")
	build := exec.Command("go", "build", "-tags", "nomsgpack", "-o", program, "./cmd/proxy")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for _, file := range valuesFiles(t) {
		manifests, err := render(t, kubeVersions[1], values(t, file))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		config, env := "", []string(nil)
		for _, o := range objects(t, manifests) {
			switch o := o.(type) {
			case *core.ConfigMap:
				config = o.Data["config.yaml"]
			case *apps.Deployment:
				env = variables(&o.Spec.Template.Spec)
			case *apps.StatefulSet:
				env = variables(&o.Spec.Template.Spec)
			}
		}
		for _, path := range regexp.MustCompile(`/run/[\w./-]+`).FindAllString(config, -1) {
			putFile(t, dir+path)
		}
		config = strings.ReplaceAll(config, "/run/", dir+"/run/")
		path := filepath.Join(dir, "config.yaml")
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		check := exec.Command(program, "check", path)
		check.Env = append([]string{}, env...) // nil would inherit ours
		output, err := check.CombinedOutput()
		if err != nil || strings.Contains(string(output), "no such setting") {
			t.Errorf("%s: %v\n%s\nof\n%s", filepath.Base(file), err, output, config)
		}
	}
}

// variables gives each variable that comes from a Secret a value.
func variables(pod *core.PodSpec) (env []string) {
	for _, e := range pod.Containers[0].Env {
		if e.ValueFrom != nil {
			env = append(env, e.Name+"=0123456789abcdef0123456789abcdef")
		}
	}
	return env
}

// putFile writes what a file of that name holds: a certificate, a key, a credential.
func putFile(t *testing.T, path string) {
	t.Helper()
	content := []byte("0123456789abcdef0123456789abcdef")
	cert, key := certificate(t)
	switch filepath.Ext(path) {
	case ".crt":
		content = append(cert, key...) // the key of tls.key is that of tls.crt: one file for both
	case ".key":
		content, _ = os.ReadFile(strings.TrimSuffix(path, ".key") + ".crt")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func certificate(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"killick"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), IsCA: true,
		BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}
