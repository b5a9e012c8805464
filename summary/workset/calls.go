package workset

import (
	"encoding/json"
	"strings"

	"killick/summary/describe"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/transcript/partial"
)

// sourcesOf returns the texts of a call, as far as they are of files with the given names: those
// that it writes, else what it shows. output returns its output without credentials, "" if that is
// not sent; output may be nil.
func sourcesOf(
	s *quotes.Source, c *transcript.Call, names fileNames, output func() string,
) []source {
	sources, wrote := written(s, c, names)
	if wrote || output == nil || c.Stub {
		return sources
	}
	return shownBy(s, c, names, output)
}

// written returns the texts that a call writes to files. wrote is true if it writes to any.
func written(
	s *quotes.Source, c *transcript.Call, names fileNames,
) (sources []source, wrote bool) {
	for i, w := range c.Contents() {
		if w.Path == "" {
			continue // the file is unknown, and so is when the lines are out of date
		}
		wrote = true
		path := s.Redacted(w.Path)
		if !names.has(path) {
			continue
		}
		src := source{Block: madeBy(s, c), gone: w.Old, before: w.Before, whole: w.Whole}
		src.Text = i
		src.Written, src.Path = true, path
		if w.Whole {
			src.first = 1
		}
		src.setLines(s.Redacted(w.Text))
		sources = append(sources, src)
	}
	return sources, wrote
}

// madeBy returns a block without lines, with the place of the call that it is from.
func madeBy(s *quotes.Source, c *transcript.Call) Block {
	return Block{At: c.Caller + 1, Place: s.PlaceOf(c.Caller)}
}

// shownBy returns the texts of files in the output of a call.
func shownBy(
	s *quotes.Source, c *transcript.Call, names fileNames, output func() string,
) []source {
	shown := c.Shows()
	if !shown.Lines || shown.Mixed && c.Effect == transcript.Runs {
		return nil // of what several programs printed, no line is certainly one of a file
	}
	path := ""
	if file := shown.File(); file != "" {
		path = s.Redacted(file)
	}
	if !names.has(path) {
		return nil
	}
	src := shownSource(s, c, &shown, path)
	text, _, _ := strings.Cut(output(), "\n<system-reminder>")
	if isReport(c, &shown, strings.TrimSpace(text)) {
		return nil
	}
	if lines, part, ok := partial.BetweenTags(text); ok && c.Effect == transcript.Reads {
		text, src.whole = lines, src.whole && !part
	}
	kept, lines := partial.Of(text), ""
	if shown.Numbered {
		lines = text
		if kept.Cut && kept.Tail == "" && kept.Head != "" {
			lines, src.whole = kept.Head, false // after it is a part of a line
		}
		src.setLines(lines)
		src.CRLF = src.CRLF && c.Effect == transcript.Reads
		if parts, ok := src.withoutNumbers(); ok {
			return parts
		}
	}
	if text, src.whole = kept.Head, src.whole && !kept.Cut; text == "" {
		text, src.first = kept.Tail, 0
	}
	if c.Effect == transcript.Reads {
		var part bool
		text, src.first, part = c.FileLines(text, src.first)
		src.whole = src.whole && !part
	}
	if text == "" {
		return nil
	}
	if text != lines {
		src.setLines(text)
		src.CRLF = src.CRLF && c.Effect == transcript.Reads
	}
	return []source{src}
}

// shownSource returns a source without lines for what a call shows of a file, "" if unknown.
func shownSource(
	s *quotes.Source, c *transcript.Call, shown *transcript.Shown, path string,
) source {
	src := source{Block: madeBy(s, c), first: shown.First, whole: shown.Whole}
	if shown.Counted {
		src.first = 0
	}
	src.Path, src.Part, src.Text = path, shown.Part, c.Result
	if shown.Mixed { // not all lines are of the file
		src.first, src.whole = 0, false
	}
	if src.Path == "" || shown.Mixed {
		src.Of = s.Redacted(describe.Call(c, maxCall))
	} else if shown.Elsewhere() {
		src.Of = s.Redacted(describe.Call(c, 2*maxCall)) // with the place
	}
	return src
}

// isReport reports whether an output of one line may be something else than a line of the file: of
// a tool in no table a report on the file, of a command what its tool wraps around the output.
func isReport(c *transcript.Call, shown *transcript.Shown, text string) bool {
	switch {
	case strings.Contains(text, "\n"):
		return false
	case c.Effect == transcript.Runs:
		return (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) &&
			json.Valid([]byte(text))
	}
	return shown.Mixed && c.Effect == transcript.Reads
}
