package compactor

import (
	"fmt"
	"strings"
	"testing"

	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/settings"
	"killick/rawjson"
)

// All outputs have the same size, the newest is last. Files that were read are likelier to be
// needed than outputs of runs, and near outputs likelier than distant ones.
func TestChancesOfBeingNeeded(t *testing.T) {
	output := strings.Repeat("some line of output\n", 2000) // 10,000 tokens of byteCounter
	msgs := []string{`{"role":"user","content":"Go on."}`}
	for i, call := range []string{
		`"name":"read_file","arguments":"{\"path\":\"far.go\"}"`,
		`"name":"read_file","arguments":"{\"path\":\"far.go\",\"offset\":9}"`,
		`"name":"bash","arguments":"{\"command\":\"make\"}"`,
		`"name":"read_file","arguments":"{\"path\":\"again.go\"}"`,
		`"name":"read_file","arguments":"{\"path\":\"again.go\"}"`,
		`"name":"bash","arguments":"{\"command\":\"ls\"}"`,
		`"name":"read_file","arguments":"{\"path\":\"near.go\"}"`,
	} {
		msgs = append(
			msgs,
			fmt.Sprintf(
				`{"role":"assistant","tool_calls":[{"id":"c%d","type":"function",`+
					`"function":{%s}}]}`,
				i,
				call,
			),
			fmt.Sprintf(
				`{"role":"tool","tool_call_id":"c%d","content":%s}`,
				i,
				rawjson.AppendQuoted(nil, output),
			),
		)
	}
	v := layout.New(parse(t, body(msgs)), byBytes("ann", "m"))
	v.Split()
	f := history.New(v, nil, settings.Budget{}, settings.Policy{})
	want := []int{ // in thousandths
		55, 55, 0, // over 40,000 tokens back
		150, 150, 5,
		200,
	}
	if fmt.Sprint(f.Need) != fmt.Sprint(want) {
		t.Errorf("got %d, want %d", f.Need, want)
	}
}
