package fuzzed

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Mutated returns a request of any format with one, seldom two or three of the faults that clients
// and what is between them make: values of another kind, left out, given twice, moved and swapped;
// elements that the format has and the conversation has not; and, seldom, bytes that are not JSON
// any more. odd are the elements that the format has.
func Mutated(body, data []byte, odd []string) []byte {
	d := &dice{data}
	for range []int{1, 1, 1, 1, 2, 3}[d.roll(6)] {
		body = d.mutate(body, odd)
	}
	return body
}

// strange are values that replace others.
var strange = []string{`null`, `true`, `0`, `-1.50e3`, `""`, `" "`, `"x"`, `"\ud83d"`, `[]`,
	`[null]`, `[[[]]]`, `{}`, `{"type":"new"}`, `{"type":"text","text":"x"}`, `"call_3"`, `[1,"a"]`}

func (d *dice) mutate(body []byte, odd []string) []byte {
	all := values(body)
	if len(all) == 0 {
		return body
	}
	at := all[d.number(len(all))]
	other := all[d.number(len(all))]
	switch kind := d.roll(16); {
	case kind < 3:
		return at.with(body, d.pick(strange))
	case kind < 5:
		return at.without(body)
	case kind < 7:
		return at.with(body, at.text(body)+","+at.named(body))
	case kind < 9:
		return at.with(body, other.text(body))
	case kind < 10 && (at.to <= other.from || other.to <= at.from):
		if other.from < at.from {
			at, other = other, at
		}
		first := at.text(body)
		return at.with(other.with(body, first), other.text(body))
	case kind < 14 && at.element:
		return at.with(body, d.pick(odd)+","+at.text(body))
	case kind < 15:
		return at.with(body, d.pick(odd))
	case d.roll(4) == 0:
		return body[:at.from]
	}
	body = slices.Clone(body)
	body[at.from] ^= byte(1 << d.roll(7))
	return body
}

// number rolls a number below n, however large.
func (d *dice) number(n int) int { return (d.roll(256)<<16 | d.roll(256)<<8 | d.roll(256)) % n }

// place is where a value is in a body.
type place struct {
	from, to int
	key      int  // where the name of a member starts
	element  bool // of an array
}

func (p place) text(body []byte) string { return string(body[p.from:p.to]) }

// named is the value, with its name where it is a member.
func (p place) named(body []byte) string {
	if p.element {
		return p.text(body)
	}
	return string(body[p.key:p.to])
}

func (p place) with(body []byte, value string) []byte {
	return slices.Concat(body[:p.from], []byte(value), body[p.to:])
}

// without leaves the value out, and the comma before or after it.
func (p place) without(body []byte) []byte {
	from, to := p.from, p.to
	if !p.element {
		from = p.key
	}
	const space = " \t\r\n"
	behind := bytes.TrimLeft(body[to:], space)
	if bytes.HasPrefix(behind, []byte(",")) {
		return slices.Concat(body[:from], behind[1:])
	}
	return slices.Concat(bytes.TrimRight(body[:from], space+","), behind)
}

// values returns all members and elements of a body, none if it is not JSON.
func values(body []byte) (all []place) {
	r := reader{Decoder: json.NewDecoder(bytes.NewReader(body)), body: body}
	if err := r.value(); err != nil {
		return nil
	}
	return r.all
}

// reader finds the values of a body.
type reader struct {
	*json.Decoder
	body []byte
	all  []place
}

// next returns where the next token begins.
func (r *reader) next() int {
	at := int(r.InputOffset())
	return len(r.body) - len(bytes.TrimLeft(r.body[at:], " \t\r\n,:"))
}

func (r *reader) value() error {
	token, err := r.Token()
	if err != nil || token != json.Delim('{') && token != json.Delim('[') {
		return err
	}
	for r.More() {
		p := place{key: r.next(), element: token == json.Delim('[')}
		if !p.element {
			if _, err := r.Token(); err != nil {
				return err
			}
		}
		p.from = r.next()
		i := len(r.all)
		r.all = append(r.all, p)
		if err := r.value(); err != nil {
			return err
		}
		r.all[i].to = int(r.InputOffset())
	}
	_, err = r.Token()
	return err
}
