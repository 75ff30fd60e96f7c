package traces

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"schedmate"
	"schedmate/scheduler/sim"
)

// Whatever the bytes, Read does not panic, and what it accepts keeps every
// promise of Trace.
func FuzzRead(f *testing.F) {
	for i, text := range []string{
		chronusHeader + "0,vc_6c71a0,8,1,4958,vgg16,23,5,89,10,0,strict\n1,vc_ed69ec,1,47,1547,inception_v3,57,5,113-133-153-183,10-8-5-2,0,soft\n2,vc_ee9e8c,0,9,3621,alexnet,30,17,9,10,1,best\n",
		"job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n1425511,uXBbc,vcJkd,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0\n",
		"job_id,gpu_num,submit_s,duration,estimate_s,model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem\np00000,1,0,108,47,ResNet18,CIFAR-10,128,0,4903.86,96.25,67.0,3072.0\n",
		"timestamp,duration,num_gpus,vc\n2017-10-09 07:01:55,66.0,1,11cb48\n2017-10-09 06:13:03,2951.0,1,6214e9\n",
		"job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\n0,600,2011,cifar10,6000,4096,1,5644\n1,660,9007199254740992,yolov3,38209,64,1,33276\n2,700,1,,4000,1,2,1800\n",
		"job_id,arrival_s,num_gpus,duration_s\n0,0,1,3613033\n1,266563,1,3222990\n",
		"\xef\xbb\xbfjob_id,arrival_s,num_gpus,duration_s\r\n\"a\"\"b\",1e3,1,2.5\r\n\r\n",
		siaHeader + "cifar10-0,107,cifar10,6,2048\ndeepspeech2-1,110.6,deepspeech2,6,320\n",
		"name,time,application,num_replicas,batch_size,set,workload\ncifar10-0,401.0,cifar10,10,4096,rate_10,1\n",
		"; Version: 2.2\n; MaxProcs: 64\n\n1 0 12 7200 8 -1.00 -1 8 10800 -1 1 3 1 2 1 1 -1 -1\n2 5 -1 -1 -1 -1 -1 16 3600 -1 5 5 1 2 1 1 -1 -1\n",
		syntheticHeader + "synthetic-0,,8,228,1486,completed,strict,4489,100\nsynthetic-1,burst,1,672,269,cancelled,best_effort,,\nsynthetic-2,,8,742,287,failed,soft,704-3704,100-80\n",
		sacctHeader + "7|ann|nlp|gpu|PREEMPTED|10000|10100|10700|600|20|gres/gpu=2|n[1-2]\n7|ann|nlp|gpu|COMPLETED|10700|10790|11090|300|20|gres/gpu:a100=2,gres/gpu=2|n3\n7.batch||nlp||COMPLETED|10700|10790|11090|300||gres/gpu=2|n3\n",
		"JobID\x1fJobName\x1fState\x1fSubmit\x1fEligible\x1fStart\x1fElapsed\x1fTimelimit\x1fReqTRES\n3_0\x1fa\x1fb\nc\x1fTIMEOUT\x1f2026-03-02T09:00:00\x1fUnknown\x1f2026-03-02T09:05:00\x1f1-02:03:04\x1fUNLIMITED\x1fgres/gpu=1\n",
	} {
		for which := range Formats() {
			f.Add([]byte(text), byte(which))
		}
		f.Add(zipped(f, text), byte(i))
	}
	for _, name := range BundledNames() {
		file, err := Bundled(name)
		if err != nil {
			f.Fatal(err)
		}
		raw, err := io.ReadAll(file)
		if err != nil {
			f.Fatal(err)
		}
		format := slices.Index(Formats(), Format(name[:strings.Index(name, "-")]))
		f.Add(raw, byte(format))
	}
	small := limits{textBytes: 1 << 20, lines: 1 << 12, lineBytes: 1 << 12}
	f.Fuzz(func(t *testing.T, data []byte, which byte) {
		format := Formats()[int(which)%len(Formats())]
		trace, err := read(bytes.NewReader(data), "fuzz.csv", format, Options{Beside: besideTests}, small)
		if err != nil {
			if text := err.Error(); !strings.Contains(text, "; ") || strings.ContainsAny(text, "\n\x00\x1b") {
				t.Errorf("an error needs a next step and must be one line of text, got %q", text)
			}
			return
		}
		cluster := &schedmate.Cluster{}
		for _, vc := range trace.VCs {
			cluster.VCs = append(cluster.VCs, schedmate.VC{Name: vc})
		}
		load := sim.Workload{Jobs: trace.Jobs}
		if err := load.Validate(cluster); err != nil {
			t.Errorf("an accepted trace is no workload: %v", err)
		}
		for i := range trace.Jobs {
			if trace.Jobs[i].Outcome.Run < 1 {
				t.Errorf("job %s ran %d s", trace.Jobs[i].ID, trace.Jobs[i].Outcome.Run)
			}
		}
		shifted, err := trace.Apply(Filter{ShiftTo: seconds(0), CapRunSeconds: 1})
		if err != nil || shifted.Jobs[0].Submit != 0 {
			t.Errorf("an accepted trace cannot be moved to 0: %v", err)
		}
	})
}
