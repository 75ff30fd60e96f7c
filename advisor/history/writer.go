package history

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"schedmate"
	"schedmate/advisor/fingerprint"
)

// about says what the tables hold.
//
// Invariant: the counts are those of the tables of the same store.
type about struct {
	Layout   int    `json:"layout"` // of the derived tables
	Form     int    `json:"form"`   // of the prints
	Embedder string `json:"embedder,omitempty"`
	Dim      int    `json:"dim,omitempty"`
	Records  int    `json:"records"`
	Outcomes int    `json:"outcomes"`
	Works    int    `json:"works"`
	Numbers  int    `json:"numbers"` // of works, those of forgotten works included
}

const (
	layout         = 2
	building       = -1     // the tables are being made
	writeBatch     = 100000 // records of one change when the index is made anew
	vectorsInOne   = 128    // a value of 64 KB
	postingsInOne  = 4096   // their offsets have two bytes
	mostDim        = 1 << 16
	mostNumbers    = math.MaxInt32
	bytesOfPosting = 2
)

func (a about) space() space { return space{a.Embedder, a.Dim} }

func readAbout(tx Tx) (a about, err error) {
	text := tx.Get(aboutTable, []byte("about"))
	if text == nil {
		return a, nil
	}
	if err := json.Unmarshal(text, &a); err != nil || a.Dim < 0 || a.Dim > mostDim || a.Numbers < 0 || a.Numbers > mostNumbers {
		return about{}, nil // as if there were no index: it is made again
	}
	return a, nil
}

// writer changes the tables within one change of the store. What it puts is
// gathered and put in order of the keys: a tree on disk that takes many keys in
// any order within one change moves each time what stands behind.
type writer struct {
	tx       Tx
	embedder fingerprint.Embedder
	about    about
	queue    map[string][]entry           // by table, to be put
	owned    map[string]map[string][]byte // values that are changed again and again, to be put
	ids      map[string]bool              // taken in by this writer
	numbers  map[string]int               // of works by Whole, as far as they were looked up
}

// entry is a key with its value; nil: to be deleted.
type entry struct{ key, value []byte }

func newWriter(tx Tx, embedder fingerprint.Embedder, a about) *writer {
	return &writer{
		tx: tx, embedder: embedder, about: a,
		queue: make(map[string][]entry), owned: make(map[string]map[string][]byte), ids: make(map[string]bool), numbers: make(map[string]int),
	}
}

// openWriter is a writer for tables that are there.
func openWriter(tx Tx, embedder fingerprint.Embedder) (*writer, error) {
	a, err := readAbout(tx)
	if err == nil && a.Layout != layout {
		err = errBrief
	}
	return newWriter(tx, embedder, a), err
}

func (w *writer) put(table string, key, value []byte) {
	w.queue[table] = append(w.queue[table], entry{key, value})
}

// flush puts what was gathered.
func (w *writer) flush() error {
	for table, values := range w.owned { //schedmate:ordered tables are apart, and sorted below
		for key, value := range values { //schedmate:ordered the same
			w.put(table, []byte(key), value)
		}
	}
	clear(w.owned)
	for table, entries := range w.queue { //schedmate:ordered tables are apart
		slices.SortStableFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
		for _, e := range entries {
			var err error
			if e.value == nil {
				err = w.tx.Delete(table, e.key)
			} else {
				err = w.tx.Put(table, e.key, e.value)
			}
			if err != nil {
				return err
			}
		}
	}
	clear(w.queue)
	return nil
}

func (w *writer) close() error {
	text, err := json.Marshal(w.about)
	if err != nil {
		return err
	}
	w.put(aboutTable, []byte("about"), text)
	return w.flush()
}

// take takes records in; keep is false for those that are in the data table.
func (w *writer) take(ctx context.Context, records []*Record, keep bool) error {
	var fresh []*Record
	for _, r := range records {
		if w.ids[r.ID] || w.tx.Get(idsTable, []byte(r.ID)) != nil {
			continue
		}
		if err := r.Validate(); err != nil {
			return err
		}
		w.ids[r.ID] = true
		w.put(idsTable, []byte(r.ID), instantKey(nil, r.EndS))
		fresh = append(fresh, r)
	}
	if err := w.works(ctx, fresh); err != nil {
		return err
	}
	for _, r := range fresh {
		key := recordKey(r)
		if keep {
			value, err := encodeKept(r)
			if err != nil {
				return err
			}
			w.put(dataTable, key, value)
		}
		short := brief(r)
		for _, name := range nameKeys(r.User, r.JobName, r.GPUs) {
			w.put(namesTable, append(hashKey(name), key...), short)
		}
		if r.Print.Form != 0 {
			w.put(runsTable, append(numberKey(w.numbers[r.Print.Whole]), key...), short)
		}
		if isOutcome(r) {
			w.put(outcomesTable, key, short)
			w.about.Outcomes++
		}
	}
	w.about.Records += len(fresh)
	return nil
}

// works gives numbers to the works of records, new ones to those that are new.
func (w *writer) works(ctx context.Context, records []*Record) error {
	var fresh []fingerprint.Print
	var texts []string
	for _, r := range records {
		whole := r.Print.Whole
		if _, known := w.numbers[whole]; known || r.Print.Form == 0 {
			continue
		}
		if n := w.tx.Get(worksTable, []byte(whole)); len(n) == 4 {
			w.numbers[whole] = int(binary.BigEndian.Uint32(n))
			continue
		}
		w.numbers[whole] = w.about.Numbers + len(fresh)
		fresh, texts = append(fresh, r.Print), append(texts, r.Print.Fields.Text())
	}
	if len(fresh) == 0 {
		return nil
	}
	vectors, of, err := embed(ctx, w.embedder, texts)
	if err != nil {
		return err
	}
	if w.about.Embedder == "" {
		w.about.Embedder, w.about.Dim = of.embedder, of.dim
	}
	if err := w.about.space().admits(of); err != nil {
		return err
	}
	for i, p := range fresh {
		n := w.about.Numbers
		text, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("encode print: %w", err)
		}
		w.put(printsTable, []byte(p.Whole), text)
		w.put(worksTable, []byte(p.Whole), numberKey(n))
		w.put(numbersTable, numberKey(n), briefPrint(p))
		w.putVector(n, vectors[i])
		for _, key := range postingKeys(p) {
			w.post(key, n)
		}
		w.about.Numbers, w.about.Works = n+1, w.about.Works+1
	}
	return nil
}

func (w *writer) putVector(n int, v fingerprint.Vector) {
	at, key := n%vectorsInOne, numberKey(n/vectorsInOne)
	width := 8 + w.about.Dim
	chunk := w.own(vectorsTable, key, (at+1)*width)
	binary.LittleEndian.PutUint64(chunk[at*width:], math.Float64bits(v.Norm))
	copy(chunk[at*width+8:], bytesOf(v))
}

// own is the value under a key, of at least a length, to be changed.
func (w *writer) own(table string, key []byte, least int) []byte {
	if w.owned[table] == nil {
		w.owned[table] = make(map[string][]byte)
	}
	value, mine := w.owned[table][string(key)]
	if !mine {
		value = bytes.Clone(w.tx.Get(table, key))
	}
	if len(value) < least {
		value = append(value, make([]byte, least-len(value))...)
	}
	w.owned[table][string(key)] = value
	return value
}

func postingKey(key string, n int) []byte {
	return binary.BigEndian.AppendUint32(hashKey(key), uint32(n/postingsInOne))
}

func (w *writer) post(key string, n int) {
	at := postingKey(key, n)
	list := w.own(postingsTable, at, 0)
	w.owned[postingsTable][string(at)] = binary.BigEndian.AppendUint16(list, uint16(n%postingsInOne))
}

// unpost takes a work out of the list of a key.
func (w *writer) unpost(key string, n int) {
	at := postingKey(key, n)
	var left []byte
	for pair := range slices.Chunk(w.tx.Get(postingsTable, at), bytesOfPosting) {
		if len(pair) == bytesOfPosting && int(binary.BigEndian.Uint16(pair)) != n%postingsInOne {
			left = append(left, pair...)
		}
	}
	w.put(postingsTable, at, left)
}

// old are the keys of the records that a retention does not keep.
func (w *writer) old(keep Retention, now schedmate.Seconds) (keys [][]byte, err error) {
	surplus := 0
	if keep.MaxRecords > 0 {
		surplus = max(0, w.about.Records-keep.MaxRecords)
	}
	err = w.tx.Walk(dataTable, nil, func(key, _ []byte) (bool, error) {
		end, ok := endOfKey(key)
		if !ok || w.tx.Get(brokenTable, key) != nil {
			return true, nil
		}
		if len(keys) >= surplus && (keep.MaxAge <= 0 || now-end <= keep.MaxAge) {
			return false, nil
		}
		keys = append(keys, bytes.Clone(key))
		return true, nil
	})
	return keys, err
}

// forget takes a record out of all tables, and its work with it if that has no
// other run.
func (w *writer) forget(key []byte) error {
	r, err := w.decoder().decode(w.tx.Get(dataTable, key))
	if err != nil {
		return err
	}
	w.put(dataTable, key, nil)
	w.put(idsTable, []byte(r.ID), nil)
	for _, name := range nameKeys(r.User, r.JobName, r.GPUs) {
		w.put(namesTable, append(hashKey(name), key...), nil)
	}
	if isOutcome(r) {
		w.put(outcomesTable, key, nil)
		w.about.Outcomes--
	}
	w.about.Records--
	if r.Print.Form == 0 {
		return w.flush()
	}
	number := bytes.Clone(w.tx.Get(worksTable, []byte(r.Print.Whole)))
	if len(number) != 4 {
		return fmt.Errorf("work of record %.40q: %w", r.ID, errBrief)
	}
	w.put(runsTable, append(bytes.Clone(number), key...), nil)
	if err := w.flush(); err != nil {
		return err
	}
	n, more := int(binary.BigEndian.Uint32(number)), false
	err = w.tx.Walk(runsTable, numberKey(n), func(key, _ []byte) (bool, error) {
		more = bytes.HasPrefix(key, numberKey(n))
		return false, nil
	})
	if err != nil || more {
		return err
	}
	for table, key := range map[string][]byte{worksTable: []byte(r.Print.Whole), printsTable: []byte(r.Print.Whole), numbersTable: numberKey(n)} {
		w.put(table, key, nil)
	}
	for _, key := range postingKeys(r.Print) {
		w.unpost(key, n)
	}
	w.about.Works--
	return w.flush()
}

func (w *writer) decoder() *decoder {
	return &decoder{kept: func(whole string) []byte { return w.tx.Get(printsTable, []byte(whole)) }}
}

// again takes a batch of the data table's records into the other tables, from a
// key on, and returns the key to go on from, nil at the end.
func (w *writer) again(ctx context.Context, from []byte) (next []byte, err error) {
	var batch []*Record
	ids := make(map[string]bool)
	decoder := w.decoder()
	err = w.tx.Walk(dataTable, from, func(key, value []byte) (bool, error) {
		if len(batch) == writeBatch {
			next = bytes.Clone(key)
			return false, nil
		}
		r, err := decoder.decode(value)
		if err == nil && !bytes.Equal(key, recordKey(r)) {
			err = fmt.Errorf("record %.40q does not stand where its end puts it", r.ID)
		}
		if err == nil && (ids[r.ID] || w.tx.Get(idsTable, []byte(r.ID)) != nil) {
			err = fmt.Errorf("record %.40q has the id of another", r.ID)
		}
		if err != nil {
			w.put(brokenTable, bytes.Clone(key), []byte(err.Error()))
			return true, nil
		}
		batch, ids[r.ID] = append(batch, r), true
		return true, ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if err := w.take(ctx, batch, false); err != nil {
		return nil, err
	}
	return next, w.shorten(batch)
}

// shorten keeps records, whose prints are kept now, without them.
func (w *writer) shorten(records []*Record) error {
	for _, r := range records {
		key := recordKey(r)
		value, err := encodeKept(r)
		if err != nil {
			return err
		}
		if len(value) < len(w.tx.Get(dataTable, key)) {
			w.put(dataTable, key, value)
		}
	}
	return nil
}
