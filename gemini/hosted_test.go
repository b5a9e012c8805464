package gemini

import (
	"testing"

	"killick/internal/viewtest"
)

// Of code and tools that the API ran, the code and the result are read, in either spelling.
func TestCallsThatTheAPIRunsAreRead(t *testing.T) {
	for _, c := range []struct{ parts, want string }{
		{`{"text":"x"},{"functionCall":{"name":"f","args":{}}}`, ""},
		{`{"executableCode":{"language":"PYTHON","code":"print(1)"}},
			{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1\n"}}`,
			`run code_execution {"language":"PYTHON","code":"print(1)"}: "1\n"`},
		{`{"executable_code":{"code":"1/0","id":"a"}},{"executable_code":{"code":"2","id":"b"}},
			{"code_execution_result":{"outcome":"OUTCOME_FAILED","output":"E","id":"a"}}`,
			"run code_execution {\"code\":\"1/0\"}: \"E\" failed\n" +
				`run code_execution {"code":"2"}, no result`},
		{`{"toolCall":{"id":"a","toolType":"GOOGLE_SEARCH_WEB","args":{"queries":["x"]}}},
			{"toolResponse":{"id":"a","toolType":"GOOGLE_SEARCH_WEB","response":{"r":1}}}`,
			`GOOGLE_SEARCH_WEB {"queries":["x"]}: "{\"r\":1}"`},
	} {
		m := parse(t, `{"contents":[{"role":"model","parts":[`+c.parts+`]}]}`).Messages()[0]
		if got := viewtest.HostedCalls(&m); got != c.want {
			t.Errorf("%s:\n%s\nwant %s", c.parts, got, c.want)
		}
	}
}
