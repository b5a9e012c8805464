package probe

import (
	"slices"
	"testing"

	"killick/chat"
)

// WrittenTalks are the conversations written for the tests, by name, for those that stand outside the package.
func WrittenTalks(t testing.TB) map[string][]chat.Message {
	out := map[string][]chat.Message{}
	for _, sc := range slices.Concat(scenarios, moreScenarios, lateScenarios) {
		out[sc.name] = script(t, sc.talk)
	}
	return out
}
