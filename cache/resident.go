package cache

import (
	"path/filepath"

	"killick/cache/platform"
)

// Badger maps its files into memory, and what was written or read once stays
// there until the system is short of memory: a store of 800 MB made a process of
// 1 GB. So pages of these files are released once there are too many of them.

// trimMemory releases the pages of value logs if more than residentLimit of the
// store is in memory, and those of tables too if they alone are more than half of
// that.
func (d *diskBackend) trimMemory() {
	d.touched.Store(0)
	if d.used() <= residentLimit || platform.SharedBytes() <= residentLimit {
		return
	}
	list, err := platform.Mappings(d.absolute)
	if err != nil {
		return
	}
	var all, others int64
	for _, m := range list {
		all += m.Resident
		if filepath.Ext(m.File) != ".vlog" {
			others += m.Resident
		}
	}
	if all <= residentLimit {
		return
	}
	for _, m := range list {
		if filepath.Ext(m.File) == ".vlog" || others > residentLimit/2 {
			m.PageOut()
		}
	}
}
