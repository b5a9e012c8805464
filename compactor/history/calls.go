package history

import (
	"hash/maphash"
	"slices"
	"sort"

	"killick/compactor/layout"
	"killick/series"
	"killick/transcript"
	"killick/transcript/partial"
	"killick/view"
)

// calls is an index of all calls of a conversation, and of the stubs: results that only refer
// to an earlier result. It is remembered with the conversation, so that all turns need not be
// read again to find a call.
type calls struct {
	all   series.Of[call]
	stubs series.Of[int] // messages, in order
}

// call is the entry of one call. Hashes use a seed of this process; calls that are found by them
// are compared before they are used.
type call struct {
	message  int
	key      uint64 // of transcript.Call.Key
	paths    []uint64
	inspects bool
	reads    bool
	writes   bool
	unclear  bool // its result may show that it is another call, or several
}

// callsKey is the key of the index in a view.Memory.
type callsKey struct{}

var callSeed = maphash.MakeSeed()

func indexed(c *transcript.Call) call {
	k := call{
		message: c.Caller, key: maphash.String(callSeed, c.Key()),
		inspects: c.Inspects(),
		reads:    c.Effect == transcript.Reads, writes: c.Effect == transcript.Writes,
		unclear: c.NeedsResult(),
	}
	if len(c.Paths) > 0 {
		k.paths = make([]uint64, len(c.Paths))
	}
	for i := range c.Paths {
		k.paths[i] = maphash.String(callSeed, c.Paths[i].Name)
	}
	return k
}

// index returns the index of a conversation. It reads only what is new in it.
func index(v *layout.View) calls {
	return v.Once(callsKey{}, func() any { return readIndex(v) }).(calls)
}

func readIndex(v *layout.View) calls {
	memory := v.Request.Memory()
	kept, n := memory.Load(callsKey{})
	known, _ := kept.(calls)
	originals := v.Request.Messages()[v.Lead:]
	called, stubbed := firstFrom(known.all.Items(), n), stubsBefore(known.stubs.Items(), n)
	if n == len(originals) && called == known.all.Len() && stubbed == known.stubs.Len() {
		return known
	}
	all, stubs := known.all.Grow(called), known.stubs.Grow(stubbed)
	for i := n; i < len(originals); i++ {
		switch m := &originals[i]; {
		case m.Role() == view.Assistant:
			for _, made := range m.ToolCalls() {
				c := transcript.NewCall(made, i)
				all = append(all, indexed(&c))
			}
		case m.Role().Result() && partial.IsStub(m):
			stubs = append(stubs, i)
		}
	}
	next := calls{series.New(all), series.New(stubs)}
	const callBytes, pathBytes, stubBytes = 64, 8, 8
	bytes := callBytes*int64(next.all.Cap()) + stubBytes*int64(next.stubs.Cap())
	for i := range all {
		bytes += pathBytes * int64(len(all[i].paths))
	}
	memory.Store(callsKey{}, next, len(originals), bytes)
	return next
}

// firstFrom returns the index of the first call that message n or a later one makes.
func firstFrom(all []call, n int) int {
	return sort.Search(len(all), func(i int) bool { return all[i].message >= n })
}

// stubsBefore returns how many of the stubs are before message n.
func stubsBefore(stubs []int, n int) int {
	at, _ := slices.BinarySearch(stubs, n)
	return at
}

// mayRepeat reports whether one of the first calls from message from on, as many as are looked up,
// may inspect something and be the same as an earlier one.
func (c calls) mayRepeat(from int) bool {
	all := c.all.Items()
	at := firstFrom(all, from)
	return slices.ContainsFunc(all[at:min(len(all), at+maxLookups)], func(newer call) bool {
		return newer.unclear || newer.inspects &&
			slices.ContainsFunc(all[:at], func(older call) bool { return older.key == newer.key })
	})
}

// last calls yield with the calls of the messages before a message, the last message first.
func (c calls) last(before int) func(yield func(c *call) bool) {
	return func(yield func(c *call) bool) {
		all := c.all.Items()
		for end := firstFrom(all, before); end > 0; {
			start := end - 1
			for start > 0 && all[start-1].message == all[end-1].message {
				start--
			}
			for i := start; i < end; i++ {
				if !yield(&all[i]) {
					return
				}
			}
			end = start
		}
	}
}

// groups reads groups of a conversation with their calls and results, each once and without those
// before it. As in the index, a call that waits for a script of an earlier group does not go on
// with that script.
type groups struct {
	view *layout.View
	memo *transcript.Memo
	read map[int]*transcript.Transcript // by the index of the group
}

func groupsOf(v *layout.View) groups {
	return groups{v, transcript.NewMemo(nil), map[int]*transcript.Transcript{}}
}

// with returns the group of a message.
func (g groups) with(message int) *transcript.Transcript {
	v, at := g.view, g.view.GroupAt(message+1)-1
	if g.read[at] == nil {
		of := v.Groups[at : at+1]
		g.read[at] = g.memo.Read(v.Originals()[:of[0].End], of, of[0].Start)
	}
	return g.read[at]
}

// calls returns the calls that a message makes, with their results.
func (g groups) calls(message int) []transcript.Call {
	all := g.with(message).Calls
	from := sort.Search(len(all), func(i int) bool { return all[i].Caller >= message })
	to := sort.Search(len(all), func(i int) bool { return all[i].Caller > message })
	return all[from:to:to]
}
