package tracker

// UnderRaceDetector makes large tests smaller.
const UnderRaceDetector = underRaceDetector

// Kept is the number of families that the state remembers, and the most records
// and columns of one of them.
func (s *State) Kept() (families, records, columns int) {
	for _, f := range s.set.Families() {
		families++
		records, columns = max(records, f.Len()), max(columns, len(f.Columns))
	}
	return families, records, columns
}
