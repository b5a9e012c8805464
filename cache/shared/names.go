package shared

import (
	"encoding/base64"
	"strings"

	"killick/cache"
)

// Every name in the shared store begins with space, whose number changes with the stored format.
// Names of one conversation have the same hash tag, so that a cluster stores them on one node:
//
//	killick:1:{OWNER.CONVERSATION}:f:PREFIX   the form of a prefix
//	killick:1:{OWNER.CONVERSATION}:s          the stamp: replaced with each form
//	killick:1:{OWNER.CONVERSATION}:v          when the conversation was last seen
//	killick:1:{OWNER.ORIGINAL}:o              an original
//	killick:1:claim:NAME                      work that a replica has claimed
//	killick:1:sum:NAME                        what was counted or spent in an hour
//	killick:1:secret, :check, :events         of all replicas
//	killick:1:settings                        hashes of those of the replica that started last
//
// OWNER, CONVERSATION, PREFIX and ORIGINAL are hashes under the replicas' secret.
const space = "killick:1:"

const (
	secretName = space + "secret"
	checkName  = space + "check"
	eventsName = space + "events"
	unusedName = space + "unused" // never written

	settingsName = space + "settings"
)

// hashBytes is how much of a hash is in a name.
const hashBytes = 16

var encode = base64.RawURLEncoding.EncodeToString

// tag identifies a conversation, by the keys of its prefixes.
func tag(keys []cache.Key) string { return tagOf(keys[min(1, len(keys)-1)]) }

// tagOf is tag by the key of the first message.
func tagOf(first cache.Key) string {
	owner, chain := first.Split()
	return ownerTag(owner) + encode(chain[:hashBytes])
}

// tagIn returns the tag in a name, "" if there is none.
func tagIn(name string) string {
	_, rest, _ := strings.Cut(name, "{")
	tag, _, _ := strings.Cut(rest, "}")
	return tag
}

func ownerTag(owner [16]byte) string { return encode(owner[:]) + "." }

func formName(tag string, key cache.Key) string {
	_, chain := key.Split()
	return space + "{" + tag + "}:f:" + encode(chain[:hashBytes])
}

func stampName(tag string) string    { return space + "{" + tag + "}:s" }
func lastSeenName(tag string) string { return space + "{" + tag + "}:v" }

// originalName is the name of an original of who, by a ref that is a keyed hash itself.
func originalName(who, ref string) string {
	return space + "{" + ownerTag(cache.Owner(who)) + ref + "}:o"
}

// ownedPattern matches the names of all records of who, and of no other.
func ownedPattern(who string) string { return space + "{" + ownerTag(cache.Owner(who)) + "*" }

// allPattern matches the names of all records of all owners.
const allPattern = space + "{*"
