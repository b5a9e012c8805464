package summary

// commands returns the commands with the outcome of their last run; last, those that only showed
// something that is too long to be quoted.
func (sum *Summary) commands(room int, several map[string]bool) []string {
	l := entryList{room: room, most: maxCommands}
	for _, silent := range []bool{false, true} {
		for i := range sum.Calls {
			if o := &sum.Calls[i]; o.Runs && !o.Failed() &&
				(o.ReadOnly && o.Output == "") == silent {
				l.add(func() string { return o.line(several) })
			}
		}
	}
	return l.entries
}

// inSeveral returns the keys of the commands that look the same and were run in several folders.
func (sum *Summary) inSeveral() map[string]bool {
	several, like := map[string]bool{}, map[string]*Outcome{}
	for i := range sum.Calls {
		o := &sum.Calls[i]
		if !o.Runs {
			continue
		}
		shown := o.Tool + "(" + o.What
		if first := like[shown]; first == nil {
			like[shown] = o
		} else if first.Folder != o.Folder {
			several[first.Key], several[o.Key] = true, true
		}
	}
	return several
}
