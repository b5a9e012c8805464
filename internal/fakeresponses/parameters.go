package fakeresponses

import (
	"fmt"
	"slices"
	"strings"

	"killick/internal/fakeserver/openaiapi"
)

// movedParameters are those of chat completions that have another name here.
var movedParameters = map[string]string{
	"messages": "input", "max_tokens": "max_output_tokens",
	"max_completion_tokens": "max_output_tokens", "response_format": "text.format",
	"reasoning_effort": "reasoning.effort", "verbosity": "text.verbosity", "functions": "tools",
}

// parameters are the members whose kind is checked, not counting input and conversation.
var parameters = map[string]want{
	"model": aString, "instructions": aString, "stream": aBoolean, "store": aBoolean,
	"previous_response_id": aString, "prompt_cache_key": aString, "tools": anArray,
	"truncation": aString, "context_management": anArray, "include": anArray,
	"prompt_cache_options": anObject, "prompt_cache_retention": aString, "reasoning": anObject,
	"text": anObject,
}

// checkParameters refuses what is wrong beside the input. Null counts as absent.
func checkParameters(o Object) *openaiapi.Error {
	for _, name := range sortedNames(movedParameters) {
		if o.Has(name) {
			return openaiapi.BadRequest(name, "unsupported_parameter", moved, name,
				movedParameters[name])
		}
	}
	for _, name := range sortedNames(parameters) {
		if w := parameters[name]; o.Has(name) && !w.fits(o[name]) {
			return openaiapi.Mistyped(name, wantNames[w], kindOf(o[name]))
		}
	}
	server := o.Has("previous_response_id") || o.Has("conversation") || o.Has("prompt")
	switch {
	case o.Has("previous_response_id") && o.Has("conversation"):
		return openaiapi.BadRequest("", "mutually_exclusive_parameters", exclusive,
			"previous_response_id", "conversation")
	case !o.Has("input") && !server:
		return openaiapi.Lacks("input")
	}
	if e := checkOneOf("truncation", o, "auto", "disabled"); e != nil {
		return e
	}
	if e := checkCacheOptions(o); e != nil {
		return e
	}
	for i, entry := range o.Objects("context_management") {
		if entry.Text("type") != "compaction" {
			return openaiapi.Unsupported(fmt.Sprintf("context_management[%d].type", i),
				entry.Text("type"), "'compaction'")
		}
	}
	return checkTools("tools", o)
}

// checkOneOf refuses a member, the last name of at, that has another value than these.
func checkOneOf(at string, o Object, values ...string) *openaiapi.Error {
	name := at[strings.LastIndexByte(at, '.')+1:]
	if v := o.Text(name); o.Has(name) && !slices.Contains(values, v) {
		return openaiapi.Unsupported(at, v, quoted(values))
	}
	return nil
}

func checkCacheOptions(o Object) *openaiapi.Error {
	options := o.Object("prompt_cache_options")
	if e := checkOneOf("prompt_cache_options.mode", options, "implicit", "explicit"); e != nil {
		return e
	}
	if e := checkOneOf("prompt_cache_options.ttl", options, "30m", "12h"); e != nil {
		return e
	}
	if e := checkOneOf("prompt_cache_retention", o, "in_memory", "24h"); e != nil {
		return e
	}
	if options != nil && o.Has("prompt_cache_retention") {
		return openaiapi.BadRequest("", "mutually_exclusive_parameters", exclusive,
			"prompt_cache_retention", "prompt_cache_options")
	}
	return nil
}

// checkTools refuses tools without a type, and functions in the form of chat completions, whose
// name is one level down.
func checkTools(at string, o Object) *openaiapi.Error {
	for i, tool := range o.Objects(at) {
		typ := tool.Text("type")
		switch {
		case typ == "":
			return openaiapi.Lacks(fmt.Sprintf("%s[%d].type", at, i))
		case (typ == "function" || typ == "custom") && tool.Text("name") == "":
			return openaiapi.Lacks(fmt.Sprintf("%s[%d].name", at, i))
		}
	}
	return nil
}
