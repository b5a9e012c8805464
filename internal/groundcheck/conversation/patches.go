package conversation

import (
	"encoding/json"
	"regexp"
	"strings"
)

var patchHeader = regexp.MustCompile(`(?m)^(\*\*\* Add File: |\*\*\* Update File: |\*\*\* Delete ` +
	`File: |\*\*\* Move to: |\+\+\+ b/)(.+?)\s*$`)

// hashHeader matches the line in which a patch of oh-my-pi names a file, and the first line below
// it.
var hashHeader = regexp.MustCompile(`(?m)^\[(.+)#[0-9A-Fa-f]{4}\]\n(.*)$`)

// hashPatch reports whether the call is an edit of oh-my-pi, by such a patch.
func (k *Call) hashPatch() bool {
	return k.Tool == "edit" && k.Named("i") != "" &&
		strings.HasPrefix(strings.TrimSpace(k.Named("input")), "*** Begin Patch")
}

// Header is a line in which a patch names a file.
type Header struct{ Put, Path string }

var headerPuts = map[string]string{
	"*** Add File: ": "add", "*** Update File: ": "update", "*** Delete File: ": "delete",
	"*** Move to: ": "move to", "+++ b/": "update",
}

// operations are the types of OpenAI's hosted patches, which name their only file in a member.
var operations = map[string]string{"create_file": "add", "update_file": "update",
	"delete_file": "delete"}

// Patched returns the headers of the patches among the call's arguments.
func (k *Call) Patched() (headers []Header) {
	var hosted struct{ Type, Path string }
	if k.Tool == "apply_patch" && json.Unmarshal([]byte(k.raw), &hosted) == nil {
		if put := operations[hosted.Type]; put != "" && hosted.Path != "" {
			return []Header{{put, hosted.Path}}
		}
	}
	if k.hashPatch() {
		for _, found := range hashHeader.FindAllStringSubmatch(k.Named("input"), -1) {
			put := "edit"
			if strings.HasPrefix(found[2], "REM") {
				put = "delete"
			} else if to, ok := strings.CutPrefix(found[2], "MV "); ok {
				headers = append(headers, Header{"move from", found[1]})
				put, found[1] = "move to", to
			}
			headers = append(headers, Header{put, found[1]})
		}
		return headers
	}
	for _, a := range k.Args {
		if !strings.Contains(a.Text, "*** Begin Patch") && !strings.Contains(a.Text, "\n+++ b/") {
			continue
		}
		for _, found := range patchHeader.FindAllStringSubmatch(a.Text, -1) {
			put := headerPuts[found[1]]
			if n := len(headers); put == "move to" && n > 0 {
				headers[n-1].Put = "move from"
			}
			headers = append(headers, Header{put, strings.TrimSpace(found[2])})
		}
	}
	return headers
}

// HeaderPaths returns the files that patches name, each once.
func (k *Call) HeaderPaths() (paths []string) {
	seen := map[string]bool{}
	for _, h := range k.Patched() {
		if !seen[h.Path] {
			seen[h.Path] = true
			paths = append(paths, h.Path)
		}
	}
	return paths
}
