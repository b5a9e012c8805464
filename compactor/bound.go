package compactor

import "bytes"

// billedPartMarks are the member names that a part which is not billed by its
// bytes has. A body that spells them with escapes is counted as text, which at
// worst forwards it as it came.
var billedPartMarks = [][]byte{[]byte(`"image_url"`), []byte(`"input_audio"`), []byte(`"file"`), []byte(`"input_image"`), []byte(`"video_url"`)}

// billedParts is an upper bound of the image, audio and file parts in a body.
func billedParts(body []byte) (n int) {
	for _, mark := range billedPartMarks {
		n += bytes.Count(body, mark)
	}
	return n
}
