package compactor

import "bytes"

// billedPartMarks are the member names that a part which is not billed by its
// bytes has. A body that spells them with escapes is counted as text, which at
// worst forwards it as it came.
var billedPartMarks = [][]byte{[]byte(`image_url"`), []byte(`input_audio"`), []byte(`file"`), []byte(`input_image"`), []byte(`video_url"`)}

// billedParts is an upper bound of the image, audio and file parts in a body. It
// goes from quote to quote: this is all that is read of most bodies.
func billedParts(body []byte) (n int) {
	for {
		i := bytes.IndexByte(body, '"')
		if i < 0 {
			return n
		}
		body = body[i+1:]
		if len(body) == 0 || body[0] != 'i' && body[0] != 'f' && body[0] != 'v' {
			continue
		}
		for _, mark := range billedPartMarks {
			if bytes.HasPrefix(body, mark) {
				n++
			}
		}
	}
}
