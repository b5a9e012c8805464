package fakemessages

import (
	"fmt"
	"strings"
	"testing"

	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
)

// What a request of 1 MB costs the server itself, without HTTP.
func BenchmarkRequest(b *testing.B) {
	s := New(Config{})
	defer s.Close()
	messages := []string{hi}
	for i := range 250 {
		id := fmt.Sprint("c", i)
		messages = append(messages, turnOf("assistant", calls(id)), turnOf("user",
			results(id, strings.Repeat("func handler(w http.ResponseWriter) error {\n", 90))))
	}
	body := []byte(bodyOf(checks, tools+`,"cache_control":{"type":"ephemeral"}`, messages...))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		r, refused := request.Parse(body, nil, false, request.Cloud{}, nil)
		if refused != nil {
			b.Fatal(refused.Message)
		}
		if _, _, refused = thinking.Bind(r, s.cfg.Models); refused != nil {
			b.Fatal(refused.Message)
		}
		s.cache.use(r, s.layout(r, "key"), s.now())
	}
}
