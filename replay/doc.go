// Package replay runs recorded conversations through a forwarder, turn by turn as an agent would
// have sent them, and measures what is forwarded: tokens, input cost with a simulated prompt cache,
// whether the request still contains what the next turn needs, and whether it is valid.
//
// It calls no model, opens no connection and changes no conversation. The recording shows what the
// agent did next: the figures state how much of what an answer used was in its request. They cannot
// show what a model would have done with another request.
package replay
