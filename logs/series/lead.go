package series

import "schedmate/logs"

// leadWords are the words of a line up to its first number: what the line is
// about, before the list of what it reports. A process number right behind the
// stamp is passed over.
func leadWords(text []byte, stamp logs.Stamp, fields []logs.Field) []string {
	end := len(text)
	for i := range fields {
		if fields[i].Kind == logs.Percent || fields[i].Kind == logs.Whole {
			continue
		}
		end = fields[i].Start
		if stamp.End == 0 || stamp.End > end || len(logs.Words(string(text[stamp.End:end]))) > 0 {
			break
		}
	}
	return logs.Words(string(text[:min(end, 400)]))
}
