package shared

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Settings are what replicas must have in common besides their secret.
type Settings struct {
	Build    string            // replicas of different builds are not compared
	Sections map[string]string // as text, by name
}

// compareSettings logs that the replica that started last had other settings, and leaves this
// one's for the next. Only hashes are stored. Errors are ignored: nothing depends on it.
func (s *Store) compareSettings(ctx context.Context) {
	if s.Settings.Sections == nil {
		return
	}
	mine := s.hashed(s.Settings)
	record, err := getUpTo(ctx, s.client.redis, settingsName, maxSmallBytes).Result()
	if err != nil {
		return
	}
	var theirs Settings
	if record != "" && json.Unmarshal(s.open(settingsName, []byte(record)), &theirs) == nil &&
		theirs.Build == mine.Build {
		if differ := differing(mine.Sections, theirs.Sections); len(differ) > 0 {
			s.client.log.Warn("the replica that started before this one has other settings: give "+
				"all the same, otherwise they forward different bytes for one conversation, and "+
				"the provider's prompt cache is of less use", "differ", strings.Join(differ, ", "))
		}
	}
	if value, err := json.Marshal(mine); err == nil {
		s.client.redis.Set(ctx, settingsName, s.sealer.seal(settingsName, value), s.ttl)
	}
}

// hashed returns settings with the hashes of their sections.
func (s *Store) hashed(of Settings) Settings {
	hashes := map[string]string{}
	for name, text := range of.Sections {
		hashes[name] = s.sealer.hash("settings", text)
	}
	return Settings{Build: of.Build, Sections: hashes}
}

// differing returns the names of what differs, in order.
func differing(a, b map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	return names
}
