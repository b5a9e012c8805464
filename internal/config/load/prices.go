package load

import (
	"maps"
	"slices"

	"killick/internal/fields"
	"killick/internal/patherror"
	"killick/prices"
)

// resolvePrices reads the file of prices if there is one. Its errors name its own lines.
func (l *loader) resolvePrices() {
	name := l.PricesFile.Path
	if name == "" || l.Faulty(pricesKey) {
		return
	}
	data, err := readYAML(name, "a file of prices")
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
	l.PricesFile.Use(prices.NewTable(file))
}

const pricesKey = "prices_file"

// validatePrices checks the prices of a model at a path.
func (l *loader) validatePrices(at string, m prices.Model) {
	for _, f := range m.Faults() {
		l.Invalid(fields.Join(at, f.Key), "%s", f.Problem)
	}
}
