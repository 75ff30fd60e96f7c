// Command trainer is a small program that the lab's jobs run. It takes steps in
// real time, writes the log that a training framework would write, and ends as
// it is told.
//
//	trainer -style hf|tqdm|lightning|megatron|keras -steps 100 -step 1s -end ok
//
// What is real in it: the time a step takes, the exit code, the signal, the
// memory that grows until somebody kills it, and the system's error when a
// checkpoint is written to a full device. The words of the frameworks and of
// Python's tracebacks are written after them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

func main() {
	style := flag.String("style", "hf", "whose log: hf, tqdm, lightning, megatron or keras")
	steps := flag.Int("steps", 100, "number of steps")
	step := flag.Duration("step", time.Second, "time of a step")
	end := flag.String("end", "ok", "how it ends after the last step: ok, raise, segv, memory or disk")
	flag.Parse()

	write, known := styles[*style]
	finish, ending := endings[*end]
	if !known || !ending || *steps < 1 {
		fmt.Fprintf(os.Stderr, "trainer: style %q, end %q, %d steps: one of them is not known, see -h\n", *style, *end, *steps)
		os.Exit(2)
	}
	total := *steps
	if *end != "ok" {
		total *= 2 // it ends half way
	}
	begun := time.Now()
	for n := 1; n <= *steps; n++ {
		time.Sleep(*step)
		write(n, total, *step)
		tell(n, total, time.Since(begun)/time.Duration(n))
	}
	finish()
}

// tell writes what the job itself knows of its progress beside its log, for those
// who read the log: in truth-ID.json, in one step, since it may be read at any time.
func tell(n, total int, took time.Duration) {
	id := os.Getenv("SLURM_JOB_ID")
	if array := os.Getenv("SLURM_ARRAY_JOB_ID"); array != "" {
		id = array + "_" + os.Getenv("SLURM_ARRAY_TASK_ID")
	}
	if id == "" || os.Getenv("SLURM_PROCID") != "" && os.Getenv("SLURM_PROCID") != "0" {
		return
	}
	name := "truth-" + id + ".json"
	text := fmt.Sprintf(`{"step": %d, "total": %d, "step_time_s": %.4f}`+"\n", n, total, took.Seconds())
	err := os.WriteFile("."+name, []byte(text), 0o644)
	if err == nil {
		err = os.Rename("."+name, name)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "trainer: tell the truth:", err)
		os.Exit(2)
	}
}

var endings = map[string]func(){
	"ok":     func() {},
	"raise":  raise,
	"segv":   segv,
	"memory": memory,
	"disk":   disk,
}

func raise() {
	fmt.Fprint(os.Stderr, `Traceback (most recent call last):
  File "train.py", line 212, in <module>
    main()
  File "train.py", line 187, in main
    loss = model(batch["input_ids"], labels=batch["labels"]).loss
RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x1024 and 768x3072)
`)
	os.Exit(1)
}

// segv dies of the signal itself: Go's own handler would turn it into an exit code.
func segv() {
	var none syscall.Rlimit
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &none)
	_ = syscall.Exec("/bin/bash", []string{"bash", "-c", "kill -SEGV $$"}, os.Environ())
}

// memory takes 32 MiB more each tenth of a second, and stops at 2 GiB: whoever
// watches it has had time enough.
func memory() {
	var held [][]byte
	for range 64 {
		block := make([]byte, 32<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		held = append(held, block)
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(30 * time.Second)
	fmt.Fprintf(os.Stderr, "trainer: nobody minded that it took %d MiB\n", 32*len(held))
	os.Exit(3)
}

// disk writes a checkpoint to the device that is always full.
func disk() {
	fmt.Println("Saving model checkpoint to checkpoint-500")
	err := os.WriteFile("/dev/full", make([]byte, 1<<20), 0o644)
	var number syscall.Errno
	if !errors.As(err, &number) {
		fmt.Fprintln(os.Stderr, "trainer: /dev/full took the checkpoint:", err)
		os.Exit(3)
	}
	fmt.Fprintf(os.Stderr, `Traceback (most recent call last):
  File "train.py", line 240, in save_checkpoint
    torch.save(state, path)
  File "torch/serialization.py", line 850, in save
    _save(obj, opened_zipfile, pickle_module, pickle_protocol)
OSError: [Errno %d] No space left on device: 'checkpoint-500/optimizer.pt'
`, int(number))
	os.Exit(1)
}
