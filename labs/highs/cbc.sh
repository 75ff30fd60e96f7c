#!/usr/bin/env bash
# Installs, once and as root, the CBC solver of the distribution: a second opinion
# for tests, which run it as a program on files. The product does not use it.
#
# Exit code 3: this machine cannot have it; the last line says why.
set -euo pipefail

say() { echo "cbc-setup: $*" >&2; }
cannot() { say "cannot install CBC: $*"; exit 3; }

tested=2.10.8+ds1-1 # of Debian 12

if ! command -v cbc >/dev/null; then
	command -v apt-get >/dev/null || cannot "the package comes from Debian, and there is no apt-get here"
	((EUID == 0)) || cannot "the package coinor-cbc is missing; run this once as root"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq -o DPkg::Lock::Timeout=600 update >&2 || cannot "apt-get update failed, is the package archive reachable?"
	apt-get -qq -o DPkg::Lock::Timeout=600 install -y --no-install-recommends coinor-cbc >&2 || cannot "apt-get install failed, its message stands above"
fi
found=$(dpkg-query -W -f '${Version}' coinor-cbc 2>/dev/null || echo "of another origin")
[[ $found == "$tested" ]] || say "CBC is $found; the tests were written with $tested"
say "ready: $(command -v cbc)"
