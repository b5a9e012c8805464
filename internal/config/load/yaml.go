package load

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"killick/internal/config"
)

// yamlText writes a value so that reading it back gives the same value, except
// for secrets.
func yamlText(field reflect.Value) string {
	switch v := field.Interface().(type) {
	case string:
		return yamlString(v)
	case config.ProxyURL:
		return yamlString(v.String())
	case config.StoreURL:
		return yamlString(v.String())
	case config.PricesFile:
		return yamlString(v.Path)
	case []string:
		items := make([]string, len(v))
		for i, s := range v {
			items[i] = yamlString(s)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case config.Secret:
		return strconv.Quote(v.String())
	case time.Duration:
		return config.DurationText(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(field.Interface())
}

// yamlString quotes a string unless YAML reads it plain as the same string.
func yamlString(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && r != '/' && (r < '0' || r > '9') &&
			(r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if plain && (s[0] >= 'a' && s[0] <= 'z' || s[0] == '/' || strings.HasPrefix(s, "./")) &&
		s != "true" && s != "false" && s != "null" {
		return s
	}
	return strconv.Quote(s)
}
