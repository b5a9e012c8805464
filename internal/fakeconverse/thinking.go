package fakeconverse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc64"
	"slices"
)

var crcTable = crc64.MakeTable(crc64.ECMA)

// signatureOf returns the signature of a thought that the model had after these messages: the hash
// of all before it but cache points.
func (r *Request) signatureOf(messages []Message, before []Block, thought string) string {
	sum := crc64.New(crcTable)
	_, _ = sum.Write(normal(r.System))
	for _, m := range messages {
		writeBlocks(sum, m.Role, m.Content)
	}
	writeBlocks(sum, "assistant", before)
	_, _ = sum.Write([]byte(thought))
	return fmt.Sprintf("c2ln%016x", sum.Sum64())
}

func writeBlocks(sum interface{ Write([]byte) (int, error) }, role string, blocks []Block) {
	_, _ = sum.Write([]byte(role))
	for i := range blocks {
		if blocks[i].Point == nil {
			_, _ = sum.Write(normal(blocks[i].raw))
		}
	}
}

// normal returns a value as clients may write it again.
func normal(raw json.RawMessage) []byte {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return raw
	}
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(value) // a Buffer takes everything
	return b.Bytes()
}

// drops reports whether the request has thinking left out that is bound to other messages.
func (r *Request) drops() bool {
	const beta = "thinking-binding-controls-2026-08-01"
	return slices.Contains(r.Additional.Betas, beta) &&
		r.Additional.Thinking.Binding.OnMismatch == "drop_block"
}

// checkThinking returns the message of a refusal because of what the model thought.
func (r *Request) checkThinking() string {
	for i := range r.Messages {
		for k := range r.Messages[i].Content {
			b := &r.Messages[i].Content[k]
			if b.Reasoning == nil {
				continue
			}
			text := &b.Reasoning.Text
			want := r.signatureOf(r.Messages[:i], r.Messages[i].Content[:k], text.Text)
			if text.Signature != want {
				return fmt.Sprintf("The model returned the following errors: messages.%d.content."+
					"%d: Invalid `signature` in `thinking` block. The block is bound to a "+
					"different conversation.", i, k)
			}
		}
	}
	return ""
}
