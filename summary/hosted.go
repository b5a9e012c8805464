package summary

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"killick/transcript"
	"killick/view"
)

// Limits on lists of sources, in bytes.
const (
	maxSources = 320
	maxTitle   = 100
	maxURL     = 200 // of half an address, nothing can be read
)

// Cited is what a reply of the assistant's cites.
type Cited struct {
	At      int    `json:"message"`
	Sources string `json:"sources"` // as in a record
}

func (c *Cited) line() string { return fmt.Sprintf("%d assistant cited: %s", c.At, c.Sources) }

// cited returns the sources that replies in [from, to) cite, newest first. Each source is listed
// with the newest reply that cites it. left reports whether there were too many.
func (s *Source) cited(from, to int) (list []Cited, left bool) {
	seen := map[view.Source]bool{}
	for i := to - 1; i >= from; i-- {
		var newer []view.Source
		for _, of := range s.Messages[i].Cited() {
			if !seen[of] {
				seen[of] = true
				newer = append(newer, of)
			}
		}
		shown := s.sources(newer, nil)
		switch {
		case shown == "":
		case len(list) == maxEntries:
			return list, true
		default:
			list = append(list, Cited{At: i + 1, Sources: shown})
		}
	}
	return list, false
}

// sources lists pages and files, without credentials: of each its title in quotation marks, which
// are in no title, and then its address, in which there is no space. So no title can seem to be
// another source. An address that the arguments of the call have is not repeated.
func (s *Source) sources(list []view.Source, of *transcript.Call) string {
	var b strings.Builder
	for i, source := range list {
		entry := s.source(source, of)
		switch {
		case entry == "":
			continue
		case b.Len()+len(entry) > maxSources && b.Len() > 0:
			fmt.Fprintf(&b, "; %d more", len(list)-i)
			return b.String()
		case b.Len() > 0:
			b.WriteString("; ")
		}
		b.WriteString(entry)
	}
	return b.String()
}

func (s *Source) source(of view.Source, call *transcript.Call) string {
	title := strings.ReplaceAll(quoted(s.Redacted(of.Title), maxTitle), `"`, "'")
	url := s.Redacted(of.URL)
	given := call != nil && slices.ContainsFunc(call.Args, func(a transcript.Argument) bool {
		return a.Text == of.URL
	})
	if given || len(url) > maxURL || line(url) != url || strings.ContainsFunc(url, bounds) {
		url = ""
	}
	if title != "" {
		title = `"` + title + `"`
	}
	return strings.TrimSpace(title + " " + url)
}

// bounds reports whether a character could end an address, or begin a title.
func bounds(r rune) bool { return r == '"' || unicode.IsSpace(r) }

// hostedOutput returns the part of the result of a call that the provider ran that a later turn may
// need: its sources, and then as of a call of the client.
func (s *Source) hostedOutput(c *transcript.Call) string {
	ran := c.Ran()
	if ran == nil {
		return ""
	}
	shown, text := s.sources(ran.Sources, c), strings.TrimSpace(s.Redacted(ran.Text))
	if shown == "" {
		return beginningOfOutput(c, text)
	}
	if text != "" {
		shown += "; text: " + beginningOfOutput(c, text)
	}
	return shown
}
