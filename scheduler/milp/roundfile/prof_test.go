package roundfile
import ("testing";"os";"fmt";"schedmate/scheduler/milp")
func TestProf(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("PROF")); if err != nil { t.Skip() }
	cases, _ := Read(text)
	for _, c := range cases {
	a, err := Solve(c, milp.Options{Seed: 1})
	if err != nil { t.Fatal(err) }
	fmt.Println(a.Name, *a.Objective, *a.Bound, a.Engine, a.BudgetUsed)
	}
}
