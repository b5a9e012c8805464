package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// Common tells configurations apart by what decides what is forwarded, and by nothing else.
func TestCommon(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(*Config)
		want string
	}{
		"nothing":     {func(*Config) {}, ""},
		"a trigger":   {func(c *Config) { c.Compaction.Trigger = 20000 }, "compaction"},
		"a mode":      {func(c *Config) { c.Compaction.Mode = ModeObserve }, "compaction"},
		"a model":     {func(c *Config) { c.Models = map[string]ModelSpec{"a": {}} }, "models"},
		"an upstream": {func(c *Config) { c.Upstream.BaseURL = "http://a/v1" }, "upstream"},
		"isolation":   {func(c *Config) { c.Isolation.Inbound = true }, "isolation"},
		"a probe":     {func(c *Config) { c.Probe.Enabled = false }, "probe"},
		"a writer":    {func(c *Config) { c.Model.Name = "m" }, "model"},
		"what is of one replica": {func(c *Config) {
			c.Listen, c.Cache.Dir, c.Limits.Memory, c.Log.Level = ":1", "/d", 1, "debug"
			c.Upstream.Proxy = "http://p"
		}, ""},
		"credentials": {func(c *Config) {
			c.Upstream.APIKey, c.Model.APIKey, c.Probe.Model.APIKey = "k", "k", "k"
		}, ""},
	} {
		plain, other := Default(), Default()
		test.set(&other)
		differ := ""
		for section, text := range other.Common() {
			if text != plain.Common()[section] {
				differ += section
			}
		}
		if differ != test.want {
			t.Errorf("%s: %q differs, want %q", name, differ, test.want)
		}
	}
}

// The text is the same in each process: it has no address of anything.
func TestCommonHasNoAddresses(t *testing.T) {
	c := Default()
	c.Models = map[string]ModelSpec{"a": {}, "b": {}}
	for section, value := range map[string]any{
		"compaction": c.Compaction, "model": c.Model, "models": ModelSpec{}, "probe": c.Probe,
	} {
		if at := addressIn(reflect.TypeOf(value), section); at != "" {
			t.Errorf("%s is printed as an address", at)
		}
	}
	for section, text := range c.Common() {
		if strings.Contains(text, "0x") {
			t.Errorf("%s: %s", section, text)
		}
	}
}

// addressIn returns the path of a field that fmt prints as an address, "" if there is none.
func addressIn(of reflect.Type, path string) string {
	switch of.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Interface:
		return fmt.Sprintf("%s (%s)", path, of)
	case reflect.Struct:
		for i := range of.NumField() {
			if at := addressIn(of.Field(i).Type, path+"."+of.Field(i).Name); at != "" {
				return at
			}
		}
	case reflect.Slice, reflect.Map, reflect.Array:
		return addressIn(of.Elem(), path)
	}
	return ""
}
