// Package config is the configuration: its keys and their defaults, reading it from a
// file, variables and flags, checking all of it, and printing it. It starts nothing,
// and no message of it shows a credential.
package config

import (
	"path/filepath"
	"time"

	"killick/compactor/plan"
	"killick/compactor/settings"
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
	Upstreams  []UpstreamEntry      `yaml:"upstreams"` // in its place, if any
	Responses  Responses            `yaml:"responses"`
	Compaction Compaction           `yaml:"compaction"`
	Model      OwnModel             `yaml:"model"`
	Probe      Probe                `yaml:"probe"`
	Models     map[string]ModelSpec `yaml:"models"`
	PricesFile PricesFile           `yaml:"prices_file"` // if empty, the table that is built in

	CacheKeepAlive CacheKeepAlive `yaml:"cache_keepalive"`

	Isolation Isolation `yaml:"isolation"`
	CORS      CORS      `yaml:"cors"`
	Cache     Cache     `yaml:"cache"`
	Limits    Limits    `yaml:"limits"`
	Timeouts  Timeouts  `yaml:"timeouts"`
	Log       Log       `yaml:"log"`
	Debug     Debug     `yaml:"debug"`
}

// Admin is the listener for metrics and the admin API.
type Admin struct {
	Listen string `yaml:"listen"` // if empty, there is none
	// asked of whoever comes, health checks excepted; needed beyond loopback
	Token Secret `yaml:"token"`
	TLS   TLS    `yaml:"tls"`
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

// Responses is what is special about the responses API.
type Responses struct {
	WebSocket string `yaml:"websocket"` // refuse or pass
	Compact   string `yaml:"compact"`   // pass or answer
}

// What becomes of a request to speak WebSocket.
const (
	WebSocketRefuse = "refuse"
	WebSocketPass   = "pass"
)

// What becomes of a request for compaction.
const (
	CompactPass   = "pass"
	CompactAnswer = "answer" // for upstreams that have no compaction
)

// CORS says which web pages may call the proxy.
type CORS struct {
	Origins     []string      `yaml:"origins"`     // if empty, that is the upstream's to say
	Credentials bool          `yaml:"credentials"` // cookies too
	MaxAge      time.Duration `yaml:"max_age"`     // of a browser's memory of the answer
}

// Compaction says when a request is compacted and how far.
type Compaction struct {
	Mode Mode `yaml:"mode"`
	// auto, guard, balanced or saver: the defaults of what follows
	Profile string `yaml:"profile"`
	Trigger Amount `yaml:"trigger"`
	Target  Amount `yaml:"target"`
	// share of the trigger that a compaction must save
	MinGain float64 `yaml:"min_gain"`
	// what the newest turns keep whole, at most: a share of the target, or tokens
	Protect Amount `yaml:"protect"`
	// the newest turns that stay whole whatever the target
	ProtectTurns  int `yaml:"protect_turns"`
	MinMaskTokens int `yaml:"min_mask_tokens"` // smaller tool outputs are never masked
	SummaryChars  int `yaml:"summary_chars"`   // bound of a summary
	// up to here new turns get a record of their own behind the others; 0 for one record always
	RecordTokens int `yaml:"record_tokens"`
	// what a record may take to index references by the call that showed them; 0 for none
	IndexTokens int `yaml:"index_tokens"`
	// what lines of files may take that are shown behind the records; 0 for none
	WorkingSet int `yaml:"working_set"`
	// outputs of more tokens are shortened on arrival; 0 for never
	Ingest int `yaml:"ingest"`
	// a conversation that rested so long is compacted early
	IdleAfter Idle `yaml:"idle_after"`
	// whose outputs are never masked; names or patterns
	ExcludeTools []string `yaml:"exclude_tools"`
	// what survives word for word: a text, re: and an expression, tool: and a name or pattern
	Pin        []string  `yaml:"pin"`
	Redact     Redaction `yaml:"redact"`     // credentials, from summaries
	Summarizer string    `yaml:"summarizer"` // extractive, model or provider
	// how far from target to trigger a model writes the next summary
	Prepare float64   `yaml:"prepare"`
	Expand  Expansion `yaml:"expand"`
}

// Who writes for records.
const (
	SummarizerRules    = "extractive" // rules alone
	SummarizerModel    = "model"      // a model, statements that are verified
	SummarizerProvider = "provider"   // the provider's API, a summary of its own
)

// OwnModel is asked for statements about old turns, and for all else where the probe
// has no model of its own.
type OwnModel struct {
	Name    string `yaml:"name"`     // if empty, the client's own model and key
	BaseURL string `yaml:"base_url"` // if empty, the upstream
	APIKey  Secret `yaml:"api_key"`

	// always, or window: only where the window may be missed otherwise
	When string `yaml:"when"`
	// the operator's guidance; once read, never a reference
	Instructions string `yaml:"instructions"`
	Identifiers  string `yaml:"identifiers"` // keep or redact, in what is written

	Window    int           `yaml:"window"`     // in tokens; if zero, the published one
	Timeout   time.Duration `yaml:"timeout"`    // of one call
	MaxOutput int           `yaml:"max_output"` // tokens of an answer
	// for a conversation within an hour; 0 for any number
	MaxCalls int     `yaml:"max_calls"`
	MaxSpend float64 `yaml:"max_spend"` // US dollars, likewise
}

// Probe says how a record is tested before it replaces anything.
type Probe struct {
	Enabled bool `yaml:"enabled"`
	// at or above it what a model wrote passes
	Threshold float64 `yaml:"threshold"`
	// below it that, or the record, is not used
	HardFailThreshold float64       `yaml:"hard_fail_threshold"`
	MaxQuestions      int           `yaml:"max_questions"` // asked of a model
	Timeout           time.Duration `yaml:"timeout"`       // of questions, answers and grades
	// accept or reject what could not be probed
	OnError string     `yaml:"on_error"`
	Model   ProbeModel `yaml:"model"`
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

	URL      StoreURL      `yaml:"url"`       // of a store that replicas share; if empty, none
	Timeout  time.Duration `yaml:"timeout"`   // of a request, for the shared store
	Password Secret        `yaml:"password"`  // in the place of the URL's
	CAFile   string        `yaml:"ca_file"`   // PEM: authorities to trust beside the system's
	CertFile string        `yaml:"cert_file"` // PEM: what we show of ourselves, with its key
	KeyFile  string        `yaml:"key_file"`  //
}

// CacheKeepAlive says what may be spent on keeping prompt caches of idle conversations alive.
type CacheKeepAlive struct {
	Enabled     bool    `yaml:"enabled"`
	MaxRequests int     `yaml:"max_requests"` // in one rest of a conversation
	MaxSpend    float64 `yaml:"max_spend"`    // US dollars within an hour, over all
	MaxHeld     Size    `yaml:"max_held"`     // of requests that are held for it
}

// Limits are bounds on what clients send.
type Limits struct {
	MaxBody Size `yaml:"max_body"` // of a chat request, decoded
	MaxHeld Size `yaml:"max_held"` // of all chat requests at once
	Memory  Size `yaml:"memory"`   // for what is known of conversations; if zero, by GOMEMLIMIT
}

// Timeouts bound waiting.
type Timeouts struct {
	Header    time.Duration `yaml:"header"`     // for a client's headers
	KeepAlive time.Duration `yaml:"keep_alive"` // between requests on a client's connection
	Stall     time.Duration `yaml:"stall"`      // for a client to take what is written to it
	Connect   time.Duration `yaml:"connect"`    // for a connection to the upstream
	FirstByte time.Duration `yaml:"first_byte"` // for the head of the upstream's reply
	Idle      time.Duration `yaml:"idle"`       // of silence within the upstream's reply
	// of an unready proxy that still serves, at shutdown; 0 for none
	Notice time.Duration `yaml:"notice"`
	Drain  time.Duration `yaml:"drain"` // for running requests at shutdown
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

// What becomes of verified statements that could not be probed.
const (
	OnErrorAccept = "accept" // they are used, and told to be unprobed
	OnErrorReject = "reject" // the record is the one by structure
)

// When a model is asked.
const (
	WhenAlways = "always"
	WhenWindow = "window"
)

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
	b := (&Config{Compaction: *c}).Policy().
		Budget(settings.Window{Tokens: window, Reserve: reserve}, 1, plan.Prices{})
	return b.Trigger, b.Target
}
