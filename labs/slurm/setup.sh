#!/usr/bin/env bash
# Installs, once and as root, the distribution's packages that the lab needs:
# Slurm with its accounting and REST daemons, munge and MariaDB. The versions
# are the ones the lab was tested with; where the archive no longer offers one
# of them, what it offers is installed and printed. No service is started.
#
# Exit code 3: this machine cannot have the lab; the last line says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

say() { echo "slurm-setup: $*" >&2; }
cannot() { say "cannot install Slurm: $*"; exit 3; }

mapfile -t tested < <(grep -v '^#' packages)

missing=()
for line in "${tested[@]}"; do
	name=${line%%=*}
	status=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)
	[[ $status == installed ]] || missing+=("$line")
done
if ((${#missing[@]} > 0)); then
	command -v apt-get >/dev/null || cannot "the packages come from Debian, and there is no apt-get here"
	((EUID == 0)) || cannot "packages are missing (${missing[*]%%=*}); run this once as root"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -o DPkg::Lock::Timeout=600 update >&2 || cannot "apt-get update failed, is the package archive reachable?"

	want=()
	for line in "${missing[@]}"; do
		offered=$(apt-cache madison "${line%%=*}" | awk '{print $3}')
		if grep -qxF "${line#*=}" <<<"$offered"; then
			want+=("$line")
		else
			want+=("${line%%=*}")
		fi
	done

	# The packages must not start services: the lab starts its own.
	policy=/usr/sbin/policy-rc.d
	if [[ ! -e $policy ]]; then
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod 755 "$policy"
		trap 'rm -f "$policy"' EXIT
	fi
	say "installing ${want[*]}"
	install() { apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@" >&2; }
	# Old versions may want older versions of what is installed already.
	install "${want[@]}" || install "${missing[@]%%=*}" || cannot "apt-get install failed, its message stands above"
fi

for line in "${tested[@]}"; do
	found=$(dpkg-query -W -f '${Version}' "${line%%=*}")
	[[ $found == "${line#*=}" ]] || say "${line%%=*} is $found; the lab was tested with ${line#*=}"
done
say "ready: Slurm $(slurmctld -V | cut -d' ' -f2)"
