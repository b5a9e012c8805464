package redact

import (
	"context"
	"fmt"
	"log/slog"
)

// NewHandler returns a handler that removes credentials from messages and attributes before next
// sees them. It is the last line of defense: credentials should not be logged in the first place.
func NewHandler(next slog.Handler) slog.Handler { return handler{next} }

type handler struct{ next slog.Handler }

func (h handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	message := Text(r.Message)
	same := message == r.Message
	if same {
		r.Attrs(func(a slog.Attr) bool {
			same = isClean(a)
			return same
		})
	}
	if same { // as for nearly all records: no copy is needed
		return h.next.Handle(ctx, r)
	}
	clean := slog.NewRecord(r.Time, r.Level, message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i := range attrs {
		clean[i] = attr(attrs[i])
	}
	return handler{h.next.WithAttrs(clean)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.next.WithGroup(name)} }

// isClean reports whether attr certainly leaves the attribute unchanged.
func isClean(a slog.Attr) bool {
	switch a.Value.Kind() {
	case slog.KindString:
		text := a.Value.String()
		return under(a.Key, text) == text
	case slog.KindGroup, slog.KindAny, slog.KindLogValuer:
		return false
	}
	return true
}

// attr returns a with the text in its value redacted. The key counts as the name of the value.
func attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(under(a.Key, v.String()))
	case slog.KindGroup:
		group := v.Group()
		clean := make([]slog.Attr, len(group))
		for i := range group {
			clean[i] = attr(group[i])
		}
		a.Value = slog.GroupValue(clean...)
	case slog.KindAny:
		// Redact what a value prints; one that prints no credential stays unchanged.
		if printed := fmt.Sprint(v.Any()); under(a.Key, printed) != printed {
			a.Value = slog.StringValue(under(a.Key, printed))
		}
	}
	return a
}

// under redacts a value as if it followed its name.
func under(name, value string) string {
	const sep = ": "
	if clean := Text(name + sep + value); len(clean) >= len(name)+len(sep) &&
		clean[:len(name)+len(sep)] == name+sep {
		return clean[len(name)+len(sep):]
	}
	return Text(value)
}
