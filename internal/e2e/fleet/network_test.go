package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// network is a host of its own, in which the store runs, and the cable to it.
type network struct {
	name, near, far string // of the namespace and of the ends of the cable
	host            string // the address of the store
}

// newNetwork makes one, and skips the test where that is not possible.
func newNetwork(t testing.TB) *network {
	t.Helper()
	id := fmt.Sprint(os.Getpid() % 10_000)
	part := os.Getpid() % 60_000
	n := &network{name: "fleet" + id, near: "fleeta" + id, far: "fleetb" + id}
	subnet := fmt.Sprintf("10.%d.%d.", 200+part/256%50, part%256)
	n.host = subnet + "2"
	program(t, "ip")
	if out, err := exec.Command("ip", "netns", "add", n.name).CombinedOutput(); err != nil {
		t.Skipf("no network namespace can be made, so no store is cut off by the network: %v %s",
			err, out)
	}
	t.Cleanup(func() {
		_ = exec.Command("ip", "netns", "del", n.name).Run()
		_ = exec.Command("ip", "link", "del", n.near).Run()
	})
	for _, args := range []string{
		"link add " + n.near + " type veth peer name " + n.far,
		"link set " + n.far + " netns " + n.name,
		"addr add " + subnet + "1/24 dev " + n.near,
		"link set " + n.near + " up",
		"-n " + n.name + " addr add " + n.host + "/24 dev " + n.far,
		"-n " + n.name + " link set " + n.far + " up",
		"-n " + n.name + " link set lo up",
	} {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Skipf("no host of its own can be made for the store: ip %s: %v %s", args, err, out)
		}
	}
	return n
}

// pull pulls the cable, or plugs it in again.
func (n *network) pull(t testing.TB, out bool) {
	t.Helper()
	state := "up"
	if out {
		state = "down"
	}
	got, err := exec.Command("ip", "-n", n.name, "link", "set", n.far, state).CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, got)
	}
}

// swallow has every answer of the store vanish on its way, or none.
func (n *network) swallow(t testing.TB, all bool) {
	t.Helper()
	do := "del"
	if all {
		do = "add"
	}
	near := n.host[:len(n.host)-1] + "1/32"
	got, err := exec.Command("ip", "-n", n.name, "route", do, "blackhole", near).CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, got)
	}
}

// A network that carries nothing to the store any more, in silence, is an outage like any other.
func TestStoreCutOffByTheNetwork(t *testing.T) {
	noLeaks(t)
	for name, cut := range map[string]func(n *network, t testing.TB, out bool){
		"a pulled cable": (*network).pull,
		"lost answers":   (*network).swallow,
	} {
		if testing.Short() && name != "a pulled cable" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t)
			u := newUpstream(t)
			shared := &store{port: freePort(t), dir: t.TempDir(), host: n.host,
				wrap: []string{"ip", "netns", "exec", n.name}}
			shared.start(t)
			f := fault{name: name,
				begin: func(t testing.TB, _ *store) { cut(n, t, true) },
				end:   func(t testing.TB, _ *store) { cut(n, t, false) }}
			f.run(t, u, shared, settings(u.URL+"/v1", shared.url()))
		})
	}
}
