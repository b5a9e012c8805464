package settings

func (p *Policy) Excluded(tool string) bool {
	for _, pattern := range p.ExcludeTools {
		if matchesTool(pattern, tool) {
			return true
		}
	}
	return false
}
