package config

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"killick/compactor/settings"
	"killick/compactor/trigger"
	"killick/internal/fields"
	"killick/proxy"
)

// Print writes the whole configuration as YAML, with secrets masked, the origin
// of each value that was set, and a summary of the effective settings.
func Print(out io.Writer, s *Settings) error {
	p := printer{Settings: s}
	p.section("", reflect.ValueOf(&s.Config).Elem(), 0)
	width := 0
	for _, l := range p.lines {
		if l.origin != "" {
			width = max(width, len(l.text))
		}
	}
	var b strings.Builder
	for _, l := range p.lines {
		if l.origin == "" {
			b.WriteString(l.text + "\n")
			continue
		}
		fmt.Fprintf(&b, "%-*s  # %s\n", width, l.text, l.origin)
	}
	b.WriteString(summarize(s))
	_, err := io.WriteString(out, b.String())
	return err
}

type printer struct {
	*Settings
	lines []printedLine
	named bool // in a section whose keys are names
}

type printedLine struct{ text, origin string }

func (p *printer) add(depth int, text, path string) {
	text = strings.Repeat("  ", depth) + text
	p.lines = append(p.lines, printedLine{text: text, origin: p.origins[path].Where})
}

func (p *printer) section(path string, v reflect.Value, depth int) {
	for i := range v.NumField() {
		if p.named && v.Field(i).IsZero() {
			continue // nothing is set
		}
		key := v.Type().Field(i).Tag.Get("yaml")
		at, field := fields.Join(path, key), v.Field(i)
		switch {
		case fields.IsSection(field.Type()):
			p.add(depth, key+":", "")
			p.section(at, field, depth+1)
		case field.Kind() == reflect.Map:
			p.names(at, key, field, depth)
		case fields.IsList(field.Type()):
			p.entries(at, key, field, depth)
		default:
			p.add(depth, key+": "+yamlText(field), at)
		}
	}
}

// names prints a section whose keys are names.
func (p *printer) names(path, key string, field reflect.Value, depth int) {
	if field.Len() == 0 {
		p.add(depth, key+": {}", path)
		return
	}
	p.add(depth, key+":", path)
	defer func(before bool) { p.named = before }(p.named)
	p.named = true
	names := field.MapKeys()
	slices.SortFunc(names, func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	})
	for _, name := range names {
		at, value := fields.Join(path, name.String()), field.MapIndex(name)
		if !fields.IsSection(value.Type()) {
			p.add(depth+1, yamlString(name.String())+": "+yamlText(value), at)
			continue
		}
		p.add(depth+1, yamlString(name.String())+":", at)
		p.section(at, value, depth+2)
	}
}

// entries prints a list of sections, whose keys have no defaults.
func (p *printer) entries(path, key string, field reflect.Value, depth int) {
	if field.Len() == 0 {
		p.add(depth, key+": []", path)
		return
	}
	p.add(depth, key+":", path)
	defer func(before bool) { p.named = before }(p.named)
	p.named = true
	for i := range field.Len() {
		first := len(p.lines)
		p.section(fmt.Sprintf("%s[%d]", path, i), field.Index(i), depth+2)
		if first < len(p.lines) {
			text := strings.TrimPrefix(p.lines[first].text, strings.Repeat("  ", depth+2))
			p.lines[first].text = strings.Repeat("  ", depth+1) + "- " + text
		}
	}
}

// yamlText writes a value so that reading it back gives the same value, except
// for secrets.
func yamlText(field reflect.Value) string {
	switch v := field.Interface().(type) {
	case string:
		return yamlString(v)
	case ProxyURL:
		return yamlString(v.String())
	case StoreURL:
		return yamlString(v.String())
	case PricesFile:
		return yamlString(v.Path)
	case []string:
		items := make([]string, len(v))
		for i, s := range v {
			items[i] = yamlString(s)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case Secret:
		return strconv.Quote(v.String())
	case time.Duration:
		return DurationText(v)
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

// summarize describes the effective settings in comments.
func summarize(s *Settings) string {
	var b strings.Builder
	name := cmp.Or(s.file, "the configuration")
	set := 0
	for _, key := range schema.Keys {
		if s.isSet(key.Path) {
			set++
		}
	}
	fmt.Fprintf(&b, "\n# %s is valid; %d of %d keys are set, the rest are defaults.\n", name, set,
		len(schema.Keys))
	b.WriteString(s.routing())
	if _, most := s.Modes(); most == proxy.ModeOff {
		b.WriteString("# Compaction is off: requests are forwarded unchanged.\n")
		return b.String()
	}
	for _, n := range s.ModelsShown() {
		b.WriteString(s.effectLine(n))
	}
	return b.String()
}

// effectLine is a comment that says what happens to requests to a model.
func (s *Settings) effectLine(model string) string {
	if mode := s.ModeOf(model); mode != ModeOn {
		return fmt.Sprintf("# %s: mode %s.\n", model, mode)
	}
	w := settings.WindowOf(model, s.Windows())
	return fmt.Sprintf("# %s: %s (window %d, %d of it for the output).\n", model, s.Effect(model),
		w.Tokens, w.Reserve)
}

// isSet reports whether a key, or a name under one, was set.
func (s *Settings) isSet(path string) bool {
	for at, o := range s.origins {
		if o != derived && (at == path || strings.HasPrefix(at, path+".")) {
			return true
		}
	}
	return false
}

// Effect describes when requests to a model are compacted.
func (c *Config) Effect(model string) string {
	policy, costs := c.Policy().WithDefaults().For(model), c.Costs(model)
	b := policy.Budget(settings.WindowOf(model, c.Windows()), 1, costs.Prices)
	of, beside := "requests", ""
	if b.Derived {
		of, beside = "turns", ", not counting instructions and tools,"
	}
	text := fmt.Sprintf("%s over %d tokens%s are compacted to about %d", of, b.Trigger, beside,
		b.Target)
	if isPattern(model) {
		text = "where nothing else is known of the model, " + text
	}
	if rest := trigger.Lifetime(policy, costs, 0); rest > 0 {
		text += fmt.Sprintf("; after %s of idle time, those over %d", DurationText(rest),
			trigger.Idle(b))
	}
	return text
}

// ModelsShown are the models whose effective settings are shown: some popular ones, and those of
// the file.
func (c *Config) ModelsShown() []string {
	names := slices.Clone(checkModels)
	for _, n := range slices.Sorted(maps.Keys(c.Models)) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// isPattern reports whether a name under models is one of many models.
func isPattern(name string) bool { return strings.ContainsAny(name, `*?[\`) }

var checkModels = []string{"claude-opus-5-5", "gpt-6.2-sol", "gpt-4.1"}
