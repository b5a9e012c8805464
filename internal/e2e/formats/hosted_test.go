package formats

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakemessages"
	"killick/internal/fakeresponses"
	"killick/rawjson"
)

// hosted is a conversation over the Messages API with tools that the API runs: the messages of each
// turn, and which messages of the user have results for a program.
func hosted(turns int) (all [][]byte, forPrograms []int) {
	rows := strings.Repeat(`{\"region\":\"west\",\"amount\":4711},`, 60)
	add := func(role, blocks string) {
		all = append(all, fmt.Appendf(nil, `{"role":%q,"content":[%s]}`, role, blocks))
	}
	call := func(id, caller string) string {
		return fmt.Sprintf(`{"type":"tool_use","id":"%s","name":"query","input":{"sql":"%s"}%s}`,
			id, id, caller)
	}
	result := func(id string) {
		add("user", `{"type":"tool_result","tool_use_id":"`+id+`","content":"`+rows+`"}`)
	}
	add("user", `{"type":"text","text":"Which region sold most?"}`)
	for i := range turns {
		code := fmt.Sprintf("srvtoolu_code%d", i)
		by := `,"caller":{"type":"code_execution_20260120","tool_id":"` + code + `"}`
		for k := range 3 {
			id, run := fmt.Sprintf("q%d_%d", i, k), ""
			if k == 0 {
				run = `{"type":"server_tool_use","id":"` + code + `","name":"code_execution",` +
					`"input":{"code":"await query(1)"}},`
			}
			add("assistant", run+call(id, by))
			result(id)
			forPrograms = append(forPrograms, len(all)-1)
		}
		fetch, id := fmt.Sprintf("srvtoolu_fetch%d", i), fmt.Sprintf("d%d", i)
		add("assistant", `{"type":"code_execution_tool_result","tool_use_id":"`+code+`","content":`+
			`{"type":"code_execution_result","stdout":"42","stderr":"","return_code":0,`+
			`"content":[]}},{"type":"server_tool_use","id":"`+fetch+`","name":"web_fetch",`+
			`"input":{"url":"https://a.example"}},`+call(id, ""))
		result(id)
		add("assistant", `{"type":"web_fetch_tool_result","tool_use_id":"`+fetch+`","content":`+
			`{"type":"web_fetch_tool_result_error","error_code":"unavailable"}},`+
			`{"type":"text","text":"The west sold most."}`)
		add("user", fmt.Sprintf(`{"type":"text","text":"And without product %d?"}`, i))
	}
	return all, forPrograms
}

// first returns the first element of a list.
func first(list rawjson.Value) (rawjson.Value, bool) {
	for element := range list.Elements() {
		return element, true
	}
	return nil, false
}

// Tools that the API runs may have their result in a later message, after results of the client's,
// and programs that it runs may call the client's tools. Wherever such a conversation is folded,
// the API accepts it; and a program gets its results as they are.
func TestToolsThatTheAPIRuns(t *testing.T) {
	up, err := fakemessages.Start(fakemessages.Config{Record: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	all, forPrograms := hosted(12)
	d := newDeployment(t, up.URL()+"/v1", func(c *config.Config) {
		between(8000, 4000)(c)
		c.Compaction.Ingest = 300
	})
	j := newJourney(t, d)
	folds, next := map[string]bool{}, 0
	for n := range all {
		if bytes.Contains(all[n], []byte(`"assistant"`)) {
			continue
		}
		body := fmt.Appendf(nil, `{"model":"claude-sonnet-4-6","max_tokens":100,"cache_control":`+
			`{"type":"ephemeral"},"tools":[{"type":"code_execution_20260120","name":`+
			`"code_execution"},{"name":"query","input_schema":{"type":"object"}}],"messages":[%s]}`,
			bytes.Join(all[:n+1], []byte(`,`)))
		if next < len(forPrograms) && forPrograms[next] == n { // the API would refuse its mark
			body = bytes.Replace(body, []byte(`"cache_control":{"type":"ephemeral"},`), nil, 1)
			next++
		}
		r := j.at(t, n, len(all))
		a := proxytest.Ask(t, "POST", r.Public+"/v1/messages", body, "X-Api-Key", "key",
			"Anthropic-Version", "2023-06-01")
		requests := up.Requests()
		sent := requests[len(requests)-1].Body
		if a.Status != 200 {
			t.Fatalf("request with %d messages: %d %.400s\n%s", n+1, a.Status, a.Body, sent)
		}
		if ref := a.Header.Get("Killick-Summary"); ref != "" {
			folds[ref] = true
		}
		for _, i := range forPrograms[:next] {
			result, _ := first(rawjson.Value(all[i]).Get("content"))
			id := append([]byte(`"tool_use_id":`), result.Get("tool_use_id")...)
			if bytes.Contains(sent, id) && !bytes.Contains(sent, result) {
				t.Fatalf("request with %d messages: the result in message %d was changed", n+1, i)
			}
		}
	}
	j.end(t)
	if len(folds) < 3 {
		t.Errorf("%d records, want 3 at least", len(folds))
	}
}

// A program of the Responses API gets its results as they are, and other calls shortened ones.
func TestResultsForProgramsStayWhole(t *testing.T) {
	up := fakeresponses.New(fakeresponses.Config{Record: true})
	t.Cleanup(up.Close)
	r := newDeployment(t, up.URL(), func(c *config.Config) {
		between(8000, 4000)(c)
		c.Compaction.Ingest = 300
	}).start(t)
	rows := strings.Repeat(`{\"region\":\"west\",\"amount\":4711},`, 100)
	for caller, whole := range map[string]bool{
		`,"caller":{"type":"program","caller_id":"p"}`: true,
		`,"caller":{"type":"direct"}`:                  false,
		``:                                             false,
	} {
		output := `{"type":"function_call_output","call_id":"c","output":"` + rows + `"}`
		body := `{"model":"gpt-5.5","store":false,"input":[{"role":"user","content":"Sum up."},` +
			`{"type":"program","id":"prog_1","call_id":"p","code":"await tools.query()",` +
			`"fingerprint":"f"},{"type":"function_call","call_id":"c","name":"query",` +
			`"arguments":"{}"` + caller + `},` + output + `]}`
		proxytest.Ask(t, "POST", r.Public+"/v1/responses", []byte(body),
			"Authorization", "Bearer k")
		requests := up.Requests()
		sent := requests[len(requests)-1].Body
		if got := bytes.Contains(sent, []byte(output)); got != whole {
			t.Errorf("caller %q: the output is sent whole: %v, want %v\n%s", caller, got, whole,
				sent)
		}
	}
}
