// Package images checks the Dockerfile and docker-compose.yml with the parsers and the linter of
// the programs that read them. It builds no image and asks no registry.
package images

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/opencontainers/go-digest"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
)

const root = "../../.."

// offline answers for a registry: what the linter needs of a base image is that it is there.
type offline struct{}

func (offline) ResolveImageConfig(_ context.Context, ref string, o sourceresolver.Opt) (string,
	digest.Digest, []byte, error) {
	image := ocispecs.Image{Platform: ocispecs.Platform{OS: "linux", Architecture: "amd64"}}
	if o.ImageOpt != nil && o.ImageOpt.Platform != nil {
		image.Platform = *o.ImageOpt.Platform
	}
	config, err := json.Marshal(image)
	return ref, digest.FromBytes(config), config, err
}

// TestDockerfile runs BuildKit's linter over every stage, for both platforms and both ways to
// come by the program.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile(root + "/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, binary := range []string{"build", "released"} {
		for _, arch := range []string{"amd64", "arm64"} {
			found := lint(t, text, arch, map[string]string{"BINARY": binary})
			if len(found) > 0 {
				t.Errorf("BINARY=%s for %s:\n%s", binary, arch, strings.Join(found, "\n"))
			}
		}
	}
	bad := strings.Replace(string(text), "WORKDIR /src", "WORKDIR src", 1)
	if bad == string(text) || len(lint(t, []byte(bad), "amd64", nil)) == 0 {
		t.Error("a relative WORKDIR is no fault: the linter is not asked as it should be")
	}
}

func lint(t *testing.T, text []byte, arch string, args map[string]string) (found []string) {
	t.Helper()
	source := llb.NewSourceMap(nil, "Dockerfile", "Dockerfile", text)
	source.Definition = &llb.Definition{}
	platform := ocispecs.Platform{OS: "linux", Architecture: arch}
	results, err := dockerfile2llb.DockerfileLint(t.Context(), text, dockerfile2llb.ConvertOpt{
		Config: dockerui.Config{
			BuildArgs:      args,
			BuildPlatforms: []ocispecs.Platform{{OS: "linux", Architecture: "amd64"}},
		},
		SourceMap:      source,
		TargetPlatform: &platform,
		MetaResolver:   offline{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if results.Error != nil {
		found = append(found, results.Error.Message)
	}
	for _, w := range results.Warnings {
		found = append(found, w.RuleName+": "+w.Detail)
	}
	return found
}

func load(t *testing.T, profile string, env ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{root + "/docker-compose.yml"},
		cli.WithName("killick"), cli.WithWorkingDirectory(root), cli.WithEnv(env),
		cli.WithProfiles(strings.Fields(profile)))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatalf("profile %q: %v", profile, err)
	}
	return project
}

// TestCompose loads docker-compose.yml as Docker Compose does, with each profile.
func TestCompose(t *testing.T) {
	for profile, want := range map[string][]string{
		"":      {"killick"},
		"fleet": {"killick", "killick-1", "killick-2", "nginx", "valkey"},
	} {
		project := load(t, profile, "VALKEY_PASSWORD=secret")
		names := project.ServiceNames()
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("profile %q: services %v, want %v", profile, names, want)
		}
		for name, service := range project.Services {
			checkService(t, name, service)
		}
	}
	ports := map[string]string{}
	volumes := map[string]string{}
	for name, service := range load(t, "fleet").Services {
		for _, p := range service.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes %s to %q, want this machine only", name, p.Published,
					p.HostIP)
			}
			if other := ports[p.Published]; other != "" {
				t.Errorf("%s and %s publish %s", name, other, p.Published)
			}
			ports[p.Published] = name
		}
		for _, v := range service.Volumes {
			if other := volumes[v.Source]; other != "" {
				t.Errorf("%s and %s share %s", name, other, v.Source)
			}
			volumes[v.Source] = name
		}
	}
}

func checkService(t *testing.T, name string, s types.ServiceConfig) {
	t.Helper()
	if _, tag, ok := strings.Cut(s.Image, ":"); !ok || tag == "latest" {
		t.Errorf("%s: image %s has no tag that stays", name, s.Image)
	}
	if !s.ReadOnly || len(s.CapDrop) != 1 || s.CapDrop[0] != "ALL" || s.HealthCheck == nil {
		t.Errorf("%s: want a read-only file system, no capabilities and a health check", name)
	}
	for _, v := range s.Volumes {
		if v.Type != types.VolumeTypeBind {
			continue
		}
		if info, err := os.Stat(v.Source); err != nil || info.IsDir() {
			t.Errorf("%s mounts %s, which is no file", name, v.Source)
		}
	}
}

// TestComposeSettings gives the variables of each service to killick check: it warns of a name that
// is not a setting.
func TestComposeSettings(t *testing.T) {
	program := filepath.Join(t.TempDir(), "killick")
	build := exec.Command("go", "build", "-tags", "nomsgpack", "-o", program, "./cmd/proxy")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	const token = "0123456789abcdef0123456789abcdef"
	project := load(t, "fleet", "VALKEY_PASSWORD=secret", "KILLICK_ADMIN_LISTEN=:9464",
		"KILLICK_ADMIN_TOKEN="+token, "KILLICK_COMPACTION_TRIGGER=32000")
	for _, name := range []string{"killick", "killick-1", "killick-2"} {
		var env []string
		for key, value := range project.Services[name].Environment {
			env = append(env, key+"="+*value)
		}
		check := exec.Command(program, "check")
		check.Env = append(env, "KILLICK_LISTEN=:8080", "KILLICK_CACHE_DIR=/data/store")
		output, err := check.CombinedOutput()
		if err != nil || strings.Contains(string(output), "no such setting") ||
			!strings.Contains(string(output), "KILLICK_COMPACTION_TRIGGER") ||
			strings.Contains(string(output), "redis://valkey") != (name != "killick") {
			t.Errorf("%s: %v\n%s", name, err, output)
		}
	}
}
