package handover

import (
	"errors"
	"fmt"
)

// Phase says how far the end of a lease is.
type Phase string

// The phases, in the order of the drawing of the package comment.
const (
	Running    Phase = "running"
	Saving     Phase = "saving"
	Verifying  Phase = "verifying"
	Publishing Phase = "publishing"
	Stopping   Phase = "stopping"
	Stuck      Phase = "stuck"
	HandedOver Phase = "handed over"
)

// Limits bound the end of a lease.
type Limits struct {
	// Extensions is how often one lease may be made longer, at least 0.
	Extensions int

	// Keep is how many valid checkpoints stay on the disk, at least 2: then one
	// is left when the disk spoils the other.
	Keep int
}

// Validate returns an error that names the limit that is wrong.
func (l Limits) Validate() error {
	switch {
	case l.Extensions < 0:
		return fmt.Errorf("extensions: must be at least 0, got %d", l.Extensions)
	case l.Keep < 2:
		return fmt.Errorf("keep: must be at least 2, so that one checkpoint is left when the disk spoils the other; got %d", l.Keep)
	}
	return nil
}

// Machine is the end of one lease of one job, as a value: Next returns what
// follows. Invariants: Number is at least the number of everything that was
// ever on the disk; Extended is at most Limits.Extensions.
type Machine struct {
	Limits   Limits
	Phase    Phase
	Number   int  // of the checkpoint that is being made, or was made last
	Extended int  // how often the lease was made longer
	GivenUp  bool // the job was stopped before publishing: it resumes from what an inspection finds
}

// New returns the machine of a job that got a lease. Last is the Number of the
// machine of its lease before, 0 for its first, and found what its disk holds.
func New(limits Limits, last int, found Found) (Machine, error) {
	if err := limits.Validate(); err != nil {
		return Machine{}, fmt.Errorf("limits of a hand-over: %w", err)
	}
	return Machine{Limits: limits, Phase: Running, Number: max(last, found.highest())}, nil
}

// Restart returns the machine of a controller that was restarted, from the
// machine as it was written down. It must be written down before its commands
// are carried out: then a writer that was begun and forgotten has a number that
// is not used again. Whether the lease ends is asked anew.
func (m Machine) Restart(found Found) (Machine, []Command) {
	m.Number = max(m.Number, found.highest())
	switch m.Phase {
	case Stopping, Stuck:
		return m, []Command{{Kind: Stop}}
	case HandedOver:
		return m, []Command{{Kind: Free}, {Kind: Inspect}}
	}
	m.Phase = Running
	return m, nil
}

// errUnexpected is wrapped in the error of an event that cannot come in a phase.
var errUnexpected = errors.New("no such event can come now")

// Next returns the machine after an event, and what is to be done. Answers
// about earlier numbers come late and change nothing. An event that cannot
// come in this phase is an error: the machine stays as it is.
func (m Machine) Next(e Event) (Machine, []Command, error) {
	switch e.Kind {
	case Crashed:
		return m.crashed()
	case TimedOut:
		return m.late(e)
	case Stopped:
		return m.stopped()
	case Inspected:
		return m.inspected(e)
	case LeaseEnds:
		if m.Phase != Running {
			return m, nil, nil // it ends already
		}
		return m.save()
	}
	if e.Number > m.Number {
		return m.unexpected(e)
	}
	if e.Number < m.Number {
		return m, nil, nil
	}
	return m.answered(e)
}

// answered goes on where the command under way was answered.
func (m Machine) answered(e Event) (Machine, []Command, error) {
	switch {
	case m.Phase == Running:
		return m, nil, nil // asked before a restart, and nobody waits for it
	case m.Phase == Stopping || m.Phase == Stuck || m.Phase == HandedOver:
		return m, nil, nil // given up meanwhile; the inspection will see what came of it
	case e.Kind == Saved && (m.Phase == Verifying || m.Phase == Publishing), e.Kind == Sound && m.Phase == Publishing:
		return m, nil, nil // said twice
	case m.Phase == Saving && e.Kind == Saved:
		m.Phase = Verifying
		return m, []Command{{Verify, m.Number}}, nil
	case m.Phase == Verifying && e.Kind == Sound:
		m.Phase = Publishing
		return m, []Command{{Publish, m.Number}}, nil
	case m.Phase == Publishing && e.Kind == Published:
		m.Phase = Stopping
		return m, []Command{{Kind: Stop}}, nil
	case m.Phase == Verifying && e.Kind == Torn, e.Kind == Failed:
		return m.again()
	}
	return m.unexpected(e)
}

// save begins a checkpoint with a new number.
func (m Machine) save() (Machine, []Command, error) {
	m.Phase = Saving
	m.Number++
	return m, []Command{{Save, m.Number}}, nil
}

// again tries once more under a new number, if the lease may be made longer.
func (m Machine) again() (Machine, []Command, error) {
	discard := Command{Discard, m.Number}
	if m.Extended == m.Limits.Extensions {
		next, commands, err := m.giveUp()
		return next, append([]Command{discard}, commands...), err
	}
	m.Extended++
	next, commands, err := m.save()
	return next, append([]Command{discard, {Kind: Extend}}, commands...), err
}

// late waits longer for the same answer: what is under way may still succeed, and a
// second writer beside it would only slow it down.
func (m Machine) late(e Event) (Machine, []Command, error) {
	switch {
	case m.Phase == Running || m.Phase == HandedOver || m.Phase == Stuck || e.Number != m.Number:
		return m, nil, nil // a timer that was not taken back
	case m.Extended < m.Limits.Extensions:
		m.Extended++
		return m, []Command{{Kind: Extend}}, nil
	case m.Phase == Stopping:
		m.Phase = Stuck
		return m, []Command{{Kind: Drain}}, nil
	}
	return m.giveUp()
}

// giveUp stops a job that could not save its state.
func (m Machine) giveUp() (Machine, []Command, error) {
	m.GivenUp = true
	m.Phase = Stopping
	return m, []Command{{Kind: Stop}}, nil
}

// crashed clears away what is left of a job whose process ended by itself.
func (m Machine) crashed() (Machine, []Command, error) {
	switch m.Phase {
	case Stopping, Stuck, HandedOver:
		return m, nil, nil // it is being stopped
	}
	return m.giveUp()
}

// stopped hands the GPUs over. Nodes that die are stopped as well, at any moment.
// What is on the disk can be looked at afterwards.
func (m Machine) stopped() (Machine, []Command, error) {
	if m.Phase == HandedOver {
		return m, nil, nil
	}
	m.GivenUp = m.GivenUp || m.Phase != Stopping && m.Phase != Stuck
	m.Phase = HandedOver
	return m, []Command{{Kind: Free}, {Kind: Inspect}}, nil
}

// inspected removes what is not needed any more while Keep valid checkpoints
// stay: temporaries, valid ones that are older, and those that the disk spoiled.
func (m Machine) inspected(e Event) (Machine, []Command, error) {
	if m.Phase != HandedOver {
		return m.unexpected(e)
	}
	var commands []Command
	for _, number := range e.Found.Temporaries {
		commands = append(commands, Command{Discard, number})
	}
	old := len(e.Found.Valid) - m.Limits.Keep
	if old < 0 {
		return m, commands, nil
	}
	for _, numbers := range [][]int{e.Found.Spoiled, e.Found.Valid[:old]} {
		for _, number := range numbers {
			commands = append(commands, Command{Remove, number})
		}
	}
	return m, commands, nil
}

// Resume returns the number of the checkpoint to go on from; ok is false when
// the job must begin anew.
func Resume(found Found) (number int, ok bool) {
	if len(found.Valid) == 0 {
		return 0, false
	}
	return found.Valid[len(found.Valid)-1], true
}

func (m Machine) unexpected(e Event) (Machine, []Command, error) {
	return m, nil, fmt.Errorf("hand-over of checkpoint %d while %s: %s of checkpoint %d: %w; inspect the disk and begin with New", m.Number, m.Phase, e.Kind, e.Number, errUnexpected)
}
