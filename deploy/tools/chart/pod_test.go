package chart

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func bufioReader(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }

// checkPod looks at the pods of a workload: what the restricted security standard asks for, time
// to drain, and names that are declared.
func checkPod(t *testing.T, file string, o runtime.Object) {
	t.Helper()
	var pod core.PodTemplateSpec
	switch o := o.(type) {
	case *apps.Deployment:
		pod = o.Spec.Template
	case *apps.StatefulSet:
		pod = o.Spec.Template
		for _, claim := range o.Spec.VolumeClaimTemplates {
			pod.Spec.Volumes = append(pod.Spec.Volumes, core.Volume{Name: claim.Name})
		}
	default:
		return
	}
	s := pod.Spec
	if got := *s.TerminationGracePeriodSeconds; got < 60+10+25 {
		t.Errorf("%s: %d s to end, want drainSeconds, noticeSeconds and 25 s", at(file, o), got)
	}
	if c := s.SecurityContext; !*c.RunAsNonRoot || *c.RunAsUser != 65532 || *c.FSGroup != 65532 ||
		c.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault ||
		*s.AutomountServiceAccountToken || *s.EnableServiceLinks {
		t.Errorf("%s: the pod has more rights than it needs: %+v", at(file, o), c)
	}
	c := s.Containers[0]
	if !*c.SecurityContext.ReadOnlyRootFilesystem || *c.SecurityContext.AllowPrivilegeEscalation ||
		!slices.Equal(c.SecurityContext.Capabilities.Drop, []core.Capability{"ALL"}) {
		t.Errorf("%s: the container has more rights than it needs", at(file, o))
	}
	if c.StartupProbe == nil || c.LivenessProbe == nil {
		t.Errorf("%s: a probe is missing", at(file, o))
	}
	for _, mount := range c.VolumeMounts {
		if !slices.ContainsFunc(s.Volumes, func(v core.Volume) bool {
			return v.Name == mount.Name
		}) {
			t.Errorf("%s: %s mounts a volume that is not there", at(file, o), mount.Name)
		}
	}
	for _, v := range s.Volumes {
		if v.Secret != nil && *v.Secret.DefaultMode != 0o440 {
			t.Errorf("%s: mode %o of %s, want 440: Killick refuses what everybody may read",
				at(file, o), *v.Secret.DefaultMode, v.Name)
		}
	}
	for _, e := range c.Env {
		secret := e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil
		if !secret && e.Name != "KILLICK_CONFIG" && e.Name != "GOMEMLIMIT" {
			t.Errorf("%s: %s does not come from a Secret", at(file, o), e.Name)
		}
	}
}
