package fakemessages

import (
	"fmt"
	"testing"
)

// Many conversations at once, each with its own cache: what one reads depends on no other.
func TestConversationsAtOnce(t *testing.T) {
	s := start(t, Config{})
	reads := make([]int, 8)
	t.Run("at once", func(t *testing.T) {
		for i := range reads {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				messages := []string{parts(0, 3)}
				for range 5 {
					m := accepted(t, s, bodyOf(checks, `"cache_control":{"type":"ephemeral"}`,
						messages...), "X-Api-Key", fmt.Sprint("key", i))
					reads[i] += m.Usage.CacheReadTokens
					messages = append(messages, turnOf("assistant", texts(m.Content)...), hi)
				}
			})
		}
	})
	for i, n := range reads {
		if n == 0 || n != reads[0] {
			t.Errorf("conversation %d reads %d tokens, want the %d of the first", i, n, reads[0])
		}
	}
}
