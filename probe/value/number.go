package value

import (
	"strconv"
	"strings"

	"killick/probe/normal"
)

// unit is a physical dimension and the size in the dimension's smallest unit.
type unit struct {
	dim    string
	factor float64
}

// units are the symbols of units and their English names, in lower case. A number
// followed by another name is compared by its value.
var units = func() map[string]unit {
	known := map[string]unit{}
	for dim, list := range map[string][]struct {
		names  string
		factor float64
	}{
		"time": {{"ns nanosecond nanoseconds", 1e-6}, {"us µs μs microsecond microseconds", 1e-3},
			{"ms msec millisecond milliseconds", 1}, {"s sec secs second seconds", 1e3},
			{"min mins minute minutes", 6e4}, {"h hr hrs hour hours", 36e5}, {"d day days", 864e5},
			{"week weeks", 6048e5}},
		"size": {{"b byte bytes", 1}, {"kb kilobyte kilobytes", 1e3},
			{"mb megabyte megabytes", 1e6}, {"gb gigabyte gigabytes", 1e9},
			{"tb terabyte terabytes", 1e12}, {"kib", 1 << 10}, {"mib", 1 << 20},
			{"gib", 1 << 30}},
		"mass": {{"µg μg mcg microgram micrograms", 1e-6}, {"mg milligram milligrams", 1e-3},
			{"g gram grams", 1}, {"kg kilogram kilograms", 1e3}},
		"volume": {{"ml millilitre millilitres milliliter milliliters", 1e-3},
			{"l litre litres liter liters", 1}},
		"share":  {{"% percent", 1}},
		"length": {{"px pixel pixels", 1}},
		"usd":    {{"$ usd dollar dollars", 1}},
		"eur":    {{"€ eur euro euros", 1}},
		"gbp":    {{"£ gbp", 1}},
		"jpy":    {{"¥ jpy yen", 1}},
		"cent":   {{"cent cents", 1}},
	} {
		for _, u := range list {
			for name := range strings.FieldsSeq(u.names) {
				known[name] = unit{dim, u.factor}
			}
		}
	}
	return known
}()

// parseNumber reads a chunk such as 1,000, 0x1f, 8k, 10ms, $2.50 or 50%, in lower
// case. It returns the possible values of the digits: 1.000 may be one thousand.
func parseNumber(s string) (readings []float64, u unit, ok bool) {
	s = strings.TrimLeft(s, "~+-#")
	for _, sign := range [...]string{"$", "€", "£", "¥"} {
		if rest, found := strings.CutPrefix(s, sign); found {
			s, u = rest, units[sign]
		}
	}
	if hex, found := strings.CutPrefix(s, "0x"); found {
		n, err := strconv.ParseUint(hex, 16, 64)
		return []float64{float64(n)}, u, err == nil
	}
	end := 0
	for end < len(s) &&
		(normal.IsDigit(s[end]) || end > 0 && strings.IndexByte(".,_", s[end]) >= 0) {
		end++
	}
	digits, tail := s[:end], s[end:]
	if trimmed := strings.TrimRight(digits, ".,_"); trimmed != digits && tail == "" {
		digits = trimmed
	}
	readings = readDigits(strings.ReplaceAll(digits, "_", ""))
	switch known, isUnit := units[tail]; {
	case len(readings) == 0:
		return nil, u, false
	case tail == "":
	case tail == "k" && u.dim == "":
		for i := range readings {
			readings[i] *= 1000
		}
	case isUnit && u.dim == "":
		u = known
	default:
		return nil, u, false
	}
	return readings, u, true
}

// OfDigits returns digits with points and commas as each spelling of their number gives them, ""
// for a version.
func OfDigits(digits string) string {
	readings := readDigits(digits)
	if len(readings) == 0 {
		return ""
	}
	return format(readings[0])
}

// readDigits returns the values of digits with points and commas.
func readDigits(s string) (readings []float64) {
	if s == "" || len(s) > 30 || !normal.IsDigit(s[len(s)-1]) {
		return nil
	}
	add := func(text string) {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			readings = append(readings, n)
		}
	}
	points, commas := strings.Count(s, "."), strings.Count(s, ",")
	switch {
	case points+commas == 0:
		add(s)
	case points > 0 && commas > 0:
		if strings.LastIndexByte(s, '.') < strings.IndexByte(s, ',') && commas == 1 { // 1.234,5
			add(strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", "."))
		} else if points == 1 {
			add(strings.ReplaceAll(s, ",", ""))
		}
	default:
		mark := "."
		if commas > 0 {
			mark = ","
		}
		if inThousands(s, mark) {
			add(strings.ReplaceAll(s, mark, ""))
		}
		if points+commas == 1 {
			add(strings.Replace(s, mark, ".", 1))
		}
	}
	return readings
}

// inThousands reports whether the marks separate groups of three digits.
func inThousands(s, mark string) bool {
	for i, group := range strings.Split(s, mark) {
		if i == 0 && (len(group) == 0 || len(group) > 3) || i > 0 && len(group) != 3 {
			return false
		}
	}
	return true
}

func format(n float64) string { return strconv.FormatFloat(n, 'g', 12, 64) }
