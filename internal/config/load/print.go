package load

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"killick/compactor/settings"
	"killick/internal/config"
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
	if mode := s.ModeOf(model); mode != config.ModeOn {
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

// routing describes in comments which upstream gets what, "" if there is only one.
func (s *Settings) routing() string {
	var b strings.Builder
	for i, e := range s.Upstreams {
		var takes []string
		for _, of := range []struct {
			what string
			list []string
		}{{"formats", e.Formats}, {"paths", e.Paths}, {"models", e.Models}} {
			if len(of.list) > 0 {
				takes = append(takes, of.what+" "+strings.Join(of.list, ", "))
			}
		}
		if takes == nil {
			takes = []string{"all"}
		}
		otherwise := ""
		if i > 0 {
			otherwise = "else "
		}
		fmt.Fprintf(&b, "# %s: %s%s.\n", e.Name, otherwise, strings.Join(takes, "; "))
	}
	return b.String()
}
