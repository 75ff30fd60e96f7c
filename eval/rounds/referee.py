"""Solves lease rounds and admissions to a proof, to compare the planner with.

    python3 eval/rounds/referee.py [-seconds 15] FILE.json...

It writes what it proves into each case as `expect`: `objective`, or for a round that
it does not finish `bounds`; of an admission `admit`. Answered cases are left alone.

The model is the textbook one: x[i,c,k], job i under policy c holds a lease in slot k;
y[i,c,s], it meets step s; w[j,c] and u[j,c,q] for spot jobs and sub-slots. The sums
over first slots are added, which all calendars keep, because CP-SAT finds bounds
faster with them. It shares nothing with the planner but the format.

Needs the package ortools (9.15.6755 was used for what is stored in testdata).
"""

import argparse
import json

import ortools
from ortools.sat.python import cp_model

PROVED_BY = "OR-tools CP-SAT " + ortools.__version__ + ", direct model x[i,k]"
ONE = 232792560  # of a reward: divisible by 1 to 22, so that shares of best effort are whole
SIZES = (1, 2, 4, 8)


def levels(policy):
    """How many aligned cells of each size a policy takes, larger ones counted as several."""
    cells = policy.get("cells")
    if cells is None:
        gpus = policy["gpus"]
        cells = {"8": gpus // 8}
        for size in (4, 2, 1):
            cells[str(size)] = gpus // size % 2
    return [sum(n * (int(s) // size) for s, n in cells.items() if int(s) >= size) for size in SIZES]


class Model:
    """A round; with promised, all its jobs with deadlines must meet their first step."""

    def __init__(self, case_round, promised):
        self.round, self.promised = case_round, promised
        self.slots, self.capacity = case_round["slots"], case_round["capacity"]
        self.sub = case_round.get("sub") or 1
        self.cp = cp_model.CpModel()
        self.gain, self.late = [], 0
        self.use = [[] for _ in range(self.slots + 1)]  # (GPUs, x) of each slot
        self.spot = [[] for _ in range(self.sub)]  # (GPUs, u) of each sub-slot
        self.cells = [[[] for _ in SIZES] for _ in range(self.sub)]  # (cells, x or u) of each sub-slot and size
        self.first = [[] for _ in range(self.slots + 1)]  # (GPU-leases, y) that must lie in slots 1..t
        for job in case_round["jobs"]:
            if job["kind"] in ("strict", "soft"):
                self.deadlines(job)
            elif not promised:
                self.spots(job)
        self.limits()

    def deadlines(self, job):
        late = round(job.get("late", 0) * ONE)
        self.late += late
        met = []
        for policy in job["policies"]:
            own, last = [], 0
            for step in job["steps"][:1] if self.promised else job["steps"]:
                inside = max(0, policy["leases"] - max(0, step["by"] - self.slots))
                window = min(step["by"], self.slots)
                if inside > window:
                    continue
                y = self.cp.new_bool_var("")
                own.append((y, inside, window))
                last = max(last, window)
                self.gain.append((round(step["reward"] * ONE) - late, y))
                for t in range(1, self.slots + 1):
                    need = max(0, policy["leases"] - max(0, step["by"] - t))
                    if need:
                        self.first[t].append((policy["gpus"] * need, y))
            met += [y for y, _, _ in own]
            x = [self.cp.new_bool_var("") for _ in range(last)]
            for k, var in enumerate(x):
                self.use[k + 1].append((policy["gpus"], var))
                self.cp.add_bool_or([y for y, _, _ in own] + [~var])
            if x:
                for size, cells in enumerate(levels(policy)):
                    for q in range(self.sub):
                        self.cells[q][size].append((cells, x[0]))
            for y, inside, window in own:
                if inside:
                    self.cp.add(sum(x[:window]) >= inside * y)
        if self.promised:
            self.cp.add(sum(met) == 1)
        elif met:
            self.cp.add_at_most_one(met)

    def spots(self, job):
        chosen = []
        for policy in job["policies"]:
            w = self.cp.new_bool_var("")
            chosen.append(w)
            each = ONE if job["kind"] == "prof" else ONE // policy["leases"]
            held = []
            for q in range(self.sub):
                u = self.cp.new_bool_var("")
                held.append(u)
                self.cp.add_implication(u, w)
                self.gain.append((each, u))
                self.spot[q].append((policy["gpus"], u))
                for size, cells in enumerate(levels(policy)):
                    self.cells[q][size].append((cells, u))
            self.cp.add(sum(held) <= policy["leases"])
        self.cp.add_at_most_one(chosen)

    def limits(self):
        def most(terms, limit):
            if terms:
                self.cp.add(sum(n * var for n, var in terms) <= limit)

        there = 0
        for k in range(1, self.slots + 1):
            there += self.capacity[k - 1]
            most(self.first[k], there)
            if k > 1:
                most(self.use[k], self.capacity[k - 1])
        if self.slots == 0:
            return
        free = self.round.get("free_cells")
        for q in range(self.sub):
            most(self.use[1] + self.spot[q], self.capacity[0])
            if free:
                for size, name in enumerate(SIZES):
                    most(self.cells[q][size], free.get(str(name), 0))

    def solve(self, seconds):
        if not self.promised and self.gain:
            self.cp.maximize(sum(n * var for n, var in self.gain))
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = 1
        solver.parameters.linearization_level = 2
        return solver, solver.status_name(solver.solve(self.cp))


def answer(case, seconds):
    if "new" in case:
        jobs = case["round"]["jobs"] + [case["new"]]
        _, status = Model(dict(case["round"], jobs=jobs), True).solve(seconds)
        admit = {"OPTIMAL": True, "FEASIBLE": True, "INFEASIBLE": False}.get(status)
        return {} if admit is None else {"admit": admit, "proved_by": [PROVED_BY]}
    model = Model(case["round"], False)
    solver, status = model.solve(seconds)
    if not model.gain:
        return {"objective": model.late / ONE, "proved_by": [PROVED_BY]}
    if status not in ("OPTIMAL", "FEASIBLE"):
        return {}
    value = round((solver.objective_value + model.late) / ONE, 6)
    if status == "OPTIMAL":
        return {"objective": value, "proved_by": [PROVED_BY]}
    return {"bounds": [value, round((solver.best_objective_bound + model.late) / ONE, 6)]}


def main():
    parser = argparse.ArgumentParser(description="solve lease rounds to a proof")
    parser.add_argument("-seconds", type=float, default=15, help="for each case")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    for file in args.files:
        with open(file) as f:
            doc = json.load(f)
        for case in doc["cases"]:
            if "expect" not in case:
                case["expect"] = answer(case, args.seconds)
        head = "".join(json.dumps(k) + ": " + json.dumps(v) + ",\n" for k, v in doc.items() if k != "cases")
        with open(file, "w") as f:
            f.write("{" + head + '"cases": [\n' + ",\n".join(json.dumps(c, separators=(",", ":")) for c in doc["cases"]) + "\n]}\n")
        print(file, flush=True)


main()
