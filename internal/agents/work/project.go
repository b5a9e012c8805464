package work

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// projectFiles is how many source files a project has.
const projectFiles = 24

var subjects = []string{"cart", "price", "tax", "order", "stock", "coupon", "invoice", "refund",
	"parcel", "address", "customer", "catalog", "search", "review", "wallet", "ledger", "audit",
	"session", "notice", "report", "import", "export", "backup", "limit"}

// sourceName returns the path of the kth file in the project.
func sourceName(k int) string {
	return fmt.Sprintf("src/%s.go", subjects[k%projectFiles])
}

// revision is the line of a file that steps edit.
func revision(name string, n int) string {
	return fmt.Sprintf("// revision %d of %s", n, filepath.Base(name))
}

// source returns the text of the kth file, between 2 and 10 KB and so many bytes more, each with
// lines of its own.
func source(k, more int) string {
	name := sourceName(k)
	subject := subjects[k%projectFiles]
	title := strings.ToUpper(subject[:1]) + subject[1:]
	var b strings.Builder
	fmt.Fprintf(&b, "// Package shop, the %s part.\npackage shop\n\n%s\n\n", subject,
		revision(name, 0))
	fmt.Fprintf(&b, "import (\n\t\"errors\"\n\t\"fmt\"\n)\n\nvar err%s = errors.New(%q)\n\n", title,
		subject+" is not valid")
	for i := 0; b.Len() < 2000+(k*2731)%7500+more; i++ {
		fmt.Fprintf(&b, "// %s%d applies rule %d of the %s to an amount in cents.\n", title, i,
			(i*37+k*11)%97, subject)
		fmt.Fprintf(&b, "func %s%d(cents, count int) (int, error) {\n\tif count < %d {\n", title, i,
			i%5)
		fmt.Fprintf(&b, "\t\treturn 0, fmt.Errorf(\"%s %d: %%w\", err%s)\n\t}\n", subject, i, title)
		fmt.Fprintf(&b, "\treturn cents*count*%d/%d + %d, nil\n}\n\n", 100+(i*7+k)%40, 100+i%9,
			(i*i+k*3)%211)
	}
	return b.String()
}

// check is a program of the project whose output and exit code follow from the file's name.
const check = `#!/bin/sh
# Prints a line for each function of a file; fails for files whose revision is even.
n=0
for f in $(grep -o '^func [A-Za-z0-9]*' "$1" | cut -d' ' -f2); do
  n=$((n+1))
  echo "ok   $f   0.0${n}s"
done
if grep -q 'revision [0-9]*[02468] of' "$1"; then
  echo "FAIL $1: revision is even"
  exit 1
fi
echo "PASS $1: $n functions"
`

// WriteProject creates the project in dir, its source files so many bytes longer than the smallest.
func WriteProject(dir string, more int) error {
	files := map[string]string{
		"check.sh": check,
		"go.mod":   "module shop\n\ngo 1.22\n",
		"NOTES.md": "# Shop\n\nAmounts are in cents. Run `sh check.sh FILE` after an edit.\n",
	}
	for k := range projectFiles {
		files[sourceName(k)] = source(k, more)
	}
	return WriteFiles(dir, files)
}

// WriteFiles writes texts below dir.
func WriteFiles(dir string, files map[string]string) error {
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
