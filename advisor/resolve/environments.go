package resolve

import (
	"slices"
	"strings"

	"schedmate/advisor/pyeval"
)

// countsEnvironment reports whether a name counts steps of an environment that
// the program makes: "max_timesteps".
func (v *view) countsEnvironment(name string) bool {
	if name = plain(name); !strings.Contains(name, "timestep") && !strings.Contains(name, "envstep") && !strings.Contains(name, "envframe") {
		return false
	}
	return slices.ContainsFunc(v.obs.Calls, func(c *pyeval.Call) bool {
		name := c.Name
		return strings.HasPrefix(name, "gym.") || strings.HasPrefix(name, "gymnasium.") || strings.HasPrefix(name, "dm_control.") || strings.HasPrefix(name, "envpool.") || strings.HasPrefix(name, "procgen.") || strings.HasPrefix(name, "pettingzoo.")
	})
}
