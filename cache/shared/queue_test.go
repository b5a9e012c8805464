package shared

import (
	"fmt"
	"slices"
	"testing"
)

// queued returns the names of the writes in a queue, in order.
func queued(q *queue) (names []string) {
	for _, w := range q.writes {
		names = append(names, w.name)
	}
	return names
}

func check(t *testing.T, q *queue, want ...string) {
	t.Helper()
	if got := queued(q); !slices.Equal(got, want) {
		t.Errorf("the queue holds %q, want %q", got, want)
	}
	var bytes int64
	for i, w := range q.writes {
		bytes += int64(w.size)
		if at, ok := q.latest[w.name]; w.name != "" && (!ok || at-q.first != i) {
			t.Errorf("%q is thought to be at %d, and is at %d", w.name, at-q.first, i)
		}
	}
	if got := q.bytes.Load(); got != bytes {
		t.Errorf("it counts %d bytes, and holds %d", got, bytes)
	}
}

func TestQueueKeepsTheLatestOfEachName(t *testing.T) {
	q := newQueue()
	for _, w := range []write{{name: "a"}, {name: "b"}, {}, {name: "a", size: 7}, {}} {
		q.put(w)
	}
	check(t, q, "a", "b", "", "")
	if q.writes[0].size != 7+writeOverhead {
		t.Errorf("%+v is not the latest", q.writes[0])
	}
	some := q.take()
	check(t, q)
	q.put(write{name: "b", size: 9})
	q.put(write{name: "c"})
	q.putBack(some) // the queue has a later b
	check(t, q, "a", "", "", "b", "c")
	q.put(write{name: "c", size: 3})
	check(t, q, "a", "", "", "b", "c")
}

func TestQueueIsBounded(t *testing.T) {
	q := newQueue()
	const size = maxQueued / 4
	var dropped int
	for i := range 6 {
		dropped += q.put(write{name: fmt.Sprint(i), size: size})
	}
	if dropped != 3 {
		t.Errorf("%d were dropped, want the 3 oldest", dropped)
	}
	check(t, q, "3", "4", "5")
	some := q.take()
	check(t, q, "4", "5")
	q.put(write{name: "6", size: size})
	if n := q.putBack(some); n != 1 {
		t.Errorf("%d were dropped for lack of room, want the one that is put back", n)
	}
	check(t, q, "4", "5", "6")
}

func TestOnePipelineIsBounded(t *testing.T) {
	q := newQueue()
	for range maxAtOnce + 1 {
		q.put(write{})
	}
	q.put(write{size: 2 * maxBytesAtOnce})
	q.put(write{})
	for _, want := range []int{maxAtOnce, 1, 1, 1, 0} {
		if got := len(q.take()); got != want {
			t.Errorf("a pipeline carries %d writes, want %d", got, want)
		}
	}
}

func TestQueueDropsOneClient(t *testing.T) {
	q := newQueue()
	for i, who := range []string{"ann", "bob", "ann", "bob"} {
		q.put(write{who: who, name: fmt.Sprint(i), size: i})
	}
	q.take()
	for i, who := range []string{"ann", "bob", "ann", "bob"} {
		q.put(write{who: who, name: fmt.Sprint(i), size: i})
	}
	q.drop(func(w *write) bool { return w.who == "ann" })
	check(t, q, "1", "3")
	q.put(write{who: "bob", name: "3", size: 20})
	check(t, q, "1", "3")
	q.drop(func(*write) bool { return true })
	check(t, q)
}
