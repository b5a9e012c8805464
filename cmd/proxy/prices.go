package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"killick/internal/config"
	"killick/internal/config/load"
	"killick/internal/fields"
	"killick/internal/terminal"
	"killick/internal/usage"
	"killick/prices"
)

const pricesLong = `Print model prices, in US dollars per million tokens, and how the providers'
prompt caches behave: from the built-in table or prices_file, and from models in
the configuration. With a model, print only its entry. Prices are those below a
cliff and outside peak hours; these two columns show the factor on the input
price beyond them.`

const pricesExample = `  killick prices
  killick prices claude-opus-5-5
  killick prices --file > prices.yaml      the built-in table, to edit`

func newPrices(env []string) *cobra.Command {
	var file, asFile, asJSON = "", false, false
	cmd := &cobra.Command{
		Use:     "prices [flags] [MODEL]",
		Short:   "Print the prices and cache rules of models",
		Long:    pricesLong,
		Example: pricesExample,
		Args:    atMostOne("model"),
		RunE: running(func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if asFile {
				if len(args) > 0 || asJSON {
					return usage.Error{Err: errors.New("--file prints the whole built-in table " +
						"as YAML; remove the model and --json")}
				}
				_, err := out.Write(prices.PublishedFile())
				return err
			}
			file = cmp.Or(file, load.Lookup(env, load.EnvFile))
			s, err := load.Config(load.Sources{File: file, Env: env})
			if err != nil {
				return err
			}
			rows, err := pricesOf(s, args)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(out, rows)
			}
			return printPrices(out, rows, s.PricesFile.Table().AsOf)
		}),
	}
	cmd.Flags().StringVarP(&file, "config", "c", "",
		"read this `file` (default: the one that "+load.EnvFile+" names)")
	cmd.Flags().BoolVar(&asFile, "file", false, "print the built-in table as a file of prices")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// pricedModel is a line of the table.
type pricedModel struct {
	Name             string  `json:"model"`
	Input            float64 `json:"input"`
	Cached           float64 `json:"cached"`
	Write            float64 `json:"write"`
	Output           float64 `json:"output"`
	LifetimeSeconds  float64 `json:"lifetime_seconds"`          // 0: not stated
	ExtendedSeconds  float64 `json:"extended_lifetime_seconds"` // 0: there is none
	ExtendedWrite    float64 `json:"extended_write"`
	Match            string  `json:"match"`
	Minimum          int     `json:"minimum"`
	CliffAbove       int     `json:"cliff_above"` // 0: there is none
	CliffInputFactor float64 `json:"cliff_input"`
	CliffCached      float64 `json:"cliff_cached"`
	CliffOutput      float64 `json:"cliff_output"`
	PeakHours        string  `json:"peak_hours"` // UTC; "": there are none
	PeakDays         string  `json:"peak_days"`  // "": every day
	PeakFactor       float64 `json:"peak_factor"`
	Source           string  `json:"source"`
}

// pricesOf returns the lines of a model, or of all models that are known by name.
func pricesOf(s *load.Settings, models []string) (rows []pricedModel, err error) {
	names := models
	if len(models) == 0 {
		names = s.PricesFile.Table().Names()
		for name, spec := range s.Models {
			if spec.Prices != (prices.Model{}) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	}
	for _, name := range names {
		m, ok := s.PricesOf(name)
		if !ok && len(models) > 0 {
			return nil, fmt.Errorf("no prices are known for %s; killick prices lists the "+
				"models that have some; set others under models in the configuration, or in a "+
				"prices_file", fields.Quote(name))
		}
		rows = append(rows, pricedModel{name, m.Input, m.Cached, m.Write, m.Output,
			m.Lifetime.Seconds(), m.Extended.Lifetime.Seconds(), m.Extended.Write,
			string(m.Match), m.Minimum, m.Cliff.Above, m.Cliff.Input, m.Cliff.Cached,
			m.Cliff.Output, m.Peak.Hours.String(), m.Peak.Days.String(), m.Peak.Factor, m.Source})
	}
	return rows, nil
}

func printPrices(out io.Writer, rows []pricedModel, asOf string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "model\tinput\tcached\twrite\toutput\tlifetime\tmatch\tminimum\tcliff"+
		"\tpeak (UTC)\tsource")
	for _, r := range rows {
		lifetime, cliff, peak := seconds(r.LifetimeSeconds), "-", "-"
		if r.ExtendedSeconds > 0 {
			lifetime += fmt.Sprintf(" or %s (write %s)", seconds(r.ExtendedSeconds),
				usd(r.ExtendedWrite))
		}
		if r.CliffAbove > 0 {
			cliff = fmt.Sprintf("%s: x%s", terminal.Grouped(r.CliffAbove), usd(r.CliffInputFactor))
		}
		if r.PeakFactor > 0 {
			peak = strings.TrimSpace(r.PeakHours+" "+r.PeakDays) + ": x" + usd(r.PeakFactor)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", terminal.Printable(r.Name),
			usd(r.Input), usd(r.Cached), usd(r.Write), usd(r.Output), lifetime, orDash(r.Match),
			orDash(strconv.Itoa(r.Minimum)), cliff, peak,
			orDash(terminal.Printable(r.Source)))
	}
	if err := w.Flush(); err != nil || asOf == "" {
		return err
	}
	_, err := fmt.Fprintf(out, "As of %s, in US dollars per million tokens.\n",
		terminal.Printable(asOf))
	return err
}

func usd(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }

func seconds(s float64) string {
	if s == 0 {
		return "-"
	}
	return config.DurationText(time.Duration(s) * time.Second)
}

func orDash(s string) string {
	if s == "" || s == "0" {
		return "-"
	}
	return s
}
