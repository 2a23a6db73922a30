package results

import "slices"

// Swept names the parameters with two values or more, sorted.
func (s *Summary) Swept() []string {
	first := make(map[string]Value)
	var swept []string
	for _, m := range s.Metrics {
		for name, v := range m.Point {
			seen, ok := first[name]
			if !ok {
				first[name] = v
			} else if seen != v && !slices.Contains(swept, name) {
				swept = append(swept, name)
			}
		}
	}
	slices.Sort(swept)
	return swept
}
