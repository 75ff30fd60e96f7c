package handover

// Event says what happened. Number is that of the checkpoint it is about.
type Event struct {
	Kind   EventKind
	Number int

	// Found comes with Inspected.
	Found Found
}

// EventKind is a kind of event.
type EventKind string

// The events. Saved, Sound, Torn, Published and Failed answer commands;
// TimedOut says that the answer to the command under way is late.
const (
	LeaseEnds EventKind = "lease ends" // no further lease follows, or another job needs the GPUs
	Saved     EventKind = "saved"      // written and flushed
	Sound     EventKind = "sound"      // what the disk holds has the checksum of the job
	Torn      EventKind = "torn"       // it has not
	Published EventKind = "published"  // renamed, and the folder flushed
	Failed    EventKind = "failed"     // the command under way did nothing that lasts: disk full, input or output error
	TimedOut  EventKind = "timed out"
	Crashed   EventKind = "crashed"   // a process of the job ended by itself; others may be left
	Stopped   EventKind = "stopped"   // no process of the job is left, on no node
	Inspected EventKind = "inspected" // what the disk holds
)

// Found is what an inspection found on the disk, numbers ascending.
type Found struct {
	Valid       []int // published, and the checksum holds
	Spoiled     []int // published, and the checksum does not hold
	Temporaries []int
}

// highest returns the highest number that was ever used, 0 when none was.
func (f Found) highest() int {
	highest := 0
	for _, numbers := range [][]int{f.Valid, f.Spoiled, f.Temporaries} {
		for _, number := range numbers {
			highest = max(highest, number)
		}
	}
	return highest
}

// Command asks the world for something. Commands of one step are carried out
// in their order.
type Command struct {
	Kind   CommandKind
	Number int // of the checkpoint; 0 where there is none
}

// CommandKind is a kind of command.
type CommandKind string

// The commands.
const (
	Save    CommandKind = "save"    // write all state under the temporary name of Number and flush it
	Verify  CommandKind = "verify"  // read the temporary back past all caches, compare checksums
	Publish CommandKind = "publish" // rename it to the final name of Number, which must be free; flush the folder
	Discard CommandKind = "discard" // remove the temporary
	Remove  CommandKind = "remove"  // remove the published checkpoint
	Extend  CommandKind = "extend"  // the lease lasts one extension longer
	Stop    CommandKind = "stop"    // end all processes of the job, and make sure that they are gone
	Drain   CommandKind = "drain"   // the nodes take no work: processes there cannot be stopped
	Free    CommandKind = "free"    // the GPUs may be given to somebody else
	Inspect CommandKind = "inspect" // flush the folder (a rename may not be on the disk yet), list it, verify what is published
)
