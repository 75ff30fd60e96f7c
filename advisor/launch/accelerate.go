package launch

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"schedmate/advisor/origin"
)

var accelerateOptions = func() *options {
	o := newOptions("--config_file=", "--cpu", "--multi_gpu", "--tpu", "--ipex", "--mixed_precision=", "--num_processes=", "--num_machines=", "--num_cpu_threads_per_process=",
		"--use_deepspeed", "--use_fsdp", "--use_megatron_lm", "--use_parallelism_config", "--use_xpu", "--use_mps_device", "--dynamo_backend=", "--dynamo_mode=", "--dynamo_use_fullgraph", "--dynamo_use_dynamic",
		"--gpu_ids=", "--same_network", "--machine_rank=", "--main_process_ip=", "--main_process_port=", "--tee=", "--log_dir=", "--role=",
		"--rdzv_backend=", "--rdzv_conf=", "--max_restarts=", "--monitor_interval=", "--main_training_function=", "--downcast_bf16", "-m --module", "--no_python", "-q --quiet", "--debug",
		"--enable_cpu_affinity", "--aws_access_key_id=", "--aws_secret_access_key=", "--num_gpus=", "--deepspeed_hostfile=", "--deepspeed_exclusion_filter=",
		"--deepspeed_inclusion_filter=", "--deepspeed_multinode_launcher=", "--deepspeed_config_file=", "--zero_stage=", "--offload_optimizer_device=",
		"--offload_param_device=", "--gradient_accumulation_steps=", "--gradient_clipping=", "--zero3_init_flag=", "--zero3_save_16bit_model=", "--offload_optimizer_nvme_path=", "--offload_param_nvme_path=", "--deepspeed_moe_layer_cls_names=")
	for _, name := range strings.Fields("version offload_params min_num_params sharding_strategy reshard_after_forward auto_wrap_policy transformer_layer_cls_to_wrap backward_prefetch state_dict_type forward_prefetch use_orig_params cpu_ram_efficient_loading sync_module_states activation_checkpointing") {
		o.arity["fsdp_"+name], o.name["fsdp_"+name] = 1, "fsdp_"+name
	}
	return o
}()

func accelerate(s *shell, name string, args []value) truth {
	if len(args) > 1 && args[1].is("launch") {
		return accelerateLaunch(s, name, args[1:])
	}
	return s.record(Console, name, args[0].origin(), args[1:])
}

// accelerateLaunch joins the configuration file and the options that beat it;
// num_processes counts over all machines.
func accelerateLaunch(s *shell, _ string, args []value) truth {
	given, _, rest := accelerateOptions.parse(args[1:])
	settings := map[string]Word{}
	if w, ok := given["config_file"]; ok {
		if text, at, found := s.readFile(value{{text: w.Text, unknown: !w.Known}}); found {
			flatten(settings, text, at)
		} else {
			s.m.warn("the configuration file of accelerate, "+clip(w.Text, 200)+", is not in the repository; add it", w.Origin)
		}
	}
	for k, w := range given {
		if weaker, ok := settings[k]; ok {
			w.Origin = w.Origin.Over(weaker.Origin)
		}
		settings[k] = w
	}
	c := s.below(Launcher{Name: "accelerate", Settings: settings, Origin: args[0].origin()})
	nodes := Count{}
	if w, ok := settings["num_machines"]; ok {
		nodes = c.count(w, "--num_machines")
	}
	if w, ok := settings["gpu_ids"]; ok && w.Text != "all" {
		c.world.devices = devices(value{{text: w.Text, unknown: !w.Known, from: w.Origin}})
	}
	var procs Count
	if w, ok := firstOf(settings, "num_processes", "num_gpus"); ok {
		procs = c.count(w, "--num_processes")
	} else {
		per := c.visible()
		if given["config_file"].Text != "" || settings["cpu"].Text == "true" {
			per = one("accelerate without num_processes")
		}
		procs = per
		if nodes.Known {
			procs = times("processes", per, nodes)
		}
	}
	c.total(procs, nodes)
	c.torchEnv()
	if w, ok := settings["mixed_precision"]; ok {
		c.world.env["ACCELERATE_MIXED_PRECISION"] = w
	}
	return c.target(settings, rest)
}

// flatten reads the scalars of a YAML file; those of an inner map go under
// "outer.inner" and, so that options find them, under "inner" when free.
func flatten(into map[string]Word, text, at string) {
	var doc yaml.Node
	if len(text) > maxBytes || yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) == 0 {
		return
	}
	count := 0
	var walk func(n *yaml.Node, prefix string, depth int)
	walk = func(n *yaml.Node, prefix string, depth int) {
		for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode && depth < 6; i += 2 {
			key, v := n.Content[i].Value, n.Content[i+1]
			if count++; count > 1000 {
				return
			}
			switch v.Kind {
			case yaml.MappingNode:
				walk(v, prefix+key+".", depth+1)
			case yaml.ScalarNode:
				if v.Tag == "!!null" {
					continue
				}
				w := Word{Text: v.Value, Known: true, Origin: origin.At(origin.YAML, at, v.Line, prefix+key)}
				into[prefix+key] = w
				if _, taken := into[key]; prefix != "" && !taken {
					into[key] = w
				}
			}
		}
	}
	walk(doc.Content[0], "", 0)
}
