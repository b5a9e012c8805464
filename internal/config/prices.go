package config

import (
	"maps"
	"math"
	"slices"

	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/fields"
	"killick/internal/patherror"
	"killick/prices"
)

// PricesFile names a table of prices. The zero value is the built-in one.
type PricesFile struct {
	Path  string
	table *prices.Table // of the file, once it is read
}

func (f PricesFile) String() string { return f.Path }

// UnmarshalText takes a path; Load reads the file.
func (f *PricesFile) UnmarshalText(text []byte) error {
	*f = PricesFile{Path: string(text)}
	return nil
}

// Table returns the table.
func (f PricesFile) Table() *prices.Table {
	if f.table != nil {
		return f.table
	}
	return prices.Published()
}

// PricesOf returns a model's prices and cache behaviour: each as set under models, by the most
// specific entry that sets it, else as in the table of prices_file, or in the built-in one. ok is
// false if its prices are unknown; its cache behaviour is returned anyway, if known.
func (c *Config) PricesOf(model string) (m prices.Model, ok bool) {
	m, _ = c.PricesFile.Table().Of(model)
	for _, name := range settings.ByModel(c.Models, model) {
		own := c.Models[name]
		if own.Prices != (prices.Model{}) {
			m = own.Prices.Over(m)
		}
		if own.CacheTTL > 0 {
			m.Lifetime = own.CacheTTL
		}
	}
	return m, m.Input > 0
}

// resolvePrices reads the file of prices if there is one. Its errors name its own lines.
func (l *loader) resolvePrices() {
	name := l.PricesFile.Path
	if name == "" || l.Faulty(pricesKey) {
		return
	}
	data, err := readBounded(name, "a file of prices")
	if err != nil {
		l.Invalid(pricesKey, "its file cannot be read: %v", patherror.Plain(err))
		return
	}
	var file prices.File
	inside := &loader{Reader: fields.NewReader(&fields.Schema{}, &file)}
	inside.File(name, data)
	if len(file.Models) == 0 && len(inside.Faults) == 0 {
		inside.Fail("models", fields.Origin{Where: name}, "is missing or empty; write the "+
			"prices of at least one model, or remove prices_file")
	}
	known := map[string]string{}
	for _, model := range slices.Sorted(maps.Keys(file.Models)) {
		m, at := file.Models[model], fields.Join("models", model)
		if other := known[prices.Normal(model)]; other != "" {
			inside.Invalid(at, "has the prices of the same models as models.%s; delete one of them",
				other)
		}
		known[prices.Normal(model)] = model
		inside.validatePrices(at, m)
		if m.Input == 0 {
			inside.Invalid(fields.Join(at, "input"),
				"is missing; write US dollars per million tokens")
		}
	}
	inside.Faults.Sort()
	for _, f := range inside.Faults {
		f.Line = 0 // it is not a line of the configuration
		l.Faults = append(l.Faults, f)
	}
	l.PricesFile.table = prices.NewTable(file)
}

const pricesKey = "prices_file"

// validatePrices checks the prices of a model at a path.
func (l *loader) validatePrices(at string, m prices.Model) {
	for _, f := range m.Faults() {
		l.Invalid(fields.Join(at, f.Key), "%s", f.Problem)
	}
}

// Costs returns the costs of a model as the compactor sees them.
func (c *Config) Costs(model string) settings.Costs { return CostsOf(c.PricesOf(model)) }

// CostsOf returns the costs of a model as the compactor sees them. Without prices, it only returns
// the lifetime of its cache.
func CostsOf(m prices.Model, priced bool) settings.Costs {
	costs := settings.Costs{Lifetime: m.Lifetime}
	if !priced {
		return costs
	}
	shares := m.Shares()
	costs.Prices = plan.Prices{
		Cached: share(shares.Cached), Write: share(shares.Write), Output: share(shares.Output),
	}
	if m.Cliff.Above > 0 {
		costs.Cliff = plan.Cliff{Above: m.Cliff.Above, Factor: share(m.Cliff.Cached)}
	}
	if m.Extended.Lifetime > 0 {
		costs.Longer = settings.Retention{
			Lifetime: m.Extended.Lifetime, Write: share(m.Long().Shares().Write),
		}
	}
	return costs
}

// share converts a fraction to ten-thousandths.
func share(of float64) int { return int(math.Round(of * plan.Fresh)) }
