package summary

import "strconv"

// attachedBelow returns the entries of what is attached to messages that are not sent along. Of
// those that are, a mark stands in place of an attachment that is left out.
func (sum *Summary) attachedBelow(dir string, room int) []string {
	l := entryList{room: room}
	kept := make(map[int]bool, len(sum.Kept))
	for i := range sum.Kept {
		kept[sum.Kept[i].At] = true
	}
	for i := range sum.Attached {
		if a := &sum.Attached[i]; !kept[a.At] {
			l.add(func() string {
				return strconv.Itoa(a.At) + " " + sum.callIn(dir, a.Of) + ": " + a.Shown
			})
		}
	}
	return l.entries
}
