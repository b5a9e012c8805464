package shared

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"killick/cache"
)

// Whoever else can write to the store may have put anything there: what is under a name of ours is
// read up to a length, and read as nothing where it is no string.

// newest returns the first of the keys that has a value: its place among them from 1 on, the value,
// and for how many milliseconds it stays.
//
//	ARGV  how many bytes of a value are read
var newest = redis.NewScript(`
for i, key in ipairs(KEYS) do
  local value = redis.pcall('GETRANGE', key, 0, ARGV[1])
  if type(value) == 'string' and value ~= '' then
    return {i, value, redis.call('PTTL', key)}
  end
end
return false`)

// claim puts a form under a name that has none, and stamps the conversation. It returns 1 and the
// stamp before, or 0 and the form that is there.
//
//	KEYS  the form, the stamp, and the form that this one replaces, if any
//	ARGV  the form, for how long it stays (ms), the new stamp, its number of messages, for how
//	      long at most the form stays that is replaced (ms), and how many bytes of a form and of a
//	      stamp are read
var claim = redis.NewScript(`
local there = redis.pcall('GETRANGE', KEYS[1], 0, ARGV[6])
if type(there) == 'string' and there ~= '' then
  return {0, there}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local stamp = redis.pcall('GETRANGE', KEYS[2], 0, ARGV[7])
if type(stamp) ~= 'string' then
  stamp = ''
end
local before = string.match(stamp, '^%x+:(%d+)$') or '0'
local covers = math.max(tonumber(ARGV[4]), #before < 10 and tonumber(before) or 0)
redis.call('SET', KEYS[2], ARGV[3] .. ':' .. string.format('%d', covers), 'PX', ARGV[2])
if KEYS[3] and redis.call('PTTL', KEYS[3]) > tonumber(ARGV[5]) then
  redis.call('PEXPIRE', KEYS[3], ARGV[5])
end
return {1, stamp}`)

// loadScripts has the server know the scripts before the first request needs one.
func (c *Client) loadScripts(ctx context.Context) error {
	for _, script := range []*redis.Script{newest, claim} {
		if err := script.Load(ctx, c.redis).Err(); err != nil {
			return err
		}
	}
	return nil
}

// newStamp returns a stamp that no conversation had before, without its number of messages.
func newStamp() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// stampOf returns a whole stamp.
func stampOf(unique string, covers int) string { return unique + ":" + strconv.Itoa(covers) }

// covers returns how many messages a form of the stamped conversation covers at most; 0 without a
// stamp, and for one that says nothing of the kind.
func covers(stamp string) int {
	_, n, _ := strings.Cut(stamp, ":")
	most, err := strconv.Atoi(n)
	if err != nil || most < 0 || len(n) >= mostDigits {
		return 0
	}
	return most
}

// mostDigits bounds a number of messages, here and in the script.
const mostDigits = 10

// What is read of a record, of a stamp, of when a conversation was seen, and of what replicas
// agreed on. Ours are shorter; what somebody else put there may take all memory.
const (
	mostRecord = cache.MaxValueBytes + 1<<10
	mostStamp  = 64
	mostSmall  = 1 << 16
)

// getUpTo asks for so many bytes of what is under a name: none where nothing is.
func getUpTo(ctx context.Context, to redis.Cmdable, name string, most int64) *redis.StringCmd {
	return to.GetRange(ctx, name, 0, most-1)
}

// found is what the script newest returned.
type found struct {
	index  int // of the keys that were asked for; -1: none has a value
	record []byte
	left   time.Duration // for which it stays
}

var errReply = errors.New("the shared store gave an answer that makes no sense")

func (c *Client) newest(ctx context.Context, names []string) (found, error) {
	reply, err := newest.Run(ctx, c.redis, names, mostRecord-1).Slice()
	if errors.Is(err, redis.Nil) {
		return found{index: -1}, nil
	}
	if err != nil {
		return found{}, err
	}
	if len(reply) != 3 {
		return found{}, errReply
	}
	at, ok1 := reply[0].(int64)
	record, ok2 := reply[1].(string)
	left, ok3 := reply[2].(int64)
	if !ok1 || !ok2 || !ok3 || at < 1 || int(at) > len(names) {
		return found{}, errReply
	}
	return found{int(at) - 1, []byte(record), time.Duration(left) * time.Millisecond}, nil
}

// claimed is what the script claim returned.
type claimed struct {
	there  []byte // the form that was there first; nil: there was none
	before string // else the stamp before
}

// claimArguments are what the script claim is run with.
type claimArguments struct {
	form, stamp, replaced string // names; replaced may be empty
	record                []byte
	newStamp              string
	covers                int
	ttl                   time.Duration
}

// replacedShare is the part of a form's time to live that is left to it once another has replaced
// it: what retries and branches of the last hours still use. A store that is full and evicts what
// expires soonest removes these first.
const replacedShare = 8

func (a *claimArguments) keys() []string {
	keys := []string{a.form, a.stamp}
	if a.replaced != "" {
		keys = append(keys, a.replaced)
	}
	return keys
}

func (a *claimArguments) values() []any {
	return []any{a.record, a.ttl.Milliseconds(), a.newStamp, a.covers,
		(a.ttl / replacedShare).Milliseconds(), mostRecord - 1, mostStamp - 1}
}

func (c *Client) claim(ctx context.Context, a *claimArguments) (claimed, error) {
	return readClaimed(claim.Run(ctx, c.redis, a.keys(), a.values()...))
}

func readClaimed(cmd *redis.Cmd) (claimed, error) {
	reply, err := cmd.Slice()
	if err != nil {
		return claimed{}, err
	}
	if len(reply) != 2 {
		return claimed{}, errReply
	}
	ours, ok1 := reply[0].(int64)
	text, ok2 := reply[1].(string)
	switch {
	case !ok1 || !ok2:
		return claimed{}, errReply
	case ours == 1:
		return claimed{before: text}, nil
	}
	return claimed{there: []byte(text)}, nil
}
