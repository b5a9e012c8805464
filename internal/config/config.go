// Package config is the configuration: its keys and their defaults, how each value is written, and
// what they mean to the packages that they configure. It starts nothing, and a credential in it
// never prints.
package config

import (
	"path/filepath"
	"strings"
	"time"

	"killick/prices"
	"killick/proxy/auth"
)

// Config is everything an operator can set. The yaml tags are the keys of the
// file; config.example.yaml explains each, and a test keeps it equal to Default.
// Sources in order of precedence: flags, KILLICK_* variables, the file, the
// profile, Default.
type Config struct {
	Listen     string               `yaml:"listen"`
	H2C        bool                 `yaml:"h2c"` // HTTP/2 without TLS from clients
	TLS        TLS                  `yaml:"tls"`
	Auth       Auth                 `yaml:"auth"`
	Admin      Admin                `yaml:"admin"`
	Upstream   Upstream             `yaml:"upstream"`
	Upstreams  []UpstreamEntry      `yaml:"upstreams"` // replaces Upstream, if any
	Responses  Responses            `yaml:"responses"`
	Compaction Compaction           `yaml:"compaction"`
	Model      OwnModel             `yaml:"model"`
	Probe      Probe                `yaml:"probe"`
	Models     map[string]ModelSpec `yaml:"models"`
	PricesFile PricesFile           `yaml:"prices_file"` // if empty, the built-in table

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
	// required of clients, except for health checks; mandatory beyond loopback
	Token Secret `yaml:"token"`
	TLS   TLS    `yaml:"tls"`
}

// Upstream is the API that requests are forwarded to.
type Upstream struct {
	BaseURL string `yaml:"base_url"`
	APIKey  Secret `yaml:"api_key"` // if empty, the client's own key is forwarded
	// the header of api_key: authorization, x-api-key, x-goog-api-key, api-key or as_sent
	KeyHeader auth.KeyHeader `yaml:"key_header"`

	Proxy       ProxyURL `yaml:"proxy"`        // outbound; if empty, from the environment
	CAFile      string   `yaml:"ca_file"`      // PEM: CAs to trust in addition to the system's
	CertFile    string   `yaml:"cert_file"`    // PEM: our client certificate, with its key
	KeyFile     string   `yaml:"key_file"`     //
	H2C         bool     `yaml:"h2c"`          // HTTP/2 without TLS
	StrictTurns bool     `yaml:"strict_turns"` // its chat templates reject two user turns in a row
}

// UpstreamEntry is one of several upstreams. A request goes to the first one that matches it.
type UpstreamEntry struct {
	Name    string `yaml:"name"` // in logs, metrics and auth.keys
	BaseURL string `yaml:"base_url"`
	APIKey  Secret `yaml:"api_key"` // if empty, the client's own key is forwarded
	// the header of api_key: authorization, x-api-key, x-goog-api-key, api-key or as_sent;
	// if empty, as_sent
	KeyHeader auth.KeyHeader `yaml:"key_header"`

	// chat, messages, responses, gemini, converse, ollama, other; if empty, all
	Formats []string `yaml:"formats"`
	Paths   []string `yaml:"paths"`  // prefixes of the path; if empty, any
	Models  []string `yaml:"models"` // names or patterns; if empty, any

	Proxy       ProxyURL `yaml:"proxy"`
	CAFile      string   `yaml:"ca_file"`
	CertFile    string   `yaml:"cert_file"`
	KeyFile     string   `yaml:"key_file"`
	H2C         bool     `yaml:"h2c"`
	StrictTurns bool     `yaml:"strict_turns"`
}

// Responses has the settings of the Responses API only.
type Responses struct {
	WebSocket string `yaml:"websocket"` // refuse or pass
	Compact   string `yaml:"compact"`   // pass or answer
}

// How WebSocket upgrades of /v1/responses are handled.
const (
	WebSocketRefuse = "refuse"
	WebSocketPass   = "pass"
)

// How requests for compaction are handled.
const (
	CompactPass   = "pass"
	CompactAnswer = "answer" // for upstreams without compaction
)

// CORS says which web pages may call the proxy.
type CORS struct {
	Origins     []string      `yaml:"origins"`     // if empty, the upstream decides
	Credentials bool          `yaml:"credentials"` // cookies too
	MaxAge      time.Duration `yaml:"max_age"`     // how long browsers may cache the answer
}

// Compaction says when a request is compacted and how far.
type Compaction struct {
	Mode Mode `yaml:"mode"`
	// auto, guard, balanced or saver: sets the defaults of the fields below
	Profile string `yaml:"profile"`
	Trigger Amount `yaml:"trigger"`
	Target  Amount `yaml:"target"`
	// share of the trigger that a compaction must save
	MinGain float64 `yaml:"min_gain"`
	// up to this size the newest turns are not masked: a share of the target, or tokens
	Protect Amount `yaml:"protect"`
	// the number of newest turns that are neither masked nor folded, whatever their size
	ProtectTurns  int `yaml:"protect_turns"`
	MinMaskTokens int `yaml:"min_mask_tokens"` // smaller tool outputs are never masked
	SummaryBytes  int `yaml:"summary_bytes"`   // bound of a record
	// up to this size new turns get a separate record after the others; 0 for one record always
	RecordTokens int `yaml:"record_tokens"`
	// maximum size of a record's index of references; 0 for none
	IndexTokens int `yaml:"index_tokens"`
	// maximum size of the working set, lines of files shown after the records; 0 for none
	WorkingSet int `yaml:"working_set"`
	// outputs of more tokens are truncated on arrival, those of commands and searches from half of
	// it on; 0 for never
	Ingest int `yaml:"ingest"`
	// a conversation that was idle for this long is compacted early
	IdleAfter Idle `yaml:"idle_after"`
	// tools whose outputs are never masked; names or patterns
	ExcludeTools []string `yaml:"exclude_tools"`
	// what is kept verbatim: a text, re: and an expression, tool: and a name or pattern
	Pin        []string  `yaml:"pin"`
	Redact     Redaction `yaml:"redact"`     // credentials, from summaries
	Summarizer string    `yaml:"summarizer"` // extractive, model or provider
	// how far from target to trigger a model writes the next summary
	Prepare float64   `yaml:"prepare"`
	Expand  Expansion `yaml:"expand"`
}

// Who writes for records.
const (
	SummarizerRules    = "extractive" // rules only
	SummarizerModel    = "model"      // statements by a model, verified
	SummarizerProvider = "provider"   // a summary by the provider's API
)

// OwnModel is asked for statements about old turns, and for everything else if the probe
// has no separate model.
type OwnModel struct {
	Name    string `yaml:"name"`     // if empty, the client's own model and key
	BaseURL string `yaml:"base_url"` // if empty, the upstream
	APIKey  Secret `yaml:"api_key"`

	// always, or window: only if the window may be exceeded otherwise
	When string `yaml:"when"`
	// the operator's guidance; after loading, the text itself
	Instructions string `yaml:"instructions"`
	Identifiers  string `yaml:"identifiers"` // keep or redact, in what is written

	Window    int           `yaml:"window"`     // in tokens; if zero, the published one
	Timeout   time.Duration `yaml:"timeout"`    // of one call
	MaxOutput int           `yaml:"max_output"` // tokens of an answer
	// per conversation within an hour; 0 for no limit
	MaxCalls int     `yaml:"max_calls"`
	MaxSpend float64 `yaml:"max_spend"` // US dollars, the same
}

// Probe says how a record is checked before it is used.
type Probe struct {
	Enabled bool `yaml:"enabled"`
	// at or above it a model's text passes
	Threshold float64 `yaml:"threshold"`
	// below it the model's text, or the record, is not used
	HardFailThreshold float64       `yaml:"hard_fail_threshold"`
	MaxQuestions      int           `yaml:"max_questions"` // asked of a model
	Timeout           time.Duration `yaml:"timeout"`       // of questions, answers and grades
	// accept or reject: what to do with statements that could not be probed
	OnError string     `yaml:"on_error"`
	Model   ProbeModel `yaml:"model"`
}

// ProbeModel verifies what another model wrote, answers questions from it, and grades
// the answers.
type ProbeModel struct {
	Name    string `yaml:"name"`     // if empty, the model that wrote
	BaseURL string `yaml:"base_url"` // if empty, the upstream
	APIKey  Secret `yaml:"api_key"`
}

// ModelSpec is what the configuration says about a model. For zero fields the
// published values are used.
type ModelSpec struct {
	Window        int `yaml:"window"`         // tokens of prompt and completion together
	OutputReserve int `yaml:"output_reserve"` // tokens of the window kept for the completion

	StrictTurns OwnSwitch `yaml:"strict_turns"` // overrides upstream.strict_turns

	// CacheTTL is how long the provider's prompt cache keeps an entry after its last use.
	CacheTTL time.Duration `yaml:"cache_ttl"`
	Prices   prices.Model  `yaml:"prices"`

	// These override those of compaction.
	Mode    Mode     `yaml:"mode"`
	Profile string   `yaml:"profile"`
	Trigger Amount   `yaml:"trigger"`
	Target  Amount   `yaml:"target"`
	Ingest  OwnCount `yaml:"ingest"`
}

// PricesFile names a table of prices. The zero value is the built-in one.
type PricesFile struct {
	Path  string
	table *prices.Table // of the file, once it is read
}

func (f PricesFile) String() string { return f.Path }

// UnmarshalText takes a path; Load reads the file.
func (f *PricesFile) UnmarshalText(text []byte) error {
	*f = PricesFile{Path: string(text)}
	return nil
}

// Use sets the table that was read from the file.
func (f *PricesFile) Use(table *prices.Table) { f.table = table }

// Table returns the table.
func (f PricesFile) Table() *prices.Table {
	if f.table != nil {
		return f.table
	}
	return prices.Published()
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
	Timeout  time.Duration `yaml:"timeout"`   // for which a request waits for the shared store
	Password Secret        `yaml:"password"`  // instead of the URL's
	CAFile   string        `yaml:"ca_file"`   // PEM: CAs to trust in addition to the system's
	CertFile string        `yaml:"cert_file"` // PEM: our client certificate, with its key
	KeyFile  string        `yaml:"key_file"`  //
}

// CacheKeepAlive bounds what is spent on keeping prompt caches of idle conversations alive.
type CacheKeepAlive struct {
	Enabled     bool    `yaml:"enabled"`
	MaxRequests int     `yaml:"max_requests"` // in one idle period of a conversation
	MaxSpend    float64 `yaml:"max_spend"`    // US dollars within an hour, in total
	MaxHeld     Size    `yaml:"max_held"`     // of requests that are held for it
}

// Limits are bounds on what clients send.
type Limits struct {
	MaxBody Size `yaml:"max_body"` // of a chat request, decoded
	MaxHeld Size `yaml:"max_held"` // of all chat requests at once
	Memory  Size `yaml:"memory"`   // for the state of conversations; if zero, by GOMEMLIMIT
}

// Timeouts bound waiting.
type Timeouts struct {
	Header    time.Duration `yaml:"header"`     // for a client's headers
	KeepAlive time.Duration `yaml:"keep_alive"` // between requests on a client's connection
	Stall     time.Duration `yaml:"stall"`      // for a client to read what is written to it
	Connect   time.Duration `yaml:"connect"`    // for a connection to the upstream
	FirstByte time.Duration `yaml:"first_byte"` // for the head of the upstream's reply
	Idle      time.Duration `yaml:"idle"`       // of silence within the upstream's reply
	// how long a proxy that is not ready still serves, at shutdown; 0 for none
	Notice time.Duration `yaml:"notice"`
	Drain  time.Duration `yaml:"drain"` // for running requests at shutdown
}

// Log says what is logged to standard error.
type Log struct {
	Level  string `yaml:"level"`  // debug, info, warn or error
	Format string `yaml:"format"` // auto, text or json
}

// Debug has settings for inspecting summaries.
type Debug struct {
	DumpDir string `yaml:"dump_dir"` // if empty, nothing is dumped
}

// How verified statements that could not be probed are handled.
const (
	OnErrorAccept = "accept" // they are used, and reported as unprobed
	OnErrorReject = "reject" // the record by structure is used
)

// When a model is asked.
const (
	WhenAlways = "always"
	WhenWindow = "window"
)

// SecretPath returns the path of the store's secret.
func (c *Cache) SecretPath() string {
	if c.SecretFile != "" {
		return c.SecretFile
	}
	return filepath.Clean(c.Dir) + ".secret"
}

// Inside reports whether a path is a directory or inside it.
func Inside(dir, path string) bool {
	dir, err1 := filepath.Abs(dir)
	path, err2 := filepath.Abs(path)
	if err1 != nil || err2 != nil {
		return false // no working directory: opening the store reports that
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
