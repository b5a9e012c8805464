package events

import "bytes"

// defaultMaxEvent is the default of Reader.MaxEvent.
const defaultMaxEvent = 1 << 20

// Reader reads the data of the events of a stream that arrives in arbitrary pieces. Lines end in
// LF, CR or both, comments are skipped, several data lines of one event are joined by line feeds.
// The zero value is ready to use.
type Reader struct {
	// MaxEvent limits the bytes held of one event's data; longer events are skipped. If zero, 1
	// MiB.
	MaxEvent int

	line    []byte
	data    []byte
	hasData bool
	tooLong bool // the data exceeds MaxEvent
	cut     bool // the line exceeds MaxEvent; its end is dropped
	afterCR bool // the last byte was a CR, so a LF belongs to the same line end
	started bool
}

// Feed reads the next piece of the stream and calls each with the data of every event that it
// completes. The data is only valid during the call.
func (p *Reader) Feed(b []byte, each func(data []byte)) {
	for len(b) > 0 {
		if p.afterCR {
			p.afterCR = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		n := bytes.IndexAny(b, "\r\n")
		if n < 0 {
			p.hold(b)
			return
		}
		p.afterCR = b[n] == '\r'
		if len(p.line) == 0 && n <= p.max() {
			p.endLine(b[:n], each) // the whole line is in b: no copy
		} else {
			p.hold(b[:n])
			p.endLine(p.line, each)
		}
		p.line = p.line[:0]
		b = b[n+1:]
	}
}

func (p *Reader) max() int {
	if p.MaxEvent > 0 {
		return p.MaxEvent
	}
	return defaultMaxEvent
}

func (p *Reader) hold(b []byte) {
	if len(p.line)+len(b) > p.max() {
		p.cut = true
		b = b[:max(0, p.max()-len(p.line))]
	}
	p.line = append(p.line, b...)
}

func (p *Reader) endLine(line []byte, each func([]byte)) {
	cut := p.cut
	p.cut = false
	if !p.started {
		p.started = true
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	if len(line) == 0 {
		if p.hasData && !p.tooLong {
			each(p.data)
		}
		p.data, p.hasData, p.tooLong = p.data[:0], false, false
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	if string(field) != "data" {
		return
	}
	value = bytes.TrimPrefix(value, []byte(" "))
	if cut || len(p.data)+len(value) > p.max() {
		p.tooLong = true
		return
	}
	if p.hasData {
		p.data = append(p.data, '\n')
	}
	p.hasData = true
	p.data = append(p.data, value...)
}
