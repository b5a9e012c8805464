package conversation

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"killick/internal/groundcheck/quoted"
)

// mediaPart is what a part of a message, other than text, has of an image or a file.
type mediaPart struct {
	URL                       json.RawMessage `json:"image_url"`
	Source                    json.RawMessage
	MimeType, Title, Filename string
	Data                      string          `json:"file_data"`
	Inner                     json.RawMessage `json:"file"`
	FileID                    string          `json:"file_id"`
	FileURL                   string          `json:"file_url"`
}

var (
	// dataURL matches the beginning of an address that holds the data.
	dataURL = regexp.MustCompile(`^data:([^;,]+)[;,]`)
	// mediaForm is that of a media type.
	mediaForm = regexp.MustCompile(`^[A-Za-z0-9][\w!#$&^.+-]*/[A-Za-z0-9][\w!#$&^.+-]*$`)
)

// named returns the type of an image or a file, and its name if it has one.
func (a *mediaPart) named(kind string) []string {
	var source struct {
		MediaType string `json:"media_type"`
		FileID    string `json:"file_id"`
		URL       string
	}
	address := "" // of a search result
	if json.Unmarshal(a.Source, &source) != nil {
		_ = json.Unmarshal(a.Source, &address)
	}
	url, name, known := "", a.Filename+a.Title, source.MediaType+a.MimeType
	switch kind {
	case "image_url", "input_image":
		kind = "image"
		var in struct{ URL string }
		if json.Unmarshal(a.URL, &url) != nil && json.Unmarshal(a.URL, &in) == nil {
			url = in.URL
		}
	case "file", "input_file":
		kind, url = "file", a.Data
		var in struct {
			Filename string
			Data     string `json:"file_data"`
			ID       string `json:"file_id"`
		}
		if json.Unmarshal(a.Inner, &in) == nil {
			url, name, a.FileID = in.Data, in.Filename, in.ID
		}
		name = cmp.Or(name, a.FileID, a.FileURL)
	case "input_audio":
		kind = "audio"
	case "search_result":
		kind, known = "search result", ""
		if name += "; " + address; address == "" || a.Title == "" {
			name = a.Title + address
		}
	case "image", "document", "video", "audio":
		name = cmp.Or(name, source.URL, source.FileID)
	default:
		return nil
	}
	if found := dataURL.FindStringSubmatch(url); found != nil {
		known = found[1]
	}
	if !mediaForm.MatchString(known) || len(known) > 127 {
		known = kind
	}
	if name != "" {
		known += ` "` + strings.ReplaceAll(quoted.Fold(name), `"`, "'") + `"`
	}
	return []string{known}
}
