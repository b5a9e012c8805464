package fleet

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// slowOnly skips a test that takes a while but for make fleet.
func slowOnly(t testing.TB) {
	t.Helper()
	if os.Getenv("KILLICK_FLEET") == "" {
		t.Skip("KILLICK_FLEET is not set: make fleet runs this")
	}
}

// After Sentinel replicas follow the master to another server.
func TestSentinelFailsOver(t *testing.T) {
	slowOnly(t)
	noLeaks(t)
	u, master, second := newUpstream(t), newStore(t), newStore(t)
	second.tell(t, "REPLICAOF", master.host, itoa(master.port))
	waitFor(t, "replication", func() bool { return second.info(t, "master_link_status") == "up" })
	sentinel := newSentinel(t, master)
	waitFor(t, "the sentinel to know the replica", func() bool {
		return strings.Contains(sentinel.tell(t, "SENTINEL", "REPLICAS", "m"), itoa(second.port))
	})
	c := settings(u.URL+"/v1", sentinel.url()+"/?master_name=m")
	all := startAll(t, 2, c)
	s := written(t, spellings[0], "ann", 60)
	got := s.run(t, u, all, func(i int) {
		switch i {
		case 20:
			awaitWritten(t, all)
			master.kill()
		case 40:
			awaitUp(t, all, true)
			if second.info(t, "role") != "master" {
				t.Error("nothing failed over")
			}
		}
	})
	checkFailover(t, u, s, all, got)
}

// newSentinel starts a sentinel that watches a master alone.
func newSentinel(t testing.TB, master *store) *store {
	t.Helper()
	s := &store{port: freePort(t), dir: t.TempDir(), host: "127.0.0.1"}
	file := write(t, "sentinel.conf", fmt.Sprintf("port %d\nbind 127.0.0.1\nsentinel monitor m %s "+
		"%d 1\nsentinel down-after-milliseconds m 300\nsentinel failover-timeout m 2000\n", s.port,
		master.host, master.port))
	s.cmd, s.out, s.done = exec.Command(program(t, "redis-server"), file, "--sentinel"),
		&bytes.Buffer{}, make(chan struct{})
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.run(t)
	s.await(t)
	return s
}

// A cluster in which one of three masters dies is used on, once its replica has taken over.
func TestClusterFailsOver(t *testing.T) {
	slowOnly(t)
	noLeaks(t)
	const masters, nodes = 3, 6
	var all []*store
	create := []string{"--cluster", "create"}
	for range nodes {
		s := newStore(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
			"--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0")
		all, create = append(all, s), append(create, s.addr())
	}
	create = append(create, "--cluster-replicas", "1", "--cluster-yes")
	if out, err := exec.Command("redis-cli", create...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	waitFor(t, "the cluster", func() bool {
		for _, s := range all {
			if !strings.Contains(s.tell(t, "CLUSTER", "INFO"), "cluster_state:ok") {
				return false
			}
		}
		return true
	})
	u := newUpstream(t)
	c := settings(u.URL+"/v1", all[0].url()+"/?addr="+all[1].addr()+"&addr="+all[2].addr())
	replicas := startAll(t, 2, c)
	for victim := range masters { // one of them has the conversation
		waitFor(t, "the replica of the master", func() bool {
			return strings.Contains(all[victim].info(t, "slave0"), "state=online")
		})
	}
	s := written(t, spellings[0], "ann", 60)
	got := s.run(t, u, replicas, func(i int) {
		switch i {
		case 20:
			awaitWritten(t, replicas)
			for _, n := range all[:masters] {
				if n.tell(t, "DBSIZE") != "0" {
					n.kill()
					t.Logf("a master ends that holds names")
					return
				}
			}
			t.Fatal("no master holds a name")
		case 40:
			waitFor(t, "the cluster to fail over", func() bool {
				lives := all[masters] // any master may have ended, and no replica has
				return strings.Contains(lives.tell(t, "CLUSTER", "INFO"), "cluster_state:ok")
			})
			awaitUp(t, replicas, true)
		}
	})
	checkFailover(t, u, s, replicas, got)
}

func checkFailover(t *testing.T, u *upstream, s *session, all []*replica, got []sent) {
	t.Helper()
	want := alone(t, u, s, all[0])
	t.Logf("%d turns, %d prefix changes, alone %d; slowest %v; outages %v", len(got),
		s.changes(t, got), s.changes(t, want), slowest(got, 1),
		totals(t, all, "shared_store_outages_total"))
	if turns := differing(got, want); len(turns) > 0 {
		t.Errorf("turns %v are forwarded otherwise than by one process", turns)
	}
	s.found(t, all, got)
	for _, r := range all {
		r.Stop()
	}
}
