package shell

import (
	"slices"
	"strings"
	"testing"
)

// spelled returns changes as "delete! a.go", with "!" for a change that is certain if the command
// did not fail, and "0" for one that is certain if its exit code is 0.
func spelled(changes []Change) (texts []string) {
	kinds := [...]string{"edit", "write", "append", "delete", "from", "to", "copy",
		"restore"}
	for _, c := range changes {
		text := kinds[c.Kind] + [...]string{"?", "0", "!"}[c.Certain] + " " + c.Path
		if c.Pattern {
			text += " (pattern)"
		}
		texts = append(texts, text)
	}
	return texts
}

func TestChangesOfCommands(t *testing.T) {
	for command, want := range map[string][]string{
		"rm a.go":                            {"delete! a.go"},
		"rm -rf ./build":                     {"delete! build"},
		"rm -i a.go":                         {"delete? a.go"},
		"rm -- -a.go":                        {"delete! -a.go"},
		"rm 'a b.go' \"c.go\"":               {"delete! a b.go", "delete! c.go"},
		"rm *.go":                            {"delete? *.go (pattern)"},
		"rm '*.go'":                          {"delete! *.go"},
		"rm a.{go,mod}":                      {"delete? a.* (pattern)"},
		"rm $F":                              nil,
		`rm C:\src\a.go`:                     nil, // another shell reads the path whole
		`rm 'C:\src\a.go' x.go`:              {`delete! C:\src\a.go`, "delete! x.go"},
		"rm $(ls)":                           nil,
		"rm \"$DIR/x/a.go\"":                 nil,
		"F=a.go; rm $F":                      nil,
		"cd x && rm a.go":                    {"delete! x/a.go"},
		"cp a.go b.go && git rm -q a.go":     {"copy! b.go", "delete! a.go"},
		"mv a.go b.go && sed -i s/a/b/ b.go": {"from! a.go", "to! b.go", "edit! b.go"},
		"mv a.go b.go && sed -n 1p b.go":     {"from0 a.go", "to0 b.go"},
		"rm a.go && grep -r a.go .":          {"delete0 a.go"},
		"rm a.go && git commit -qm x":        {"delete0 a.go"},
		"rm a.go && cd x > b.txt":            {"delete0 a.go", "write0 x/b.txt"},
		"rm a.go && ! cd x":                  {"delete0 a.go"},
		"rm a.go && (cd x || rm /b.go)":      {"delete0 a.go", "delete? /b.go"},
		"cd /x && rm a.go && ls":             {"delete0 /x/a.go"},
		"(cd x && rm a.go); rm b.go":         {"delete? x/a.go", "delete0 b.go"},
		"cd $D && rm a.go":                   {"delete? a.go"},
		"cd $D && rm /x/a.go":                {"delete0 /x/a.go"},
		"rm a.go; ls":                        {"delete? a.go"},
		"rm a.go || true":                    {"delete? a.go"},
		"test -f a.go && rm a.go":            {"delete0 a.go"},
		"if test -f a.go; then rm a.go; fi":  {"delete? a.go"},
		"for f in a.go b.go; do rm $f; done": nil,
		"while read f; do rm x/a.go; done":   {"delete? x/a.go"},
		"exit 0; rm a.go":                    {"delete? a.go"},
		"rm() { :; }; rm a.go":               {"delete? a.go"},
		"! rm a.go":                          {"delete? a.go"},
		"rm a.go &":                          {"delete? a.go"},
		"sudo rm a.go":                       {"delete! a.go"},
		"command -v rm":                      nil,
		"bash -lc 'rm a.go'":                 nil,
		"echo rm a.go":                       nil,
		"echo 'a; rm b.go'":                  nil,
		"git rm a.go":                        {"delete! a.go"},
		"git rm -r --cached a.go":            nil,
		"git -C x rm a.go":                   {"delete! x/a.go"},
		"mv a.go b.go":                       {"from! a.go", "to! b.go"},
		"mv a.go b.go x/": {"from! a.go", "from! b.go", "to! x/a.go",
			"to! x/b.go"},
		"mv a.go lib":                                  {"from! a.go", "to? lib", "to? lib/a.go"},
		"mv -n a.go b.go":                              {"from? a.go", "to? b.go"},
		"git mv a.go b.go":                             {"from! a.go", "to! b.go"},
		"cp a.go b.go":                                 {"copy! b.go"},
		"cp -r a b":                                    {"copy? b", "copy? b/a"},
		"echo x > a.go":                                {"write! a.go"},
		"echo x >> a.go":                               {"append! a.go"},
		"ls > /dev/null 2>&1":                          nil,
		"go test ./... > out.txt 2> err.txt":           {"write! out.txt", "write! err.txt"},
		"cat a.go > b.go":                              {"write! b.go"},
		"cat > a.go <<'EOF'\nx $y\nEOF":                {"write! a.go"},
		"cat <<EOF > a.go\nx\nEOF":                     {"write! a.go"},
		"cat <<EOF > a.go\nx $y\nEOF":                  {"write! a.go"},
		"cat >> a.go <<'EOF'\nx\nEOF":                  {"append! a.go"},
		"cat > a.go <<'EOF'\nx\nEOF\ngo run a.go":      {"write? a.go"},
		"cat > a.go <<'E' && sed -i s/x/y/ a.go\nx\nE": {"write0 a.go", "edit0 a.go"},
		"cat <<'EOF'\nrm a.go > b.go\nEOF":             nil,
		"tee a.go <<'EOF'\nx\nEOF":                     {"write! a.go"},
		"go test ./... | tee -a out.txt":               {"append! out.txt"},
		"tee out.txt | grep x":                         {"write? out.txt"},
		"sed -i s/a/b/ a.go b.go":                      {"edit! a.go", "edit! b.go"},
		"sed -i '' 's/a/b/' a.go":                      {"edit! a.go"},
		"sed -i.bak -e s/a/b/ a.go":                    {"edit! a.go"},
		"sed -Ei -e s/a/b/ -e s/c/d/ a.go":             {"edit! a.go"},
		"sed -n 1,9p a.go":                             nil,
		"perl -pi -e 's/a/b/' a.go":                    {"edit? s/a/b/", "edit? a.go"},
		"gofmt -w a.go internal/x && go test ./...":    {"edit? a.go", "edit? internal/x"},
		"gofmt -l .":                                   nil,
		"gofmt -w .":                                   {"edit? "},
		"git checkout -- a.go":                         {"restore! a.go"},
		"git checkout main -- a.go":                    {"restore! a.go"},
		"git checkout a.go":                            {"edit? "},
		"git checkout -b fix":                          nil,
		"git restore a.go":                             {"restore! a.go"},
		"git restore --staged a.go":                    nil,
		"git restore .":                                {"edit? "},
		"git stash":                                    {"edit? "},
		"git stash list":                               nil,
		"git reset --hard":                             {"edit? "},
		"git reset HEAD a.go":                          nil,
		"git commit -m 'rm a.go'":                      nil,
		"patch -p1 < a.patch":                          {"edit? "},
		"patch a.go a.patch":                           {"edit? "},
		"git apply a.patch":                            {"edit? "},
		"python3 - <<'E'\nopen('x/a.go','w')\nE":       nil,
		"python3 -c \"print('a b')\"":                  nil,
		"grep -l x . | xargs sed -i s/x/y/":            nil,
		"find x -name '*.go' -delete":                  nil,
		"go fmt ./...":                                 {"edit? "},
		"[[ a > b ]]":                                  nil,

		// What looks like a change, and is none or another one. All was compared with bash.
		"perl -MList::Util=sum -ne 'print' a.go":  nil,
		"perl -Ilib t/a.pl":                       nil,
		"perl -pi -E 's/a/b/' a.go":               {"edit? s/a/b/", "edit? a.go"},
		"perl -pi a.pl a.go":                      {"edit? a.pl", "edit? a.go"},
		"sed -es/hi/ho/ a.go b.go":                nil,
		"sed $O -i s/a/b/ a.go":                   {"edit? s/a/b/", "edit? a.go"},
		"mv $O a.go b.go":                         {"from? a.go", "to? b.go/a.go"},
		"mv x z/":                                 {"from! x", "to? z/x"},
		"mv a.go z/":                              {"from! a.go", "to! z/a.go"},
		"cp --parents x/a.go z/":                  {"copy? z/a.go"},
		"rm f{1..2}.go":                           {"delete? f*.go (pattern)"},
		"D=x; cd $D && rm a.go":                   {"delete? a.go"},
		"cat > a.go <<'E'\nx\r\nE":                {"write! a.go"},
		"true 1<> a.go":                           {"write? a.go"},
		"git rm 'x/*.go'":                         {"delete? x/*.go (pattern)"},
		"git checkout -- '*.go'":                  {"restore? *.go (pattern)"},
		"prettier --write 'src/**/*.ts'":          {"edit? src/**/*.ts (pattern)"},
		"rmdir --ignore-fail-on-non-empty x":      {"delete? x"},
		"ed -s a.go <<'E'\n1p\nE":                 {"edit? a.go"},
		"node_modules/.bin/prettier --write a.ts": {"edit? a.ts"},
		"command exit 0; rm a.go":                 {"delete? a.go"},
		"cd x; rm a.go":                           {"delete? x/a.go"},
		"pushd x && rm a.go":                      {"delete? a.go"},
		"if ls x; then cd x; fi; rm a.go":         {"delete? a.go"},
		"cat >> a.go <<'E' >> b.go\nx\nE":         {"append? a.go", "append! b.go"},
		"ls >> a.go 2>> b.go":                     {"append! a.go", "append! b.go"},
		"rm {\"a\",b}.go":                         {"delete? {a,b}.go (pattern)"},
		"isort --check-only a.py":                 nil,
		"autopep8 a.py":                           nil,
		"autopep8 -i a.py":                        {"edit? a.py"},
		"x => rm a.go; {":                         nil,
		"":                                        nil,
	} {
		if got := spelled(Read(command).Changes); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestFilesThatChangesTouch(t *testing.T) {
	for _, test := range []struct {
		command, file   string
		covers, touches bool
	}{
		{"rm a.go", "a.go", true, true},
		{"rm a.go", "/r/x/a.go", true, true},
		{"rm /r/x/a.go", "x/a.go", true, true},
		{"rm a.go", "ba.go", false, false},
		{"rm -r x", "x/a.go", true, true},
		{"rm -r x", "/r/x/a.go", false, true},
		{"rm -r /r/x", "x/a.go", false, true},
		{"rm -r /r/x", "/r/x/y/a.go", true, true},
		{"rm -r /q/x", "/r/x/a.go", false, false},
		{"rm ~/.pi/a.json", "/home/b/.pi/a.json", true, true},
		{"rm *.go", "x/a.go", false, true},
		{"rm x/*.go", "y/a.go", false, false},
		{"git stash", "a.go", false, true},
	} {
		c := Read(test.command).Changes[0]
		if c.Covers(test.file) != test.covers || c.Touches(test.file) != test.touches {
			t.Errorf("%s: %s: covers %v, touches %v", test.command, test.file,
				c.Covers(test.file), c.Touches(test.file))
		}
	}
}

// Commands that are designed to be costly are not read, or are read quickly.
func TestHostileCommands(t *testing.T) {
	for _, part := range []string{"(", "$(", "{ ", "${a:-", "$((", "if ", "! ", "a | ", "a && ",
		"<<a ", "`", "\\`", "((-", "[[ ! ", "a=(", "case x in a) ", "for f in $f; do ",
		"sudo "} {
		Read(strings.Repeat(part, maxCommand/len(part)))
	}
	if Read(strings.Repeat(" ", maxCommand)+"rm a").Changes != nil {
		t.Error("a command that is too long was read")
	}
	if Read(strings.Repeat("(", 200)+"rm a"+strings.Repeat(")", 200)).Changes != nil {
		t.Error("a command that is too deep was read")
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"cd x && rm a.go", "cat > a <<'E'\nx\nE", "sed -i '' s/a/b/ *.go",
		"for f in a b; do git mv $f \"$D/$f\"; done", "sudo tee a 2>&1 | xargs rm"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		for _, c := range Read(command).Changes {
			if c.Path == "" && c.Certain != Never || c.Pattern && c.Certain != Never {
				t.Errorf("%q: %v is certain", command, c)
			}
			c.Touches("x/a.go")
		}
	})
}
