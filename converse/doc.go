// Package converse is the wire format of Amazon Bedrock's Converse and ConverseStream: how the
// messages of a request are read into a view, what the API demands of a changed conversation, and
// where cache points are placed. Source: https://docs.aws.amazon.com/bedrock/latest/APIReference,
// "Converse", "ContentBlock" and the types of its members.
//
// A message of the user that carries results is several messages of the view, one for each result
// and one for each run of other blocks. A cache point is a block of its own, which belongs to the
// block before it. The model is in the path, not in the body.
//
// It never decides what to change and never decodes a body and encodes it again.
package converse
