package main

import (
	"context"

	"killick/chat"
)

// EraseConversation implements [proxy.Eraser]. Checkpoints are found by the
// chain of the messages, under the policy of today; originals by their content.
func (c *checkpoints) EraseConversation(ctx context.Context, who string, req *chat.Request) (int, error) {
	msgs := req.Messages()
	var refs []string
	for i := range msgs {
		refs = append(refs, c.scoped(c.secret.Ref(who, []byte(msgs[i].Text()))))
	}
	for len(msgs) > 0 && (msgs[0].Role() == chat.System || msgs[0].Role() == chat.Developer) {
		msgs = msgs[1:]
	}
	conv, ready := c.Conversation(who, msgs).(*conversation), c.prepared().Conversation(who, msgs).(*conversation)
	return c.store.Forget(ctx, append(conv.keys, ready.keys...), who, refs)
}

// EraseOwner implements [proxy.Eraser].
func (c *checkpoints) EraseOwner(ctx context.Context, who string) (int, error) {
	return c.store.ForgetOwner(ctx, who)
}

// EraseAll implements [proxy.Eraser].
func (c *checkpoints) EraseAll(ctx context.Context) (int, error) { return c.store.ForgetAll(ctx) }
