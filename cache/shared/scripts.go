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
)

// Other writers may have put anything into the store: values are read up to a length, and count as
// absent if they are not strings.

// newest returns the first of the keys that has a value: its index, counted from 1, the value, and
// its time to live in milliseconds.
//
//	ARGV  the maximum bytes of a value to read
var newest = redis.NewScript(`
for i, key in ipairs(KEYS) do
  local value = redis.pcall('GETRANGE', key, 0, ARGV[1])
  if type(value) == 'string' and value ~= '' then
    return {i, value, redis.call('PTTL', key)}
  end
end
return false`)

// claim stores a form under a name that has none, and stamps the conversation. It returns 1 and the
// previous stamp, or 0 and the existing form.
//
//	KEYS  the form, the stamp, and the form that this one replaces, if any
//	ARGV  the form, its time to live (ms), the new stamp, its number of messages, the maximum
//	      time to live of the replaced form (ms), and how many bytes of a form and stamp to read
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

// loadScripts loads the scripts into the server before the first request needs one.
func (c *Client) loadScripts(ctx context.Context) error {
	for _, script := range []*redis.Script{newest, claim} {
		if err := script.Load(ctx, c.redis).Err(); err != nil {
			return err
		}
	}
	return nil
}

// newStamp returns a unique stamp, without its number of messages.
func newStamp() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// stampOf returns a complete stamp.
func stampOf(unique string, covers int) string { return unique + ":" + strconv.Itoa(covers) }

// covers returns the maximum number of messages that a form of the stamped conversation covers; 0
// without a valid stamp.
func covers(stamp string) int {
	_, n, _ := strings.Cut(stamp, ":")
	most, err := strconv.Atoi(n)
	if err != nil || most < 0 || len(n) >= maxDigits {
		return 0
	}
	return most
}

// maxDigits bounds a number of messages, here and in the script.
const maxDigits = 10

// Maximum lengths read of a stamp and a last-seen time, and of what replicas agreed on. As for
// records, ours are shorter.
const (
	maxStampBytes = 64
	maxSmallBytes = 1 << 16
)

// getUpTo asks for at most this many bytes of a value: none if it is absent.
func getUpTo(ctx context.Context, to redis.Cmdable, name string, most int64) *redis.StringCmd {
	return to.GetRange(ctx, name, 0, most-1)
}

// found is what the script newest returned.
type found struct {
	index  int // among the requested keys; -1: none has a value
	record []byte
	left   time.Duration // time to live
}

var errReply = errors.New("the shared store gave an invalid answer")

func (c *Client) newest(ctx context.Context, names []string) (found, error) {
	reply, err := newest.Run(ctx, c.redis, names, c.maxRecord-1).Slice()
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
	there  []byte // the existing form; nil: there was none
	before string // else the previous stamp
}

// claimArguments are the arguments of the script claim.
type claimArguments struct {
	form, stamp, replaced string // names; replaced may be empty
	record                []byte
	newStamp              string
	covers                int
	ttl                   time.Duration
}

// replacedShare is the fraction of its time to live that a replaced form keeps, for retries and
// branches of the last hours. A full store that evicts what expires soonest removes these first.
const replacedShare = 8

func (a *claimArguments) keys() []string {
	keys := []string{a.form, a.stamp}
	if a.replaced != "" {
		keys = append(keys, a.replaced)
	}
	return keys
}

func (a *claimArguments) values(maxRecord int64) []any {
	return []any{a.record, a.ttl.Milliseconds(), a.newStamp, a.covers,
		(a.ttl / replacedShare).Milliseconds(), maxRecord - 1, maxStampBytes - 1}
}

func (c *Client) claim(ctx context.Context, a *claimArguments) (claimed, error) {
	return readClaimed(claim.Run(ctx, c.redis, a.keys(), a.values(c.maxRecord)...))
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
