package config

import (
	"math"

	"killick/cache"
	"killick/cache/shared"
	"killick/compactor/prepare"
	"killick/compactor/settings"
	"killick/model"
	"killick/proxy"
	"killick/proxy/auth"
	"killick/proxy/cors"
	"killick/proxy/keepalive"
)

// Default returns the configuration without any file, variable or flag.
// Where a package has its own default, that one is used.
func Default() Config {
	timeouts := proxy.DefaultTimeouts()
	c := Config{
		Listen:    "127.0.0.1:8080",
		Admin:     Admin{Listen: "127.0.0.1:9464"},
		Upstream:  Upstream{BaseURL: "https://api.openai.com/v1", KeyHeader: auth.AsSent},
		Responses: Responses{WebSocket: WebSocketRefuse, Compact: CompactPass},
		Compaction: Compaction{
			Mode:          ModeOn,
			MinGain:       settings.DefaultMinGain,
			MinMaskTokens: settings.DefaultMinMaskTokens,
			SummaryBytes:  settings.DefaultSummaryBytes,
			Redact:        RedactSummaries,
			Summarizer:    "extractive",
			Prepare:       settings.DefaultPrepare,
			Expand:        ExpandOff,
			IdleAfter:     IdleByProvider,
		},
		Model: OwnModel{
			When:        WhenAlways,
			Identifiers: string(model.KeepIdentifiers),
			Timeout:     model.DefaultTimeout,
			MaxOutput:   model.DefaultMaxOutput,
			MaxCalls:    model.DefaultCallsPerHour,
			MaxSpend:    model.DefaultSpendPerHour,
		},
		Probe: Probe{
			Enabled:           true,
			Threshold:         0.6,
			HardFailThreshold: 0.35,
			MaxQuestions:      3,
			Timeout:           prepare.DefaultProbeTimeout,
			OnError:           OnErrorReject,
		},
		CacheKeepAlive: CacheKeepAlive{
			MaxRequests: keepalive.DefaultMaxRequests,
			MaxSpend:    keepalive.DefaultMaxSpend,
			MaxHeld:     keepalive.DefaultMaxHeld,
		},
		CORS: CORS{MaxAge: cors.DefaultMaxAge},
		Cache: Cache{Dir: "./data", TTL: cache.DefaultTTL, MaxSize: cache.DefaultMaxBytes,
			Timeout: shared.DefaultTimeout},
		Limits: Limits{MaxBody: proxy.DefaultMaxBody, MaxHeld: proxy.DefaultMaxHeld},
		Timeouts: Timeouts{
			Header:    timeouts.Header,
			KeepAlive: timeouts.KeepAlive,
			Stall:     timeouts.Stall,
			Connect:   timeouts.Connect,
			FirstByte: timeouts.FirstByte,
			Idle:      timeouts.Idle,
			Drain:     timeouts.Drain,
			Notice:    timeouts.Notice,
		},
		Log: Log{Level: "info", Format: "auto"},
	}
	c.Compaction.SetProfile(DefaultProfile)
	return c
}

// The profiles that other code refers to.
const (
	autoProfile     = "auto"
	balancedProfile = "balanced"

	// DefaultProfile applies unless another is named.
	DefaultProfile = autoProfile
)

// Profiles are the names of the profiles.
var Profiles = []string{autoProfile, "guard", balancedProfile, "saver"}

// SetProfile sets all keys that a profile defines. It reports whether there is a profile of that
// name.
func (c *Compaction) SetProfile(name string) bool {
	setUp, ok := profiles[name]
	if ok {
		setUp(c)
	}
	return ok
}

// profiles are named starting points: one that follows from the model's prices, and fixed ones
// that range from acting only before an overflow to the smallest bill.
var profiles = map[string]func(*Compaction){
	autoProfile: func(c *Compaction) {
		c.Profile, c.Trigger, c.Target, c.Protect = autoProfile, Auto, Auto, 0.3
		c.RecordTokens, c.IndexTokens, c.WorkingSet, c.Ingest = 8000, 1000, 1000, 2000
	},
	"guard": func(c *Compaction) {
		c.Profile, c.Trigger, c.Target, c.Protect = "guard", 0.9, 0.6, 0.5
		c.RecordTokens, c.IndexTokens, c.WorkingSet, c.Ingest = 8000, 1000, 0, 0
	},
	balancedProfile: func(c *Compaction) {
		c.Profile, c.Protect = balancedProfile, settings.DefaultProtect
		c.Trigger, c.Target = settings.DefaultTrigger, settings.DefaultTarget
		c.RecordTokens, c.IndexTokens, c.WorkingSet, c.Ingest = 8000, 1000, 0, 0
	},
	// Chosen on half of the recorded sessions: docs/tuning.md.
	"saver": func(c *Compaction) {
		c.Profile, c.Trigger, c.Target, c.Protect = "saver", 20000, 4000, 0.3
		c.RecordTokens, c.IndexTokens, c.WorkingSet, c.Ingest = 8000, 3000, 3000, 2000
	},
}

// FollowingTarget returns the target for a trigger in the profile's ratio.
func FollowingTarget(profile string, trigger Amount) (Amount, bool) {
	var usual Compaction
	if !usual.SetProfile(profile) {
		return 0, false
	}
	if trigger == Auto {
		return Auto, true
	}
	if usual.Trigger == Auto {
		usual.SetProfile(balancedProfile)
	}
	t := trigger * usual.Target / usual.Trigger
	if t > 1 {
		t = Amount(math.Round(float64(t)))
	}
	return t, true
}
