package config

import (
	"fmt"
	"log/slog"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"killick/compactor/settings"
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

// Amount is an amount of tokens: up to 1 a share of the model's window, above
// that a count.
type Amount float64

// Auto is the Amount that follows from the prices of the model.
const Auto Amount = -1

const autoText = "auto"

// MinTokens is the smallest number read as a count of tokens. A number between
// 1 and this is a mistake: 60 for 0.6, 500 for 500k.
const MinTokens = 1000

// Of returns the Amount in tokens for a window of that many.
func (a Amount) Of(window int) int { return settings.Size(a).Tokens(window) }

func (a Amount) String() string {
	if a == Auto {
		return autoText
	}
	if a <= 1 {
		return strconv.FormatFloat(float64(a), 'g', 4, 64)
	}
	return strconv.Itoa(int(a))
}

// UnmarshalText reads 0.6 as a share, 32000 as tokens, and auto.
func (a *Amount) UnmarshalText(text []byte) error {
	s := string(text)
	if s == autoText {
		*a = Auto
		return nil
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	switch {
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
		return fmt.Errorf("%s is neither a fraction (such as 0.6) nor a token count (such as "+
			"32000)%s", fields.Quote(s), amountHint(s))
	case f > 0 && f <= 1, f >= MinTokens && f == math.Trunc(f) && f <= math.MaxInt32:
		*a = Amount(f)
	default:
		return fmt.Errorf("%s is neither a fraction (0 < x ≤ 1) nor a token count (≥ %d)%s", s,
			MinTokens, amountHint(s))
	}
	return nil
}

// grouped matches a number with separators of thousands that only people read.
var grouped = regexp.MustCompile(`^[0-9]{1,3}([ ,'][0-9]{3})+$`)

// amountHint suggests, for the end of a message, which amount was probably meant, "" if unknown.
func amountHint(s string) string {
	if grouped.MatchString(s) {
		return "; write " + strings.NewReplacer(" ", "", ",", "", "'", "").Replace(s)
	}
	number, unit := s, ""
	if i := strings.IndexFunc(s, func(r rune) bool {
		return r != '.' &&
			(r < '0' || r > '9')
	}); i >= 0 {
		number, unit = s[:i], strings.ToLower(strings.TrimSpace(s[i:]))
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return ""
	}
	switch {
	case unit == "k" && f*1000 >= MinTokens:
		return fmt.Sprintf("; write %d", int(f*1000))
	case unit == "m" && f > 0:
		return fmt.Sprintf("; write %d", int(f*1e6))
	case unit == "%" && f > 0 && f <= 100, unit == "" && f > 1 && f <= 100:
		return fmt.Sprintf("; for %s%% write %s", number, strconv.FormatFloat(f/100, 'g', 4, 64))
	}
	return ""
}

// OwnCount is an optional number of tokens that overrides another one.
type OwnCount struct {
	Set bool
	N   int
}

func (o OwnCount) String() string { return strconv.Itoa(o.N) }

// UnmarshalText reads a whole number.
func (o *OwnCount) UnmarshalText(text []byte) error {
	n, err := fields.Int(string(text))
	if err == nil {
		*o = OwnCount{Set: true, N: n}
	}
	return err
}

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
		case !isToken(name):
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

// isToken reports whether s can be the name of a header (RFC 9110, 5.6.2).
func isToken(s string) bool {
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
