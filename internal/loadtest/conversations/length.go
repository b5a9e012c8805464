package conversations

import (
	"context"
	"slices"
	"time"
)

// Length is how long requests take in a conversation of this many messages, whose form covers nine
// tenths of them.
type Length struct {
	Messages  int
	Elsewhere time.Duration // the first at a replica that has never seen it, the median
	Again     time.Duration // the next one there
	Trips     uint64        // the maximum of both
}

// Lengths measures growing conversations, each at several numbers of messages.
func Lengths(ctx context.Context, server *Server, messages []int, often int) ([]Length, error) {
	var replicas [2]*replica
	for i := range replicas {
		var err error
		if replicas[i], err = newReplica(ctx, server.URL); err != nil {
			return nil, err
		}
		defer func() { _ = replicas[i].close() }()
	}
	var all []Length
	for _, n := range messages {
		l := Length{Messages: n}
		var first, next []time.Duration
		form := size{40_000, 10_000}
		for i := range often {
			number := 1<<50 + n<<20 + i
			q := request{number: number, messages: n * 9 / 10, form: &form, writes: true}
			if _, err := q.run(ctx, replicas[0]); err != nil {
				return nil, err
			}
			for at, times := range []*[]time.Duration{&first, &next} {
				q := request{number: number, messages: n + 2*at}
				trips := ofRequests(replicas[1])
				if _, err := q.run(ctx, replicas[1]); err != nil {
					return nil, err
				}
				*times = append(*times, q.took)
				l.Trips = max(l.Trips, ofRequests(replicas[1])-trips)
			}
		}
		slices.Sort(first)
		slices.Sort(next)
		l.Elsewhere, l.Again = first[often/2], next[often/2]
		all = append(all, l)
	}
	return all, nil
}
