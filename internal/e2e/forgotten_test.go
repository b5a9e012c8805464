package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/convert"
)

// sensitiveTurns are the requests of a session whose long first message holds a credential: what
// is sent of it is a part, with a handle of the rest as redacted.
func sensitiveTurns(turns int) (bodies [][]byte) {
	long := strings.Repeat("Mind how limits are parsed in each of the files that are read. ", 40) +
		"The token is ghp_" + strings.Repeat("a1B2c3D4e5F6", 3) + ". "
	for _, body := range sessionTurns("anybody", turns) {
		bodies = append(bodies, bytes.Replace(body, []byte("Find where"), []byte(long+"Find where"),
			1))
	}
	return bodies
}

// aList is how a record names the list of all that its turns held.
var aList = regexp.MustCompile(`listed under ref=([a-z2-7]{16})`)

// Of a conversation that is deleted nothing is left: not what was redacted, not the lists of
// handles, in whatever format it was sent.
func TestDeletionLeavesNothingOfAConversation(t *testing.T) {
	noLeaks(t)
	for name, format := range map[string]struct {
		path string
		in   func(chat []byte) []byte
	}{
		"chat": {chatPath, func(chat []byte) []byte { return chat }},
		"messages": {"/v1/messages", func(chat []byte) []byte {
			body, err := convert.Messages(chat)
			if err != nil {
				t.Fatal(err)
			}
			return body
		}},
		"responses": {"/v1/responses", convert.Responses},
	} {
		t.Run(name, func(t *testing.T) {
			var sent []byte
			up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				sent, _ = io.ReadAll(r.Body)
			}))
			defer up.Close()
			w := newWatched(t, up.URL+"/v1", func(c *config.Config) {
				between(5000, 2500)(c)
				c.Compaction.Redact = config.RedactAll
			})
			var body []byte
			for _, turn := range sensitiveTurns(24) {
				body = format.in(turn)
				ask(t, w.Public+format.path, body, "X-Api-Key", "ann")
			}
			lists := aList.FindAllSubmatch(sent, -1)
			if len(lists) == 0 || bytes.Contains(sent, []byte("ghp_")) {
				t.Fatalf("%d lists in %d bytes, in which the token is: %t", len(lists),
					len(sent), bytes.Contains(sent, []byte("ghp_")))
			}
			erase := func(path string, body []byte) string {
				status, text := send(t, http.MethodDelete, w.Public+path, body, "X-Api-Key", "ann")
				if status != http.StatusOK {
					t.Fatalf("%s: %d %s", path, status, text)
				}
				return text
			}
			text := erase("/killick/conversations", body)
			if strings.Contains(text, `"records":0`) {
				t.Errorf("nothing was deleted: %s", text)
			}
			if text := erase("/killick/data", nil); !strings.Contains(text, `"records":0`) {
				t.Errorf("the deletion of the conversation has left something: %s", text)
			}
		})
	}
}
