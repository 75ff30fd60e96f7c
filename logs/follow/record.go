package follow

// Record tells where a Follower stopped in a file, so that another one can go
// on there, if it is the same file still.
type Record struct {
	// Path is the path as in [Chunk]. It is empty for a file that lost its name;
	// one of these may turn up under another.
	Path string
	// Real is the path after symbolic links, where a file that was renamed is looked for.
	Real       string
	File       Identity
	Generation uint32 // of the inode; 0 if the file system does not tell
	Offset     int64  // bytes before it have been consumed
	Head       Fingerprint
	Tail       Fingerprint // of the bytes before Offset
}

func (inc *incarnation) record(path string) Record {
	return Record{Path: path, Real: inc.real, File: inc.id, Generation: inc.generation, Offset: inc.offset, Head: inc.head, Tail: inc.tail}
}

// Records returns where following stands: what to give to a new Follower, or
// to [SaveRecords]. It may be called while neither Run nor Poll is running, by the
// handler (the chunk it is handling does not count yet), and by Options.EndRound.
func (f *Follower) Records() []Record {
	var records []Record
	for _, p := range f.files {
		for i, inc := range p.queue {
			if f.owners[inc.id] == inc && (inc.announced || inc.recorded || i > 0) {
				records = append(records, inc.record(p.path))
			}
		}
	}
	return append(records, f.released.all()...)
}

// mostReleased bounds the memory of files that lost their names.
const mostReleased = 4096

// released remembers files that lost their names, the latest ones.
type released struct {
	byID  map[Identity]*Record
	order []*Record // oldest first; one that byID does not hold is out of date
}

func (r *released) put(record Record) {
	if r.byID == nil {
		r.byID = make(map[Identity]*Record)
	}
	record.Path = ""
	r.byID[record.File] = &record
	r.order = append(r.order, &record)
	if len(r.order) > 2*mostReleased {
		r.order = r.current()
	}
	for _, old := range r.order {
		if len(r.byID) <= mostReleased {
			break
		}
		r.forget(old)
	}
}

func (r *released) forget(record *Record) {
	if r.byID[record.File] == record {
		delete(r.byID, record.File)
	}
}

// take returns the record of a file, once, or nil.
func (r *released) take(id Identity) *Record {
	record := r.byID[id]
	delete(r.byID, id)
	return record
}

// current returns the records in order, without those out of date.
func (r *released) current() []*Record {
	var current []*Record
	for _, record := range r.order {
		if r.byID[record.File] == record {
			current = append(current, record)
		}
	}
	return current
}

func (r *released) all() []Record {
	var all []Record
	for _, record := range r.current() {
		all = append(all, *record)
	}
	return all
}
