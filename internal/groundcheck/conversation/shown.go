package conversation

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What reading tools say around the lines of a file.
var shownFrom = regexp.MustCompile(`^Showing lines (\d+)-\d+ of \d+ total lines\.$`)

var readNext = regexp.MustCompile(`^\[.* Use offset=(\d+) to continue\.\]$`)

var cutLine = regexp.MustCompile(`^(?:Warning: truncated output|Total output lines: )`)

// LinesBefore returns how many lines of a result precede the output of a call: those that some
// agents put before it.
func LinesBefore(result []string) int {
	i := slices.Index(result[:min(len(result), 8)], "Output:")
	if i < 0 {
		if kimiTime.MatchString(result[0]) {
			return 1
		}
		return 0
	}
	if strings.HasPrefix(result[0], "Script ") {
		i++ // the frame is a part of its own
	}
	for i+1 < len(result) && (cutLine.MatchString(result[i+1]) ||
		result[i+1] == "" && cutLine.MatchString(result[i])) {
		i++ // before an output that was cut
	}
	return i + 1
}

// NumberOf returns the number of a line of a result by what a reading tool states around the lines
// of the file, 0 if it states nothing.
func NumberOf(whole []string, at int) int {
	if found := shownFrom.FindStringSubmatch(whole[0]); found != nil && len(whole) > 3 &&
		whole[2] == "---" {
		from, _ := strconv.Atoi(found[1])
		return from + at - 4
	}
	if n := deepFrom(whole, at); n > 0 {
		return n
	}
	if found := desktopShown.FindStringSubmatch(whole[0]); found != nil && len(whole) > 2 &&
		whole[1] == "" {
		from, _ := strconv.Atoi(found[1])
		if last, _ := strconv.Atoi(found[2]); last > 0 {
			total, _ := strconv.Atoi(found[3])
			from = total - last
		}
		return from + at - 1
	}
	if strings.HasPrefix(whole[0], "Content of ") && strings.HasSuffix(whole[0], ":") {
		return at
	}
	end := len(whole) - 1
	for end > 0 && whole[end] == "" {
		end--
	}
	if found := droidShown.FindStringSubmatch(whole[end]); found != nil {
		from, _ := strconv.Atoi(found[1])
		return from + at
	}
	if found := readNext.FindStringSubmatch(whole[end]); found != nil {
		next, _ := strconv.Atoi(found[1])
		return next - (end - 1) + at
	}
	return 0
}

var droidShown = regexp.MustCompile(`^<system-reminder>\[Showing lines (\d+)-\d+ of \d+ total ` +
	`lines(?:, truncated to \w+ characters)?\]</system-reminder>$`)

var desktopShown = regexp.MustCompile(`^\[Reading (?:\d+ lines from (?:start|line (\d+))|` +
	`last (\d+) lines) \(total: (\d+) lines(?:, \d+ remaining)?\)\]$`)

// deepFrom returns the number of a line of a result of deepagents' read_file, 0 if it states none.
func deepFrom(whole []string, at int) int {
	for i, l := range whole[:min(len(whole), 4)] {
		if found := deepWindow.FindStringSubmatch(strings.TrimSpace(l)); found != nil {
			from, _ := strconv.Atoi(found[1])
			return from + at - i - 1
		}
	}
	return 0
}

// numbers is a list of numbers and truth values.
var numbers = regexp.MustCompile(`^\[(?:\s*(?:[-+.0-9eE]+|true|false|null)\s*,?)+\]$`)

// Spelled returns the arguments as a record spells them: a list of numbers is one.
func (c *Call) Spelled() (args []Argument) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(c.raw), &members) != nil {
		return c.Args
	}
	last := ""
	for _, a := range c.Args {
		if list := members[a.Name]; numbers.Match(list) {
			if a.Name != last {
				all := strings.Fields(strings.NewReplacer(",", " ", "[", " ", "]", " ").
					Replace(string(list)))
				args = append(args, Argument{a.Name, a.Name, a.Name,
					"[" + strings.Join(all, ", ") + "]", false})
			}
			last = a.Name
			continue
		}
		args, last = append(args, a), ""
	}
	return args
}
