package config

import "fmt"

// Common returns as text, by section, the settings that decide which bytes are forwarded. Replicas
// must have them in common. Left out are the keys of APIs, and the prices of prices_file.
func (c *Config) Common() map[string]string {
	model, probe := c.Model, c.Probe
	model.APIKey, probe.Model.APIKey = "", ""
	common := map[string]string{
		"compaction": fmt.Sprintf("%+v", c.Compaction),
		"isolation":  c.Isolation.String(),
		"model":      fmt.Sprintf("%+v", model),
		"models":     fmt.Sprintf("%+v", c.Models), // in the order of their names
		"probe":      fmt.Sprintf("%+v", probe),
	}
	for _, u := range c.AllUpstreams() {
		common["upstream"] += fmt.Sprintf("%q %t %+v\n", u.BaseURL, u.StrictTurns, u.Takes)
	}
	return common
}
