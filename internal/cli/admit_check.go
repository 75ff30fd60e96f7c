package cli

import (
	"schedmate/scheduler/admit"
	"schedmate/scheduler/verify/calendar"
)

// checkCalendar lets the independent checker judge a certificate, room by room.
func checkCalendar(c *admit.Calendar) error {
	if c == nil {
		return nil
	}
	for i := range c.Rooms {
		room := &c.Rooms[i]
		round := calendar.Round{Capacity: room.GPUs, Sub: 1}
		var entries []calendar.Entry
		for n := range c.Claims {
			x := &c.Claims[n]
			if !room.Holds(x) {
				continue
			}
			for _, k := range c.Slots[n] {
				entries = append(entries, calendar.Entry{Job: len(round.Jobs), Slot: k})
			}
			round.Jobs = append(round.Jobs, calendar.Job{
				ID: x.Job, Must: true, Steps: []calendar.Step{{By: x.By, Reward: 1}},
				Policies: []calendar.Policy{{GPUs: x.GPUs, Leases: x.Leases}},
			})
		}
		if err := calendar.Check(&round, entries, int64(len(round.Jobs))); err != nil {
			return err
		}
	}
	return nil
}
