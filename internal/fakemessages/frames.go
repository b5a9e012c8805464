package fakemessages

import (
	"bytes"
	"encoding/base64"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"killick/internal/fakeserver"
)

// Frame returns an event in a frame, as Bedrock streams
// (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_PayloadPart.html).
func Frame(event []byte) []byte {
	var b bytes.Buffer
	err := eventstream.NewEncoder().Encode(&b, eventstream.Message{
		Headers: eventstream.Headers{
			{Name: ":event-type", Value: eventstream.StringValue("chunk")},
			{Name: ":content-type", Value: eventstream.StringValue("application/json")},
			{Name: ":message-type", Value: eventstream.StringValue("event")},
		},
		Payload: fakeserver.EncodeJSON(map[string]string{
			"bytes": base64.StdEncoding.EncodeToString(event), "p": "abcdefghijk",
		}),
	})
	if err != nil {
		panic(err) // a Buffer takes everything
	}
	return b.Bytes()
}
