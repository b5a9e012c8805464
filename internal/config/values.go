package config

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"killick/internal/fields"
	"killick/proxy/auth"
	"killick/redact"
)

// Secret is a credential. It always prints as asterisks; convert it to a string
// to use it.
type Secret string

const masked = "********"

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString keeps %#v from printing the credential.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// LogValue keeps slog from printing the credential.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText keeps encoders from printing the credential.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// OwnSwitch is an optional boolean that overrides another one.
type OwnSwitch struct{ Set, On bool }

func (o OwnSwitch) String() string { return strconv.FormatBool(o.On) }

// UnmarshalText reads true or false.
func (o *OwnSwitch) UnmarshalText(text []byte) (err error) {
	o.Set = true
	o.On, err = fields.Bool(string(text))
	return err
}

// Idle is how long a conversation must be idle until its provider's cache has expired.
type Idle time.Duration

// IdleByProvider is the lifetime that the provider documents, if it is known.
const IdleByProvider Idle = -1

func (i Idle) String() string {
	if i == IdleByProvider {
		return autoText
	}
	return DurationText(time.Duration(i))
}

// UnmarshalText reads a duration, and auto. 0s is never.
func (i *Idle) UnmarshalText(text []byte) error {
	if string(text) == autoText {
		*i = IdleByProvider
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%s is not a duration; write auto for the lifetime that the provider "+
			"states, 0s for never, or a number with its unit, such as 20m%s",
			fields.Quote(string(text)), fields.DurationHint(string(text)))
	}
	*i = Idle(d)
	return nil
}

// DurationText leaves out the zero minutes and seconds that String adds.
func DurationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Size is a number of bytes, written as 64MiB, 10MB or a plain number.
type Size int64

// sizeUnits are tried in order: longer suffixes first.
var sizeUnits = []struct {
	suffix string
	bytes  int64
}{
	{"gib", 1 << 30}, {"mib", 1 << 20}, {"kib", 1 << 10},
	{"gb", 1e9}, {"mb", 1e6}, {"kb", 1e3},
	{"b", 1},
}

func (s Size) String() string {
	for _, u := range sizeUnits[:3] {
		if int64(s) >= u.bytes && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + strings.ToUpper(u.suffix[:1]) + "iB"
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// UnmarshalText reads a number with or without a unit.
func (s *Size) UnmarshalText(text []byte) error {
	number, factor := strings.ToLower(strings.TrimSpace(string(text))), int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return fmt.Errorf("%s is not a size; write bytes or a unit, such as 64MiB",
			fields.Quote(string(text)))
	}
	*s = Size(n * factor)
	return nil
}

// Mode is what the proxy may do with a request.
type Mode string

// The modes, from most to least.
const (
	ModeOn      Mode = "on"      // compact
	ModeObserve Mode = "observe" // count and plan, forward unchanged
	ModeOff     Mode = "off"     // forward
)

// UnmarshalText also accepts booleans, into which older YAML writers turn on and off.
func (m *Mode) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "on", "true", "yes":
		*m = ModeOn
	case "observe":
		*m = ModeObserve
	case "off", "false", "no":
		*m = ModeOff
	default:
		return fmt.Errorf("%s is not a mode; write on, observe or off", fields.Quote(string(text)))
	}
	return nil
}

// Redaction says where credentials are removed: from summaries and placeholders,
// also from pinned messages that a summary repeats, or nowhere.
type Redaction string

// The redactions.
const (
	RedactSummaries Redaction = "summaries"
	RedactAll       Redaction = "all"
	RedactOff       Redaction = "off"
)

// UnmarshalText also accepts booleans: true is summaries.
func (r *Redaction) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "summaries", "true", "yes", "on":
		*r = RedactSummaries
	case "all":
		*r = RedactAll
	case "off", "false", "no":
		*r = RedactOff
	default:
		return fmt.Errorf(
			"%s is not a kind of redaction; write summaries, all or off",
			fields.Quote(string(text)),
		)
	}
	return nil
}

// Redactor returns the function that removes them from a text, nil for none.
func (r Redaction) Redactor() func(string) string {
	if r == RedactOff {
		return nil
	}
	return redact.Text
}

// version identifies the rendering.
func (r Redaction) version() string {
	if r == RedactOff {
		return string(r)
	}
	return string(r) + "/" + redact.Version
}

// Expansion is how models read what was left out.
type Expansion string

// The ways to read what was left out.
const (
	ExpandOff  Expansion = "off"  // not at all
	ExpandTool Expansion = "tool" // by a tool that is answered inside the proxy
	ExpandMCP  Expansion = "mcp"  // from a server that clients register
)

// UnmarshalText also accepts booleans, into which older YAML writers turn off.
func (e *Expansion) UnmarshalText(text []byte) error {
	switch s := strings.ToLower(string(text)); s {
	case "off", "false", "no":
		*e = ExpandOff
	case string(ExpandTool), string(ExpandMCP):
		*e = Expansion(s)
	case "on", "true", "yes":
		return fmt.Errorf("%s does not say how; write tool or mcp", fields.Quote(string(text)))
	default:
		return fmt.Errorf("%s is not a way to read what was left out; write off, tool or mcp",
			fields.Quote(string(text)))
	}
	return nil
}

// Isolation says what identifies a client. The zero value is the credential.
type Isolation struct {
	Header  string // if set, the value of this header instead of the credential
	Inbound bool   // the name of the inbound key instead
}

func (i Isolation) String() string {
	if i.Inbound {
		return "inbound-key"
	}
	if i.Header != "" {
		return "header:" + i.Header
	}
	return "credential"
}

// UnmarshalText reads credential, inbound-key or header:NAME.
func (i *Isolation) UnmarshalText(text []byte) error {
	s := string(text)
	if name, ok := strings.CutPrefix(s, "header:"); ok {
		name = strings.TrimSpace(name)
		switch {
		case !IsToken(name):
			return fmt.Errorf("%s does not name a header; write header:X-Team-Id or the like",
				fields.Quote(s))
		case strings.HasPrefix(strings.ToLower(name), "killick-"):
			return fmt.Errorf("%s names one of the proxy's own headers, which do not identify "+
				"clients", fields.Quote(s))
		case !auth.CanIdentify(name):
			return fmt.Errorf("%s names a header that many clients send with the same value: they "+
				"would share everything; write one that identifies them", fields.Quote(s))
		}
		*i = Isolation{Header: name}
		return nil
	}
	switch s {
	case "credential":
		*i = Isolation{}
		return nil
	case "inbound-key":
		*i = Isolation{Inbound: true}
		return nil
	}
	return fmt.Errorf("%s is not a way to distinguish clients; write credential, inbound-key or "+
		"header:NAME", fields.Quote(s))
}

// IsToken reports whether s can be the name of a header (RFC 9110, 5.6.2).
func IsToken(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			continue
		}
		if !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}
