package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"killick/compactor/settings"
	"killick/internal/fields"
)

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
