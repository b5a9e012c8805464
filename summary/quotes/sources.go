package quotes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/transcript"
	"killick/view"
)

// Limits on lists of sources, in bytes.
const (
	maxCited = 320 // where replies cite them; else it is [describe.MaxOutput]
	maxTitle = 100
	maxURL   = 200 // of half an address, nothing can be read
)

// Cited is what a reply of the assistant's cites and no call is known to have found.
type Cited struct {
	At      int    `json:"message"`
	Sources string `json:"sources"` // as in a record
}

// Line returns the sources with the reply that cites them.
func (c *Cited) Line() string { return fmt.Sprintf("%d assistant cited: %s", c.At, c.Sources) }

// identity tells a source from others: its address or, if it has none, its title.
func identity(of view.Source) string { return cmp.Or(of.URL, of.Title) }

// cites returns the identities of the sources that replies in [from, to) cite.
func (s *Source) cites(from, to int) map[string]bool {
	cites := map[string]bool{}
	for i := from; i < to; i++ {
		for _, of := range s.Messages[i].Cited() {
			cites[identity(of)] = true
		}
	}
	return cites
}

// Cited returns the sources that replies in [from, to) cite and that none of the calls found,
// newest first. Each source is listed with the newest reply that cites it. left reports whether
// there were more than most such replies.
func (s *Source) Cited(
	calls []transcript.Call, from, to, most int,
) (list []Cited, left bool) {
	seen := map[string]bool{}
	for i := range calls {
		if ran := calls[i].Ran(); ran != nil && calls[i].Caller >= from && calls[i].Result < to {
			for _, of := range ran.Sources {
				if of.Title != "" { // else a reply says more
					seen[identity(of)] = true
				}
			}
		}
	}
	for i := to - 1; i >= from; i-- {
		var newer []view.Source
		for _, of := range s.Messages[i].Cited() {
			if key := identity(of); !seen[key] {
				seen[key] = true
				newer = append(newer, of)
			}
		}
		shown := s.sources(newer, nil, maxCited, 0)
		switch {
		case shown == "":
		case len(list) == most:
			return list, true
		default:
			list = append(list, Cited{At: i + 1, Sources: shown})
		}
	}
	return list, false
}

// sources lists pages and files, without credentials: of each its title in quotation marks, which
// are in no title, and then its address, in which there is no space. So no title can seem to be
// another source. An address that the arguments of the call have is not repeated. The list takes
// about n bytes and, unless first is 0, has only the first ones; then it says how many follow.
func (s *Source) sources(list []view.Source, of *transcript.Call, n, first int) string {
	var b strings.Builder
	for i, source := range list {
		entry := s.source(source, of)
		switch {
		case entry == "":
			continue
		case b.Len() > 0 && (b.Len()+len(entry) > n || first > 0 && i >= first):
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
	title := strings.ReplaceAll(excerpt.Quote(s.Redacted(of.Title), maxTitle), `"`, "'")
	url := s.Redacted(of.URL)
	given := call != nil && slices.ContainsFunc(call.Args, func(a transcript.Argument) bool {
		return a.Text == of.URL
	})
	if given || len(url) > maxURL || excerpt.Line(url) != url || strings.ContainsFunc(url, bounds) {
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
// need: its sources, of which those that replies cite say most, and a short text whole. Without
// sources it is as of a call of the client. cites has the identities of what replies cite.
func (s *Source) hostedOutput(c *transcript.Call, cites map[string]bool) string {
	ran := c.Ran()
	if ran == nil {
		return ""
	}
	var cited, others []view.Source
	for _, of := range ran.Sources {
		if cites[identity(of)] {
			cited = append(cited, of)
		} else {
			others = append(others, of)
		}
	}
	most := maxCited
	if len(cited) == 0 {
		most = describe.MaxOutput
	}
	text := describe.Output(c, strings.TrimSpace(s.Redacted(ran.Text)))
	shown := s.sources(append(cited, others...), c, most, len(cited))
	switch {
	case shown == "":
		return text
	case text == "" || strings.Contains(text, strings.TrimSpace(excerpt.Gap)):
		return shown
	}
	return shown + "; text: " + text
}
