package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"killick/internal/patherror"
	"killick/internal/terminal"
	"killick/replay/aschat"
	"killick/tokenizer"
	"killick/view"
)

// countDefaultModel is used if neither the flag nor the request names a model.
const countDefaultModel = "gpt-5.1"

const countLong = `Count the tokens of a text, or of the body of a request to chat completions,
Messages, Responses, generateContent, Converse or Ollama's chat: JSON with a
"messages", an "input" or a "contents" array. The first number printed is the
total. For a request, a line for each message and one for the tools follow.
Other JSON is counted as plain text, with a warning. The command runs offline.

Models whose tokenizer is not published, such as Claude and Gemini, are counted
in o200k_base, as serve counts them; an estimate of their own count follows.`

const countExample = `  killick count notes.txt
  killick count --json request.json
  git diff | killick count --model gpt-4o -`

// countResult is what the command prints as JSON.
type countResult struct {
	Total    int    `json:"total"`
	Kind     string `json:"kind"` // text or request
	Model    string `json:"model"`
	Encoding string `json:"encoding"`
	// whether the encoding is the model's own; otherwise Estimate is what the model's tokenizer
	// is expected to count, 0 if nothing is known of it
	Published bool `json:"published"`
	Estimate  int  `json:"estimate,omitempty"`
	Tools     int  `json:"tools,omitempty"`
	// the rest of a request: reply priming, formats
	Overhead int            `json:"overhead,omitempty"`
	Messages []countMessage `json:"messages,omitempty"`
}

type countMessage struct {
	Index  int    `json:"index"`
	Role   string `json:"role"`
	Tokens int    `json:"tokens"`
}

func newCount() *cobra.Command {
	var (
		model          string
		asJSON, asText bool
	)
	cmd := &cobra.Command{
		Use:     "count [flags] FILE|-",
		Short:   "Count the tokens of a text or of a request body",
		Long:    countLong,
		Example: countExample,
		Args:    oneFile,
		RunE: running(func(cmd *cobra.Command, args []string) error {
			data, err := readInput(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			result, notRequest := count(data, model, asText)
			if notRequest != nil {
				printWarning(cmd.ErrOrStderr(), "counted as a text (as --text does), not as a "+
					"request: "+notRequest.Error())
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), result)
			}
			return result.print(cmd.OutOrStdout())
		}),
	}
	cmd.Flags().StringVar(&model, "model", "",
		"count for this `model` (default: the request's own, else "+countDefaultModel+")")
	cmd.Flags().BoolVar(&asJSON, "json", false, `print JSON: {"total": N, ...}`)
	cmd.Flags().BoolVar(&asText, "text", false, "count a request body as plain text")
	return cmd
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("count takes one file, or - for standard input; got %d", len(args))
	}
	return nil
}

// readInput reads a file, or standard input for "-".
func readInput(name string, stdin io.Reader) ([]byte, error) {
	if name != "-" {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, patherror.Plain(err)
		}
		return data, nil
	}
	data, err := io.ReadAll(stdin)
	if err != nil {
		return nil, fmt.Errorf("reading standard input: %w", err)
	}
	return data, nil
}

// count counts data as a request if it is one, else as a text. notRequest is why, if the data looks
// like JSON.
func count(data []byte, model string, asText bool) (result countResult, notRequest error) {
	counter := tokenizer.New(tokenizer.Options{})
	if !asText {
		body := bytes.TrimPrefix(data, []byte("\ufeff")) // as some editors begin a file
		req, err := parseRequest(body)
		if req != nil {
			result := countRequest(counter, req, model)
			result.estimate(counter.For(result.Model), body)
			return result, nil
		}
		notRequest = err
	}
	model = cmp.Or(model, countDefaultModel)
	m := counter.For(model)
	result = countResult{Total: m.Text(string(data)), Kind: "text", Model: model,
		Encoding: m.Encoding().Name()}
	result.estimate(m, data)
	return result, notRequest
}

// parseRequest reads the body of a request. The error is nil if the data does not begin like one.
func parseRequest(body []byte) (*view.Request, error) {
	object := bytes.TrimSpace(body)
	if !bytes.HasPrefix(object, []byte("{")) {
		return nil, nil
	}
	if err := oneValue(body); err != nil {
		return nil, err
	}
	format := aschat.FormatOf(object)
	if format == nil {
		return nil, errors.New(`it has no "messages", "input" or "contents" array`)
	}
	req, err := view.Parse(format, body)
	if err != nil {
		return nil, fmt.Errorf("in the format %s: %w", format.Name(), err)
	}
	return req, nil
}

// oneValue reports an error, with its line, if the body is not one JSON value.
func oneValue(body []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(body, &raw)
	if err == nil {
		return nil
	}
	if json.NewDecoder(bytes.NewReader(body)).Decode(&raw) == nil {
		return errors.New("there is more after the first JSON value; count takes one request, " +
			"replay takes one per line")
	}
	line := 1
	if at := new(json.SyntaxError); errors.As(err, &at) {
		line += bytes.Count(body[:at.Offset], []byte("\n"))
	}
	return fmt.Errorf("invalid JSON in line %d: %w", line, err)
}

// estimate sets what the model's own tokenizer is expected to count.
func (r *countResult) estimate(m tokenizer.Model, data []byte) {
	if r.Published = m.Published(); r.Published {
		return
	}
	if factor := m.Factor(data); factor != 1 {
		r.Estimate = int(math.Round(float64(r.Total) * factor))
	}
}

func countRequest(counter *tokenizer.Counter, req *view.Request, model string) countResult {
	model = cmp.Or(model, req.Model(), countDefaultModel)
	m := counter.For(model)
	b := m.Request(req)
	result := countResult{
		Total: b.Total, Kind: "request", Model: model, Encoding: m.Encoding().Name(),
		Tools: b.Tools, Overhead: b.Overhead,
	}
	msgs := req.Messages()
	for i, n := range b.Messages {
		result.Messages = append(result.Messages, countMessage{Index: i,
			Role: string(msgs[i].Role()), Tokens: n})
	}
	return result
}

func (r countResult) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	unit := "tokens"
	if r.Total == 1 {
		unit = "token"
	}
	fmt.Fprintf(w, "%d %s (%s, %s)\n", r.Total, unit, terminal.Printable(r.Model), r.Encoding)
	switch {
	case r.Estimate > 0:
		fmt.Fprintf(w, "  about %d by the model's own tokenizer, which is not published\n",
			r.Estimate)
	case !r.Published:
		fmt.Fprintln(w, "  the model's own tokenizer is not known: it may count more")
	}
	for _, m := range r.Messages {
		fmt.Fprintf(w, "  message %d\t%s\t%d\n", m.Index, terminal.Printable(m.Role), m.Tokens)
	}
	if r.Kind == "request" {
		fmt.Fprintf(w, "  tools\t\t%d\n", r.Tools)
		fmt.Fprintf(w, "  overhead\t\t%d\n", r.Overhead)
	}
	return errors.Join(w.Flush())
}
