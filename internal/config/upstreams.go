package config

import (
	"fmt"
	"strings"

	"killick/proxy/format"
	"killick/proxy/target"
)

// AsUpstream returns the settings that an entry shares with the section upstream.
func (e *UpstreamEntry) AsUpstream() *Upstream {
	return &Upstream{BaseURL: e.BaseURL, APIKey: e.APIKey, KeyHeader: e.KeyHeader, Proxy: e.Proxy,
		CAFile: e.CAFile, CertFile: e.CertFile, KeyFile: e.KeyFile, H2C: e.H2C,
		StrictTurns: e.StrictTurns}
}

// Takes returns which requests an entry matches.
func (e *UpstreamEntry) Takes() (r target.Rule) {
	for _, f := range e.Formats {
		r.Formats = append(r.Formats, format.Format(f))
	}
	r.Paths, r.Models = e.Paths, e.Models
	return r
}

// NamedUpstream is an upstream with what it matches.
type NamedUpstream struct {
	Upstream
	Name  string // "" for the only one
	Path  string // of its section
	Takes target.Rule
}

// AllUpstreams returns the upstreams: the entries of upstreams, or the section upstream.
func (c *Config) AllUpstreams() (list []NamedUpstream) {
	if len(c.Upstreams) == 0 {
		return []NamedUpstream{{Upstream: c.Upstream, Path: "upstream"}}
	}
	for i := range c.Upstreams {
		e := &c.Upstreams[i]
		list = append(list, NamedUpstream{Upstream: *e.AsUpstream(), Name: e.Name,
			Path: EntryPath(i), Takes: e.Takes()})
	}
	return list
}

// UpstreamNames lists the upstreams for the log.
func (c *Config) UpstreamNames() string {
	if len(c.Upstreams) == 0 {
		return c.Upstream.BaseURL
	}
	var names []string
	for _, e := range c.Upstreams {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}

// EntryPath returns the path of an entry of upstreams.
func EntryPath(i int) string { return fmt.Sprintf("upstreams[%d]", i) }
