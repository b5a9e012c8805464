// Package frames reads the binary streams in which Bedrock sends a model's events, pushed piece by
// piece. It never writes any, and reads only for inspection: the bytes themselves are forwarded
// unchanged.
//
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_PayloadPart.html and
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
package frames

import (
	"encoding/base64"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"

	"killick/proxy/coding"
	"killick/rawjson"
)

// Media is the media type of such streams.
const Media = "application/vnd.amazon.eventstream"

// maxFrame bounds what is read of one frame.
const maxFrame = 1 << 20

// NewReader returns a Feeder that calls each with the events in the frames that it is fed, and
// whether it is an error. A frame holds JSON: an event, or, of a model's own API, an object whose
// member bytes is one in base64. The Feeder ends at a frame that cannot be read. The caller calls
// End.
func NewReader(each func(event []byte, failed bool)) *coding.Feeder {
	return coding.Pull(func(src io.Reader) {
		decoder := eventstream.NewDecoder()
		var payload, text, event []byte
		for {
			frame, err := decoder.Decode(io.LimitReader(src, maxFrame), payload)
			if err != nil {
				return
			}
			payload = frame.Payload
			inside := rawjson.Value(payload).Get("bytes")
			if inside.Kind() != rawjson.String {
				each(payload, isException(frame.Headers))
				continue
			}
			text = inside.AppendText(text[:0])
			if event, err = base64.StdEncoding.AppendDecode(event[:0], text); err == nil {
				each(event, false)
			}
		}
	})
}

// isException reports whether the headers of a frame say that it is an error that ends the stream.
func isException(headers eventstream.Headers) bool {
	kind, _ := headers.Get(eventstreamapi.MessageTypeHeader).(eventstream.StringValue)
	return kind == eventstreamapi.ExceptionMessageType || kind == eventstreamapi.ErrorMessageType
}
