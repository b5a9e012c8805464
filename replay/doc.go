// Package replay runs recorded conversations through a forwarder, turn by turn
// as an agent would have sent them, and measures what is forwarded: tokens, input
// cost under a simulated prompt cache, whether what the next turn needs is still
// there, and whether the requests are valid.
//
// It asks no model, opens no connection and changes no conversation. What the
// agent did next is known from the recording: every figure says how much of
// what that turn used was in the request before it. It cannot say what a model
// would have done with another request.
package replay
