package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"killick/internal/config"
	"killick/internal/patherror"
	"killick/internal/terminal"
)

// longestLogLine is longer than any line of the access log; a longer one is another program's.
const longestLogLine = 64 << 10

// maxModelsNamed bounds the models that are printed.
const maxModelsNamed = 20

// requestsOf counts the requests by model in the access log of that name: "-" is standard input, ""
// is none.
func requestsOf(name string, stdin io.Reader) (map[string]int, error) {
	in := stdin
	switch name {
	case "":
		return nil, nil
	case "-":
	default:
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("reading the log: %w", patherror.Plain(err))
		}
		defer file.Close()
		in = file
	}
	requests, err := modelsOf(in)
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", patherror.Plain(err))
	}
	return requests, nil
}

// modelsOf counts the requests of a log by model. Other lines are skipped.
func modelsOf(log io.Reader) (requests map[string]int, err error) {
	requests = map[string]int{}
	lines := bufio.NewReaderSize(log, longestLogLine)
	for {
		line, longer, err := lines.ReadLine()
		tooLong := longer
		for longer && err == nil {
			_, longer, err = lines.ReadLine()
		}
		switch {
		case errors.Is(err, io.EOF):
			return requests, nil
		case err != nil:
			return nil, err
		case tooLong:
			continue
		}
		if model := modelOf(string(line)); model != "" {
			requests[model]++
		}
	}
}

// modelOf returns the model in a line of the log, JSON or text. Prefixes added by log collectors
// are ignored.
func modelOf(line string) string {
	if at := strings.IndexByte(line, '{'); at >= 0 {
		var entry struct{ Msg, Model string }
		if json.Unmarshal([]byte(line[at:]), &entry) == nil && entry.Msg == "request" {
			return entry.Model
		}
	}
	if _, attributes, ok := strings.Cut(line, " msg=request "); ok {
		if _, rest, ok := strings.Cut(attributes, " model="); ok {
			model, _, _ := strings.Cut(rest, " ")
			return strings.TrimSpace(model)
		}
	}
	return ""
}

// describeModels describes the models of a log, as comments below a configuration.
func describeModels(requests map[string]int, c *config.Config) string {
	if len(requests) == 0 {
		return "# The log names no model; lines of killick serve at log.level info are needed.\n"
	}
	var unknown []string
	for model := range requests {
		if _, ok := c.PricesOf(model); !ok {
			unknown = append(unknown, model)
		}
	}
	if len(unknown) == 0 {
		return fmt.Sprintf("# The log names %s; the prices of all are known.\n",
			terminal.Plural(len(requests), "model"))
	}
	slices.SortFunc(unknown, func(a, b string) int {
		return cmp.Or(cmp.Compare(requests[b], requests[a]), strings.Compare(a, b))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "# The log names %s; the prices of %d are not known. Set them under models, "+
		"as prices, or in prices_file:\n", terminal.Plural(len(requests), "model"), len(unknown))
	for i, model := range unknown {
		if i == maxModelsNamed {
			fmt.Fprintf(&b, "#   and %d more\n", len(unknown)-i)
			break
		}
		fmt.Fprintf(&b, "#   %s: %s\n", terminal.Printable(model),
			terminal.Plural(requests[model], "request"))
	}
	return b.String()
}
