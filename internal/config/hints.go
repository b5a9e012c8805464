package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// grouped matches a number with separators of thousands that only people read.
var grouped = regexp.MustCompile(`^[0-9]{1,3}([ ,'][0-9]{3})+$`)

// amountHint suggests what was probably meant.
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
