package series

import "schedmate/logs"

// leadWords are the words of a line up to its first number: what the line is
// about, before the list of what it reports. A process number right behind the
// stamp is passed over, and so is a Unix time that comes first.
func leadWords(text []byte, stamp logs.Stamp, fields []logs.Field) []string {
	end := len(text)
	for i := range fields {
		if fields[i].Kind == logs.Percent || fields[i].Kind == logs.Whole {
			continue
		}
		end = fields[i].Start
		if i == 0 && len(fields) > 1 && unixTime(fields[i].Value) {
			continue
		}
		if stamp.End == 0 || stamp.End > end || len(logs.Words(string(text[stamp.End:end]))) > 0 {
			break
		}
	}
	return logs.Words(string(text[:min(end, 400)]))
}

// unixTime tells whether a number reads as seconds or milliseconds since 1970, of
// the years 2008 to 2046.
func unixTime(v float64) bool {
	return v > 1.2e9 && v < 2.4e9 || v > 1.2e12 && v < 2.4e12
}
