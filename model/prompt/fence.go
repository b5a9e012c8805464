package prompt

import (
	"crypto/rand"
	_ "embed"
	"fmt"
	"strings"
)

// Fence marks where data begins and ends for a model. Its markers contain a random code for
// each task, so that no data can close it or open another message.
type Fence struct {
	code   string
	redact func(string) string
	count  func(string) int
}

// NewFence returns a fence with a new code. redact removes credentials from the data; count
// counts the tokens of a text.
func NewFence(redact func(string) string, count func(string) int) Fence {
	return Fence{code: rand.Text(), redact: redact, count: count}
}

//go:embed text/rules.txt
var rules string // the code is filled in

// Rules are the system prompt of a standalone model.
func (f Fence) Rules() string { return fmt.Sprintf(strings.TrimSpace(rules), f.code) }

// Turns returns a piece of transcript as fenced data, after the record of what came before
// it.
func (f Fence) Turns(piece, soFar string) string {
	var b strings.Builder
	if soFar != "" {
		f.part(&b, "record of earlier messages, for context only; write nothing about it", soFar)
	}
	b.WriteString(piece)
	f.close(&b)
	return b.String()
}

// Part is a named text of data, or several that have a line each.
type Part struct {
	Name, Text string
	lines      []Part
}

// Entry returns a text of one line as the part that is named by its index in a list.
func Entry(name string, i int, text string) Part {
	return Part{Name: fmt.Sprintf("%s %d", name, i+1), Text: line(text)}
}

// Lines returns named texts as one part with a line for each that is not empty, which begins with
// the name. No text can begin a line. That takes fewer tokens than a part for each.
func Lines(name string, texts ...Part) Part { return Part{Name: name, lines: texts} }

// line returns a text on one line.
func line(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}

// Parts returns texts as fenced data, without credentials. Each text is redacted apart, so that
// nothing of another's line is removed with it.
func (f Fence) Parts(parts ...Part) string {
	var b strings.Builder
	for _, p := range parts {
		text := f.redact(p.Text)
		for _, of := range p.lines {
			if one := line(f.redact(line(of.Text))); one != "" {
				text += of.Name + ": " + one + "\n"
			}
		}
		f.part(&b, p.Name, strings.TrimSuffix(text, "\n"))
	}
	f.close(&b)
	return b.String()
}

// open begins a part of the data.
func (f Fence) open(b *strings.Builder, name string) {
	fmt.Fprintf(b, "=== %s %s\n", f.code, name)
}

// part writes a part of the data whole.
func (f Fence) part(b *strings.Builder, name, text string) {
	f.open(b, name)
	b.WriteString(text)
	b.WriteString("\n")
}

// close ends the data.
func (f Fence) close(b *strings.Builder) {
	f.open(b, "end of the data")
	b.WriteString("\n")
}
