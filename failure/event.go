package failure

// event is something a line says about a failure, or several alike of one
// stretch of the log.
type event struct {
	place
	stream      *stream
	rule        *Rule
	text        string // of the line, or of the exception from its name
	captures    map[string]string
	exception   *exception // when the line ends a block
	ticks       int64      // records of progress of the stream before it
	records     int64      // the same of the busiest stream of the file
	step        float64    // the counter at the last of them, NaN when there was none
	times       int        // lines of the same kind in this stretch
	latest      place      // of them
	lastTicks   int64      // records of the stream before the latest
	lastRecords int64
	lines       []place // the first of them
	tentative   bool    // of a try that is not the last, or told for developers
}

// tier of the event's rule.
func (e *event) tier() Tier { return e.rule.Tier }

// maxEvents is how many events are kept, maxAlike how many of one rule (thousands
// of ranks that say the same are counted), and maxLines how many lines of each.
const (
	maxEvents = 2048
	maxLines  = 64
	maxAlike  = 128
)
