package transcript

import "testing"

func TestOnlyReads(t *testing.T) {
	for command, want := range map[string]bool{
		"cat a.go": true, "git log -3 | head -5": true, "cd /w && rg 'a|b' . 2>/dev/null": true,
		"ls 2>&1; pwd": true, "sed -n 1,9p a": true, "cat a>b": false, "echo x > a": false,
		"echo x >>a": false, "sed -i s/a/b/ a": false, "find . -delete": false,
		"env rm -r a": false,
		"git push":    false, "cat $(rm a)": false, "go test ./...": false, "ls && rm a": false,
		"ls\nrm a": false, "sed -Ei s/a/b/ a": false, "sed -n --in-place=.bak p a": false,
		"sed -ne /i/p a": true, "sort -uo a b": false, "sort -to b": true,
		"sort --output=a b":  false,
		`grep 'a\' b | rm c`: false, `grep "a\"|b" c | head`: true, "find . -ok rm {} +": false,
		"find . -executable": true, "find . -fprint a": false,
		"fd a -x rm": false, "git diff --output=a": false, "git log --merges": true,
	} {
		c := Call{Effect: Runs, Command: command}
		if got := c.OnlyReads(); got != want {
			t.Errorf("%q only reads: %v, want %v", command, got, want)
		}
	}
}

func TestSamePath(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"src/a.go", "/home/me/src/a.go"}: true,
		{"./src/a.go", "src/a.go"}:        true,
		{"a.go", "src/a.go"}:              true,
		{"ba.go", "a.go"}:                 false,
		{"src/a.go", "lib/a.go"}:          false,
		{"", "a.go"}:                      false,
	} {
		if got := SamePath(pair[0], pair[1]); got != want || SamePath(pair[1], pair[0]) != want {
			t.Errorf("%q: %t, want %t", pair, got, want)
		}
	}
}
