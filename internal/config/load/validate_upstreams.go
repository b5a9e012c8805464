package load

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"killick/internal/closest"
	"killick/internal/config"
	"killick/internal/fields"
	"killick/proxy/auth"
	"killick/proxy/format"
)

// validateUpstreams checks the entries of upstreams, or the section upstream.
func (l *loader) validateUpstreams() {
	if len(l.Upstreams) == 0 {
		l.validateURL("upstream.base_url", l.Upstream.BaseURL, true)
		l.validateUpstream("upstream", &l.Upstream)
		l.validateKeyHeader("upstream", &l.Upstream)
		l.validateOutbound("upstream", &l.Upstream)
		return
	}
	l.refuseShortForm()
	names := map[string]string{}
	for i := range l.Upstreams {
		e, at := &l.Upstreams[i], config.EntryPath(i)
		l.validateEntryName(e, at, names)
		l.validateURL(at+".base_url", e.BaseURL, true)
		l.validateUpstream(at, e.AsUpstream())
		l.validateOutbound(at, e.AsUpstream())
		l.validateTakes(e, at)
		l.validateKeyHeader(at, e.AsUpstream())
		l.validateSecret(at+".api_key", string(e.APIKey), "write env:NAME or file:PATH")
		l.validateReach(i)
	}
	l.validateOwnModels()
}

// validateReach rejects an entry that no request reaches, since one before it matches all of them.
func (l *loader) validateReach(i int) {
	takes := l.Upstreams[i].Takes()
	for j := range i {
		before := l.Upstreams[j].Takes()
		if !before.Covers(&takes) {
			continue
		}
		problem := "matches all that it matches; requests are not distributed, and not repeated " +
			"elsewhere: change the formats, paths or models of one of them, or remove one"
		if before.Any() {
			problem = "matches everything; move that one to the end"
		}
		l.Invalid(config.EntryPath(i), "no request reaches it: %s, before it, %s",
			config.EntryPath(j), problem)
		return
	}
}

func (l *loader) validateKeyHeader(at string, u *config.Upstream) {
	if u.KeyHeader != "" {
		l.oneOf(at+".key_header", string(u.KeyHeader), string(auth.InAuthorization),
			string(auth.InXAPIKey), string(auth.InXGoogAPIKey), string(auth.InAPIKey),
			string(auth.AsSent))
	}
	base, err := url.Parse(u.BaseURL)
	if err == nil && base.Hostname() == "api.anthropic.com" && u.APIKey != "" &&
		(u.KeyHeader == "" || u.KeyHeader == auth.AsSent) && len(l.Auth.Keys) == 0 {
		l.Warn(at+".api_key", "for clients that send a bearer token, such as Claude Code after a "+
			"login, it is sent as one, which this API refuses; write key_header: x-api-key")
	}
}

// refuseShortForm rejects the section upstream beside upstreams, so that nobody has to guess which
// one applies.
func (l *loader) refuseShortForm() {
	short := config.Default()
	for _, key := range schema.Keys {
		if !strings.HasPrefix(key.Path, "upstream.") {
			continue
		}
		if key.Of(&l.Config).Interface() != key.Of(&short).Interface() {
			l.Invalid(key.Path, "upstreams is set too, and replaces it; move it into an "+
				"entry of upstreams, and delete it here")
		}
	}
}

func (l *loader) validateEntryName(e *config.UpstreamEntry, at string, seen map[string]string) {
	switch {
	case e.Name == "":
		l.Invalid(at+".name", "is empty; write a name for logs and metrics, such as anthropic")
	case !config.IsToken(e.Name) || len(e.Name) > 64:
		l.Invalid(
			at+".name",
			"%s is not a valid name for an upstream; write letters, digits, - and _, "+
				"such as anthropic",
			fields.Quote(e.Name),
		)
	case seen[e.Name] != "":
		l.Invalid(at+".name", "%s is the name of %s too; give each one of its own",
			fields.Quote(e.Name), seen[e.Name])
	default:
		seen[e.Name] = at
	}
}

// validateTakes checks what an entry matches.
func (l *loader) validateTakes(e *config.UpstreamEntry, at string) {
	var formats []string
	for _, f := range format.All {
		formats = append(formats, string(f))
	}
	for _, f := range e.Formats {
		l.oneOf(at+".formats", f, formats...)
	}
	for _, p := range e.Paths {
		if !strings.HasPrefix(p, "/") {
			l.Invalid(
				at+".paths",
				"%s is not the beginning of a path; write it from the first slash "+
					"on, such as /v1beta/",
				fields.Quote(p),
			)
		} else if strings.ContainsAny(p, "*?#") {
			l.Invalid(at+".paths", "%s holds %s; write how the path begins, without patterns and "+
				"query", fields.Quote(p), fields.Quote(p[strings.IndexAny(p, "*?#"):][:1]))
		}
	}
	for _, m := range e.Models {
		l.pattern(at+".models", m)
		if m == "" {
			l.Invalid(at+".models", "holds an empty name; write names or patterns, such as "+
				"claude-*")
		}
	}
}

// validateOwnModels requires an address for models of our own calls: they must not guess which
// upstream has a model, nor send one upstream's key to another.
func (l *loader) validateOwnModels() {
	const problem = "with upstreams, the model needs an address: set %s"
	if l.Model.Name != "" && l.Model.BaseURL == "" {
		l.Invalid("model.name", problem, "model.base_url and model.api_key")
	}
	if l.Probe.Model.Name != "" && l.Probe.Model.BaseURL == "" {
		l.Invalid("probe.model.name", problem, "probe.model.base_url and probe.model.api_key")
	}
}

// validateUpstreamKeys checks the keys that replace an inbound key.
func (l *loader) validateUpstreamKeys(at string, k *config.InboundKey) {
	if len(l.Upstreams) > 0 && k.UpstreamKey != "" {
		l.Invalid(at+".upstream_key", "with upstreams, say which one it is for: "+
			"upstream_keys: {NAME: …}")
	}
	var names []string
	for _, e := range l.Upstreams {
		names = append(names, e.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(k.UpstreamKeys)) {
		key := at + ".upstream_keys." + name
		switch near := closest.Name(name, names); {
		case len(names) == 0:
			l.Invalid(key, "there is only one upstream; write upstream_key instead")
		case slices.Contains(names, name):
		case near != "":
			l.Invalid(key, "is not the name of an upstream; did you mean %s?", near)
		default:
			l.Invalid(key, "is not the name of an upstream; upstreams has %s",
				strings.Join(names, ", "))
		}
		l.validateSecret(key, string(k.UpstreamKeys[name]), "write env:NAME or file:PATH")
	}
}

// inboundKeySentTo describes the upstreams that get the inbound key itself because no key replaces
// it, "" if there are none.
func (l *loader) inboundKeySentTo(k *config.InboundKey) string {
	if len(l.Upstreams) == 0 {
		if k.UpstreamKey == "" && l.Upstream.APIKey == "" {
			return "has no upstream_key, and there is no upstream.api_key: the inbound key " +
				"itself is sent to the upstream"
		}
		return ""
	}
	var names []string
	for _, e := range l.Upstreams {
		if e.APIKey == "" && k.UpstreamKeys[e.Name] == "" {
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "has no key in upstream_keys for " + strings.Join(names, ", ") +
		", which have no api_key: the inbound key itself is sent there (an api_key of any text " +
		"prevents that)"
}
