package pyeval

import "strings"

// Names of environments, as the hub of Stable-Baselines3 keeps them.
func init() {
	native(func(in *Interp, c *Call) Value {
		id := c.first()
		if id.Kind != Str {
			return unknown("the name of an environment")
		}
		o := in.object(environmentClass)
		o.data = &environmentName{strings.ReplaceAll(id.Text, "/", "-")}
		o.Attrs.set(str("gym_id"), id)
		return Value{Kind: ObjectKind, Ref: o, Origin: id.Origin}
	}, "huggingface_sb3.EnvironmentName")
}

var environmentClass = nativeClass("EnvironmentName")

// environmentName is an environment's name, fit for a file.
type environmentName struct{ text string }

func (e *environmentName) printed() string { return e.text }
