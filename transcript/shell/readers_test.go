package shell

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A command that may change something is never said to only read. Some that only read are not
// known to.
func TestOnlyReads(t *testing.T) {
	reads := []string{
		"cat a.go", "git log -3 | head -5", "cd /w && rg 'a|b' . 2>/dev/null", "ls 2>&1; pwd",
		"sed -n 1,9p a", "sed -ne /i/p a", "sort -to b", `grep "a\"|b" c | head`,
		"find . -executable", "git log --merges", "ls\npwd", "cat a || cat b", "wc -l < a",
		"grep '>' a", "grep 'x$' a", "grep \"a;b\" c", "echo '$(rm a)'", "cat a # rm a",
		"sed -n '/from/,/to/p;$p' a", "sed 's/a/b/' a", "sed -E -e 's,a,b,g' -e '/x/d' a",
		"sed 's/w/e/;5q' a", "awk '{print $1}' a", "awk -F'|' '/x/' a",
		"git -C x --no-pager diff a", "git branch", "git branch -vv --merged main",
		"git branch --list 'x*'", "git remote -v", "git remote show origin", "git stash list",
		"git grep -n output", "go list -m all", "go env GOPATH", "gh pr view 3", "gh run list",
		"date +%s", "date -u -Iseconds", "sort -k2 -t, a", "uniq -c a", "rg --pretty x",
		"Get-Content a.cs", `Get-Content "a b.cs"`,
		"get-childitem -Recurse -Filter *.cs | Select-String 'a|b(c)' -List",
		"Test-Path .\\a; Get-Item a\nGet-Date",
		"kubectl --context staging -n shop get pods", "kubectl logs a --previous | tail -5",
		"kubectl rollout history deploy/a", "kubectl config get-contexts", "helm -n shop history a",
		"helm diff upgrade a ./a", "docker compose logs -f a", "docker ps -a", "tofu state list",
		"terraform -chdir=a show", "systemctl status a", "journalctl -u a -n 50",
		"sha256sum a | cut -c 1-8", "jq .a b.json", "tree -I 'a|b'", "yq .a b.yaml",
	}
	changes := []string{
		"Get-Content a > b", "Get-Content a | Set-Content b", "Get-Content a; rm b", "Get-Item 'a",
		"Get-Content a | ForEach-Object { rm $_ }", "Get-Content (rm a)", "Get-Item 'a' & del b",
		"Get-Content \"$(rm a)\"", "Get-Content $(rm a)", "Get-Item `rm a`", "Get-Contents a",
		"Get-Item \"it's\"; rm \"b's\"",
		"cat a>b", "echo x > a", "echo x >>a", "sed -i s/a/b/ a", "find . -delete",
		"env rm -r a", "git push", "cat $(rm a)", "cat `rm a`", "cat <(rm a)", "go test ./...",
		"ls && rm a", "ls\nrm a", "ls & rm a", "ls | tee a", "sed -Ei s/a/b/ a",
		"sed -n --in-place=.bak p a", "sed --in-pl p a", "sort -uo a b", "sort --output=a b",
		"sort --out=a b", `grep 'a\' b | rm c`, "find . -ok rm {} +", "find . -fprint a",
		"fd a -x rm", "fd -Hx rm", "git diff --output=a", "git log --outp=a",
		"git push origin branch", "git checkout branch", "git add status", "git commit log",
		"git branch new", "git branch -d a", "git branch -f a b", "git branch --edit-description",
		"git remote add a b", "git remote update", "git reflog expire --all", "git stash",
		"git stash drop", "git grep -Oless x", "git grep --open-files-in-pager=rm x",
		"git -c core.pager=x log", "git", "sed -n 'w out' a", "sed 's/a/b/w out' a",
		"sed 's/a/rm/e' a", "sed '1e rm a' a", "sed -f a.sed b", "sed '/a/r b;w c' d", "sed '' $A",
		"sed -n '/a/{p;w b\n}' c", "sed", "awk 'BEGIN{system(\"rm a\")}'",
		"awk '{print > \"a\"}' b",
		"awk '{print | \"sh\"}' b", "awk -f a.awk b", "awk -i inplace 1 a", "awk",
		"FOO=1 cat a", "A=b", "cat <<EOF\n$(rm a)\nEOF", "cat <<< a", "(ls)", "! ls", "ls &",
		"if ls; then rm a; fi", "for f in a; do rm a; done", "cat() { rm a; }; cat b",
		"command rm a", "sudo cat a", "xargs rm", "ls | xargs rm", "bash -c ls", "eval ls",
		"/tmp/cat a", "rg --pre rm x", "rg --hostname-bin=rm x", "date -s 1", "date 01010000",
		"uniq a b", "xxd -r a b", "yq -i .a=1 b.yaml", "tree -o a", "less -o a b",
		"file -C -m a", "go env -w A=b", "go list -mod=mod ./...", "gh pr merge 3",
		"gh pr checkout list",
		"gh alias set list x", "$A", "*", "cat $A", "", " ", "ls 2> a", "ls &> a", "ls >| a",
		"kubectl apply -f a", "kubectl -n get delete pod a", "kubectl config use-context a",
		"kubectl rollout restart deploy/a", "kubectl exec a -- ls", "kubectl edit deploy/a",
		"kubectl", "helm upgrade a ./a", "helm template a --output-dir b", "docker compose up -d",
		"docker exec a ls", "docker compose config -o a", "terraform plan -out=a",
		"terraform apply show", "terraform state rm a", "systemctl restart status",
		"journalctl --vacuum-size=1M", "tar cf a b", "python3 -c 1", "sort --compress-program=rm a",
	}
	for want, commands := range map[bool][]string{true: reads, false: changes} {
		for _, command := range commands {
			read := Read(command)
			if got := read.OnlyReads(); got != want {
				t.Errorf("%q only reads: %t, want %t: %+v", command, got, want, read.Programs)
			}
		}
	}
}

func TestPrograms(t *testing.T) {
	program := func(name string, args ...string) Program {
		p := Program{Name: name}
		for _, a := range args {
			p.Args = append(p.Args, Argument{Text: strings.TrimPrefix(a, "pattern "),
				Pattern: strings.HasPrefix(a, "pattern ")})
		}
		return p
	}
	fed := func(p Program) Program {
		p.Input = true
		return p
	}
	for command, want := range map[string][]Program{
		`cd x && sed -n '3,9p' "a b.go" | head -2; ls`: {program("cd", "x"),
			program("sed", "-n", "3,9p", "a b.go"), fed(program("head", "-2")), program("ls")},
		"cat *.go a\\ b":                     {program("cat", "pattern *.go", "a b")},
		"wc -l < a.go 2>&1":                  {fed(program("wc", "-l"))},
		"make":                               {program("make")},
		"cat $A":                             nil,
		"{ cat a; }":                         nil,
		"cat a && (cd x; cat b)":             nil,
		strings.Repeat("ls;", maxPrograms):   slices.Repeat([]Program{program("ls")}, maxPrograms),
		strings.Repeat("ls;", maxPrograms+1): nil,
		strings.Repeat("ls|", maxPrograms+9) + "ls": nil,
	} {
		if got := Read(command).Programs; !reflect.DeepEqual(got, want) {
			t.Errorf("%.60q: %+v, want %+v", command, got, want)
		}
	}
}
