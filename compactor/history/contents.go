package history

import (
	"hash/maphash"
	"sort"

	"killick/compactor/layout"
	"killick/transcript"
)

// contents finds the results that stubs refer to. However many stubs there are, and in whatever
// order they answer their calls, each call of the conversation is looked at a limited number of
// times.
type contents struct {
	groups
	made map[int]*made // by message

	// The messages with calls that may have returned a content, by the hash of the call's key, and
	// by those of the files that it reads.
	byKey, byFile map[uint64][]int
	keys, files   map[string]*candidates
}

// made has the calls of one message by which contents are found.
type made struct {
	calls  []transcript.Call
	answer map[int]int      // by result: the first of the calls that it answers
	same   map[string][]int // by key: the calls that returned a content, in order
	whole  map[string][]int // by file: those that returned all of it
}

// candidates are messages that may make a call with a content.
type candidates struct {
	messages []int
	// For each of them, the last one up to it that makes such a call, as an index; -1 for none, and
	// unknown until it was looked for.
	last []int
}

const unknown = -2

// contentsOf returns what finds the contents of a conversation's stubs. It is made once for all
// forms of a request.
func contentsOf(v *layout.View) *contents {
	type key struct{ messages int }
	return v.Once(key{len(v.Messages)}, func() any {
		c := &contents{
			groups: groupsOf(v), made: map[int]*made{}, byKey: map[uint64][]int{},
			byFile: map[uint64][]int{}, keys: map[string]*candidates{},
			files: map[string]*candidates{},
		}
		for _, k := range index(v).all.Items() {
			c.byKey[k.key] = appendOnce(c.byKey[k.key], k.message)
			if !k.reads {
				continue
			}
			for _, file := range k.paths {
				c.byFile[file] = appendOnce(c.byFile[file], k.message)
			}
		}
		return c
	}).(*contents)
}

// fileOf returns the file of a call that reads and names only this one, "" for another call.
func fileOf(c *transcript.Call) string {
	if c.Effect != transcript.Reads || len(c.Paths) != 1 {
		return ""
	}
	return c.Paths[0].Name
}

func appendOnce(list []int, n int) []int {
	if len(list) > 0 && list[len(list)-1] == n {
		return list
	}
	return append(list, n)
}

// last returns the last call before of that is the same, or reads the same file whole, and returned
// the content; nil if there is none.
func (c *contents) last(of *transcript.Call) *transcript.Call {
	key, file := of.Key(), fileOf(of)
	own := c.of(of.Caller)
	before := own.answer[of.Result]
	if k := max(lastBelow(own.same[key], before), lastBelow(own.whole[file], before)); k >= 0 {
		return &own.calls[k]
	}
	same := func(m *made) []int { return m.same[key] }
	whole := func(m *made) []int { return m.whole[file] }
	byKey := c.before(of.Caller, c.keys, key, c.byKey, same)
	byFile := c.before(of.Caller, c.files, file, c.byFile, whole)
	message := max(byKey, byFile)
	if message < 0 {
		return nil
	}
	m, k := c.of(message), -1
	if byKey == message {
		k = lastOfAll(same(m))
	}
	if byFile == message {
		k = max(k, lastOfAll(whole(m)))
	}
	return &m.calls[k]
}

// before returns the last message before one that makes a call with the content of a name, which is
// a key or a file; -1 if there is none. with returns these calls of a message.
func (c *contents) before(
	message int, lists map[string]*candidates, name string, messages map[uint64][]int,
	with func(*made) []int,
) int {
	if name == "" {
		return -1
	}
	list := lists[name]
	if list == nil {
		list = &candidates{messages: messages[maphash.String(callSeed, name)]}
		list.last = make([]int, len(list.messages))
		for i := range list.last {
			list.last[i] = unknown
		}
		lists[name] = list
	}
	from := sort.SearchInts(list.messages, message) - 1
	at := from
	for at >= 0 && list.last[at] == unknown && len(with(c.of(list.messages[at]))) == 0 {
		at--
	}
	found := at
	if at >= 0 && list.last[at] != unknown {
		found = list.last[at]
	}
	for i := max(at, 0); i <= from; i++ {
		list.last[i] = found
	}
	if found < 0 {
		return -1
	}
	return list.messages[found]
}

// of returns the calls of a message.
func (c *contents) of(message int) *made {
	if m := c.made[message]; m != nil {
		return m
	}
	m := &made{
		calls: c.calls(message), answer: map[int]int{}, same: map[string][]int{},
		whole: map[string][]int{},
	}
	c.made[message] = m
	for i := range m.calls {
		call := &m.calls[i]
		if _, again := m.answer[call.Result]; !again {
			m.answer[call.Result] = i
		}
		if call.Stub || call.Result < 0 || call.MayHaveFailed() {
			continue
		}
		m.same[call.Key()] = append(m.same[call.Key()], i)
		if call.Whole() && call.PrintedAll() {
			m.whole[call.Paths[0].Name] = append(m.whole[call.Paths[0].Name], i)
		}
	}
	return m
}

// lastBelow returns the last of sorted numbers that is less than n, -1 if there is none.
func lastBelow(list []int, n int) int {
	if at := sort.SearchInts(list, n); at > 0 {
		return list[at-1]
	}
	return -1
}

func lastOfAll(list []int) int { return list[len(list)-1] }
