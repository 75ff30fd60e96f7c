package worker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// kind says what a frame holds.
type kind uint32

const (
	kindHello    kind = 1 + iota // of the child: a solver waits for questions
	kindQuestion                 // of the parent
	kindAnswer                   // of the child
	kindFailure                  // of the child: no answer, or no solver
)

func (k kind) String() string {
	switch k {
	case kindHello:
		return "a hello"
	case kindQuestion:
		return "a question"
	case kindAnswer:
		return "an answer"
	case kindFailure:
		return "a failure"
	}
	return fmt.Sprintf("a frame of kind %d", uint32(k))
}

const (
	protocol   = "smw"
	version    = '1'
	headerSize = 16

	// mostQuestion is the largest payload of a question: five thousand jobs on
	// ten thousand GPUs make some 5 MB.
	mostQuestion = 1 << 29
	// mostText is the largest payload of a hello or a failure.
	mostText = 1 << 14
)

// errNoFrame is rubbish where a frame should begin.
var errNoFrame = errors.New("is not a frame of a solver's worker")

// writeFrame writes header and payload at once, so that a reader never sees half a
// header of a writer that is alive.
func writeFrame(w io.Writer, k kind, payload []byte) error {
	frame := make([]byte, 0, headerSize+len(payload))
	frame = append(frame, protocol...)
	frame = append(frame, version)
	frame = binary.LittleEndian.AppendUint32(frame, uint32(k))
	frame = binary.LittleEndian.AppendUint64(frame, uint64(len(payload)))
	_, err := w.Write(append(frame, payload...))
	return err
}

// readFrame reads one frame whose payload has at most so many bytes. Memory grows
// with what arrives, not with what a header promises. io.EOF is the end between
// two frames.
func readFrame(r io.Reader, most uint64) (kind, []byte, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, nil, err
	}
	if string(header[:len(protocol)]) != protocol {
		return 0, nil, fmt.Errorf("%q %w", header[:], errNoFrame)
	}
	if v := header[len(protocol)]; v != version {
		return 0, nil, fmt.Errorf("it speaks version %q of the protocol, not %q: was the program replaced while it ran? start it again", v, version)
	}
	k, size := kind(binary.LittleEndian.Uint32(header[4:])), binary.LittleEndian.Uint64(header[8:])
	if size > most {
		return 0, nil, fmt.Errorf("%v of %d bytes is larger than the %d that it may have", k, size, most)
	}
	var payload bytes.Buffer
	if n, err := io.Copy(&payload, io.LimitReader(r, int64(size))); err != nil {
		return 0, nil, err
	} else if n < int64(size) {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return k, payload.Bytes(), nil
}
