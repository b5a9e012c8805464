package fakeupstream

import (
	"strings"
	"testing"
)

func TestMalformedForms(t *testing.T) {
	for i, form := range MalformedForms {
		for _, task := range []string{asking, `Write 3 questions. {"questions":{"type":"array"}}`,
			`=== k part of the record that was extracted by rules
x
=== k question 1
What?
=== k end of the data
{"answers":{"type":"array"}}`} {
			req := requestOf(t, append(billing[:5:5], userSays(task))...)
			reply, ok := (&Scripted{Kind: Malformed, Variant: form}).Reply(req)
			seeded, _ := (&Scripted{Kind: Malformed, Seed: uint64(i)}).Reply(req)
			if !ok || reply.Content != seeded.Content {
				t.Errorf("%s: %q by name, %q by seed %d", form, reply.Content, seeded.Content, i)
			}
		}
	}
}

func TestWrappedForms(t *testing.T) {
	req := requestOf(t, append(billing[:5:5], userSays(asking))...)
	plain, _ := (&Scripted{}).Reply(req)
	for _, form := range WrappedForms {
		reply, _ := (&Scripted{Variant: form}).Reply(req)
		if reply.Content == plain.Content || !strings.Contains(reply.Content, plain.Content) {
			t.Errorf("%s: %s, want the answer with something around it", form, reply.Content)
		}
	}
}
