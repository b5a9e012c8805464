package main

import (
	"path/filepath"
	"time"

	"killick/cache"
	"killick/compactor"
	"killick/model"
)

// Config is everything an operator can set. The yaml tags are the keys of the
// file; config.example.yaml explains each and is held equal to Default by a
// test. Sources in order of weight: flags, KILLICK_* variables, the file, the
// profile, Default.
type Config struct {
	Listen     string               `yaml:"listen"`
	H2C        bool                 `yaml:"h2c"` // HTTP/2 without TLS from clients, beside HTTP/1.1
	TLS        TLS                  `yaml:"tls"`
	Auth       Auth                 `yaml:"auth"`
	Admin      Admin                `yaml:"admin"`
	Upstream   Upstream             `yaml:"upstream"`
	Compaction Compaction           `yaml:"compaction"`
	Model      OwnModel             `yaml:"model"`
	Probe      Probe                `yaml:"probe"`
	Models     map[string]ModelSpec `yaml:"models"`
	Isolation  Isolation            `yaml:"isolation"`
	CORS       CORS                 `yaml:"cors"`
	Cache      Cache                `yaml:"cache"`
	Limits     Limits               `yaml:"limits"`
	Timeouts   Timeouts             `yaml:"timeouts"`
	Log        Log                  `yaml:"log"`
	Debug      Debug                `yaml:"debug"`
}

// Admin is the listener for metrics and the admin API.
type Admin struct {
	Listen string `yaml:"listen"` // if empty, there is none
	Token  Secret `yaml:"token"`  // asked of whoever comes, health checks excepted; needed beyond loopback
	TLS    TLS    `yaml:"tls"`
}

// Upstream is the API that requests are forwarded to.
type Upstream struct {
	BaseURL string `yaml:"base_url"`
	APIKey  Secret `yaml:"api_key"` // if empty, the client's own key passes through

	Proxy       ProxyURL `yaml:"proxy"`        // on the way there; if empty, the environment says
	CAFile      string   `yaml:"ca_file"`      // PEM: authorities to trust beside the system's
	CertFile    string   `yaml:"cert_file"`    // PEM: what we show of ourselves, with its key
	KeyFile     string   `yaml:"key_file"`     //
	H2C         bool     `yaml:"h2c"`          // HTTP/2 without TLS
	StrictTurns bool     `yaml:"strict_turns"` // its chat templates refuse two user turns in a row
}

// CORS says which web pages may call the proxy.
type CORS struct {
	Origins     []string      `yaml:"origins"`     // if empty, that is the upstream's to say
	Credentials bool          `yaml:"credentials"` // cookies too
	MaxAge      time.Duration `yaml:"max_age"`     // of a browser's memory of the answer
}

// Compaction says when a request is compacted and how far.
type Compaction struct {
	Mode          Mode          `yaml:"mode"`
	Profile       string        `yaml:"profile"` // guard, balanced or saver: the defaults of what follows
	Trigger       Amount        `yaml:"trigger"`
	Target        Amount        `yaml:"target"`
	MinGain       float64       `yaml:"min_gain"`        // share of the trigger that a compaction must save
	Protect       Amount        `yaml:"protect"`         // what the newest turns keep whole, at most: a share of the target, or tokens
	ProtectTurns  int           `yaml:"protect_turns"`   // the newest turns that stay whole whatever the target
	MinMaskTokens int           `yaml:"min_mask_tokens"` // smaller tool outputs are never masked
	SummaryChars  int           `yaml:"summary_chars"`   // bound of a summary
	RecordTokens  int           `yaml:"record_tokens"`   // up to here new turns get a record of their own behind the others; 0 for one record always
	IndexTokens   int           `yaml:"index_tokens"`    // what a record may take to index references by the call that showed them; 0 for none
	Ingest        int           `yaml:"ingest"`          // outputs of more tokens are shortened on arrival; 0 for never
	IdleAfter     time.Duration `yaml:"idle_after"`      // a conversation that rested so long is compacted early; 0 for never
	ExcludeTools  []string      `yaml:"exclude_tools"`   // whose outputs are never masked; names or patterns
	Pin           []string      `yaml:"pin"`             // what survives word for word: a text, re: and an expression, tool: and a name or pattern
	Redact        Redaction     `yaml:"redact"`          // credentials, from summaries
	Summarizer    string        `yaml:"summarizer"`      // extractive or model
	Prepare       float64       `yaml:"prepare"`         // how far from target to trigger a model writes the next summary
}

// OwnModel is asked for statements about old turns, and for all else where the probe
// has no model of its own.
type OwnModel struct {
	Name    string `yaml:"name"`     // if empty, the client's own model and key
	BaseURL string `yaml:"base_url"` // if empty, the upstream
	APIKey  Secret `yaml:"api_key"`

	When         string `yaml:"when"`         // always, or window: only where the window may be missed otherwise
	Instructions string `yaml:"instructions"` // the operator's guidance; once read, never a reference
	Identifiers  string `yaml:"identifiers"`  // keep or redact, in what is written

	Window    int           `yaml:"window"`     // in tokens; if zero, the published one
	Timeout   time.Duration `yaml:"timeout"`    // of one call
	MaxOutput int           `yaml:"max_output"` // tokens of an answer
	MaxCalls  int           `yaml:"max_calls"`  // for a conversation within an hour; 0 for any number
	MaxSpend  float64       `yaml:"max_spend"`  // US dollars, likewise
}

// Probe says how a record is tested before it replaces anything.
type Probe struct {
	Enabled           bool          `yaml:"enabled"`
	Threshold         float64       `yaml:"threshold"`           // at or above it what a model wrote passes
	HardFailThreshold float64       `yaml:"hard_fail_threshold"` // below it that, or the record, is not used
	MaxQuestions      int           `yaml:"max_questions"`       // asked of a model
	Timeout           time.Duration `yaml:"timeout"`             // of questions, answers and grades
	OnError           string        `yaml:"on_error"`            // accept or reject what could not be probed
	Model             ProbeModel    `yaml:"model"`
}

// ProbeModel is asked to verify what another model wrote, to answer from it, and to
// grade the answers.
type ProbeModel struct {
	Name    string `yaml:"name"`     // if empty, the model that wrote
	BaseURL string `yaml:"base_url"` // if empty, the upstream
	APIKey  Secret `yaml:"api_key"`
}

// Cache is the store of checkpoints and of the originals of masked outputs.
type Cache struct {
	Dir        string        `yaml:"dir"`
	TTL        time.Duration `yaml:"ttl"`      // since last use
	MaxSize    Size          `yaml:"max_size"` // of Dir
	InMemory   bool          `yaml:"in_memory"`
	SecretFile string        `yaml:"secret_file"` // if empty, Dir with ".secret" appended

	EncryptionKeyFile string `yaml:"encryption_key_file"` // if empty, the store is not encrypted
}

// Limits are bounds on what clients send.
type Limits struct {
	MaxBody Size `yaml:"max_body"` // of a chat request, decoded
	MaxHeld Size `yaml:"max_held"` // of all chat requests at once
}

// Timeouts bound waiting.
type Timeouts struct {
	Header    time.Duration `yaml:"header"`     // for a client's headers
	KeepAlive time.Duration `yaml:"keep_alive"` // between requests on a client's connection
	Stall     time.Duration `yaml:"stall"`      // for a client to take what is written to it
	Connect   time.Duration `yaml:"connect"`    // for a connection to the upstream
	FirstByte time.Duration `yaml:"first_byte"` // for the head of the upstream's reply
	Idle      time.Duration `yaml:"idle"`       // of silence within the upstream's reply
	Notice    time.Duration `yaml:"notice"`     // of an unready proxy that still serves, at shutdown; 0 for none
	Drain     time.Duration `yaml:"drain"`      // for running requests at shutdown
}

// Log says what is logged to standard error.
type Log struct {
	Level  string `yaml:"level"`  // debug, info, warn or error
	Format string `yaml:"format"` // auto, text or json
}

// Debug is for finding out why a summary is as it is.
type Debug struct {
	DumpDir string `yaml:"dump_dir"` // if empty, nothing is dumped
}

// Default returns the configuration without any file, variable or flag.
func Default() Config {
	c := Config{
		Listen:   "127.0.0.1:8080",
		Admin:    Admin{Listen: "127.0.0.1:9464"},
		Upstream: Upstream{BaseURL: "https://api.openai.com/v1"},
		Compaction: Compaction{
			Mode:          ModeOn,
			MinGain:       0.05,
			MinMaskTokens: 150,
			SummaryChars:  16000,
			Redact:        RedactSummaries,
			Summarizer:    "extractive",
			Prepare:       0.75,
		},
		Model: OwnModel{
			When:        whenAlways,
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
			Timeout:           15 * time.Second,
			OnError:           onErrorReject,
		},
		CORS:   CORS{MaxAge: 10 * time.Minute},
		Cache:  Cache{Dir: "./data", TTL: 168 * time.Hour, MaxSize: cache.DefaultMaxBytes},
		Limits: Limits{MaxBody: 64 << 20, MaxHeld: 512 << 20},
		Timeouts: Timeouts{
			Header:    10 * time.Second,
			KeepAlive: 2 * time.Minute,
			Stall:     5 * time.Minute,
			Connect:   10 * time.Second,
			FirstByte: 10 * time.Minute,
			Idle:      10 * time.Minute,
			Drain:     30 * time.Second,
		},
		Log: Log{Level: "info", Format: "auto"},
	}
	profiles[defaultProfile](&c.Compaction)
	return c
}

// What becomes of verified statements that could not be probed.
const (
	onErrorAccept = "accept" // they are used, and told to be unprobed
	onErrorReject = "reject" // the record is the one by structure
)

// When a model is asked.
const (
	whenAlways = "always"
	whenWindow = "window"
)

const defaultProfile = "balanced"

// profiles are named starting points between never touching a request before
// it would overflow and the smallest bill.
var profiles = map[string]func(*Compaction){
	"guard": func(c *Compaction) {
		c.Profile, c.Trigger, c.Target, c.Protect = "guard", 0.9, 0.6, 0.5
		c.RecordTokens, c.IndexTokens, c.Ingest = 8000, 1000, 0
	},
	"balanced": func(c *Compaction) {
		c.Profile, c.Trigger, c.Target, c.Protect = "balanced", 0.6, 0.35, 0.4
		c.RecordTokens, c.IndexTokens, c.Ingest = 8000, 1000, 0
	},
	// Chosen on half of the recorded sessions: docs/benchmarks.md.
	"saver": func(c *Compaction) {
		c.Profile, c.Trigger, c.Target, c.Protect = "saver", 20000, 4000, 0.3
		c.RecordTokens, c.IndexTokens, c.Ingest = 8000, 3500, 2000
	},
}

// SecretPath returns where the store's secret lies.
func (c *Cache) SecretPath() string {
	if c.SecretFile != "" {
		return c.SecretFile
	}
	return filepath.Clean(c.Dir) + ".secret"
}

// Budget returns above how many tokens a request to a model with that window
// is compacted, and how many a compaction aims for. The output reserve never
// counts as room for input.
func (c *Compaction) Budget(window, reserve int) (trigger, target int) {
	b := compactor.Policy{Trigger: compactor.Size(c.Trigger), Target: compactor.Size(c.Target)}.
		Budget(compactor.Window{Tokens: window, Reserve: reserve}, 1)
	return b.Trigger, b.Target
}
