package fields

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// assign sets a field from the text of a scalar in the file, a variable or a flag.
func assign(field reflect.Value, text string) error {
	switch p := field.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return p.UnmarshalText([]byte(text))
	case *[]string:
		*p = splitList(text)
	case *bool:
		on, err := Bool(text)
		if err != nil {
			return err
		}
		*p = on
	case *int:
		n, err := Int(text)
		if err != nil {
			return err
		}
		*p = n
	case *float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f != f {
			return fmt.Errorf("%s is not a number; write one such as 0.5", Quote(text))
		}
		*p = f
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%s is not a duration; write a number with its unit, such as 15s, "+
				"20m or 168h%s", Quote(text), DurationHint(text))
		}
		*p = d
	default:
		if field.Kind() == reflect.String {
			field.SetString(text)
			return nil
		}
		panic(fmt.Sprintf("no reading of a field of type %s", field.Type()))
	}
	return nil
}

// Bool reads a boolean, also as older YAML writes it.
func Bool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "on", "yes":
		return true, nil
	case "false", "off", "no":
		return false, nil
	}
	return false, fmt.Errorf("%s is not a boolean; write true or false", Quote(text))
}

// Int reads a whole number, which may have underscores between its digits.
func Int(text string) (int, error) {
	n, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number; write one such as 2000", Quote(text))
	}
	return n, nil
}

// splitList parses a list from a variable or flag, separated by commas. One in brackets is read as
// in the file: see isFlow.
func splitList(text string) (list []string) {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// Quote quotes a value for a message, truncated if it is long.
func Quote(s string) string {
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:57], "") + "..."
	}
	return strconv.Quote(s)
}

// notText is said of text in another encoding: no conversation could contain such a pin, and no
// model could have such a name.
const notText = "is not UTF-8 text"

// nonTextLine returns the first line, counted from 1, with bytes that are not UTF-8 text; 0 if
// there is none.
func nonTextLine(data []byte) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
			return i + 1
		}
	}
	return 0
}

// durationForm matches a number with a unit in words, or with none.
var durationForm = regexp.MustCompile(`^([0-9]{1,6}) *([a-z]*)$`)

// durationUnits are units as people write them, each with the accepted unit and the factor to
// convert to it.
var durationUnits = map[string]struct {
	factor int
	unit   string
}{
	"sec": {1, "s"}, "second": {1, "s"}, "min": {1, "m"}, "minute": {1, "m"},
	"hour": {1, "h"}, "d": {24, "h"}, "day": {24, "h"}, "w": {168, "h"}, "week": {168, "h"},
	"s": {1, "s"}, "m": {1, "m"}, "h": {1, "h"},
}

// DurationHint suggests, for the end of a message, which duration was probably meant by a text that
// is none. It returns "" if it does not know.
func DurationHint(s string) string {
	parts := durationForm.FindStringSubmatch(strings.ToLower(s))
	if parts == nil {
		return ""
	}
	n, unit := parts[1], parts[2]
	if unit == "" {
		return fmt.Sprintf("; for seconds write %ss", n)
	}
	known, ok := durationUnits[unit]
	if !ok {
		known, ok = durationUnits[strings.TrimSuffix(unit, "s")]
	}
	if !ok {
		return ""
	}
	count, err := strconv.Atoi(n)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("; write %d%s", count*known.factor, known.unit)
}
