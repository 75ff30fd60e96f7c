#!/usr/bin/env bash
# Puts the shared library of the HiGHS solver where SchedMate looks for it:
#
#	labs/highs/get.sh [FOLDER]      default: highs in SchedMate's state folder
#
# HiGHS 1.10.0 out of the Python wheel "highsbox", which is pinned by hash: for
# Linux (glibc 2.17 or later) and macOS, on x86-64 and arm64. It needs python3 with
# pip or venv, and as root on Debian and Ubuntu installs python3-venv where neither
# is there. Nothing is installed into a Python. A second run only prints.
#
# Result: FOLDER/lib/libhighs.so (.dylib) and FOLDER/VERSION; its path on standard
# output. Exit code 3: this machine cannot have it; the last line says why.
set -euo pipefail

version=1.10.0
# Of the wheels for Linux x86-64 and arm64, macOS arm64 and x86-64.
hashes=(
	baa294c7d164fd96731bd968f0e76f75e567516854e91b229389a821aba1aebd
	0519ebc2ba672d8774957943d4e92ea69944c4c6eec7bd39f6595d8a77ccfd95
	56ef05961bfd60b1300aa8c0740ed0d65231b26eb8c86f8f39b3f939f4adc13b
	56739ebf201409b39b16549e6444b578048cf9dd9feadc992803a894d24d81da
)

say() { echo "highs-get: $*" >&2; }
cannot() { say "cannot fetch HiGHS: $*"; exit 3; }

if [[ -z ${1:-}${SCHEDMATE_STATE:-}${XDG_STATE_HOME:-}${HOME:-} ]]; then
	cannot "the user has no home folder: set SCHEDMATE_STATE, or name a folder"
fi
state=${SCHEDMATE_STATE:-${XDG_STATE_HOME:-${HOME:-}/.local/state}/schedmate}
folder=${1:-$state/highs}
[[ $folder == /* ]] || folder=$PWD/$folder

library=libhighs.so
case "$(uname -s)-$(uname -m)" in
	Linux-x86_64) platform=manylinux2014_x86_64 ;;
	Linux-aarch64) platform=manylinux2014_aarch64 ;;
	Darwin-arm64) platform=macosx_11_0_arm64 library=libhighs.dylib ;;
	Darwin-x86_64) platform=macosx_10_9_x86_64 library=libhighs.dylib ;;
	*) cannot "there is no wheel for $(uname -s) on $(uname -m); a library of your own can be named by HIGHS_LIB" ;;
esac
if compgen -G '/lib/ld-musl-*' >/dev/null; then
	cannot "the wheel is for glibc, and this is musl; a library of your own can be named by HIGHS_LIB"
fi

if [[ -s $folder/lib/$library && $(cat "$folder/VERSION" 2>/dev/null) == "$version" ]]; then
	echo "$folder/lib/$library"
	exit
fi

mkdir -p "$folder" || cannot "$folder cannot be made"
work=$(mktemp -d "$folder/.get.XXXXXX")
trap 'rm -rf "$work"' EXIT

# find_python sets python to one that has pip, if need be in a folder of its own.
find_python() {
	for python in python3 /usr/bin/python3; do
		if "$python" -m pip --version >/dev/null 2>&1; then return; fi
		if "$python" -m venv "$work/venv" >/dev/null 2>&1; then
			python=$work/venv/bin/python3
			return
		fi
		rm -rf "$work/venv"
	done
	return 1
}
if ! find_python; then
	command -v apt-get >/dev/null || cannot "it needs python3 with pip or venv"
	((EUID == 0)) || cannot "it needs python3 with pip or venv: as root, apt-get install python3-venv"
	say "installing python3-venv"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq -o DPkg::Lock::Timeout=600 update >&2 || cannot "apt-get update failed, is the package archive reachable?"
	apt-get -qq -o DPkg::Lock::Timeout=600 install -y --no-install-recommends python3-venv >&2 || cannot "apt-get install failed, its message stands above"
	find_python || cannot "python3-venv is installed, and gives no pip"
fi

{
	printf 'highsbox==%s' "$version"
	printf ' --hash=sha256:%s' "${hashes[@]}"
	echo
} >"$work/requirements.txt"
"$python" -m pip -q --disable-pip-version-check download --no-deps --require-hashes --only-binary=:all: \
	--python-version 3 --implementation py --abi none --platform "$platform" \
	-d "$work" -r "$work/requirements.txt" >&2 || cannot "pip could not fetch it, its message stands above; is the package index reachable?"
"$python" -m zipfile -e "$work"/highsbox-*.whl "$work/wheel"
found=$(echo "$work"/wheel/*/purelib/highsbox/highs_dist/lib/"$library")

# It loads here, and is what it should be.
"$python" - "$found" "$version" <<'END' || cannot "the library does not work on this machine"
import ctypes, sys
highs = ctypes.CDLL(sys.argv[1])
highs.Highs_version.restype = ctypes.c_char_p
highs.Highs_getSizeofHighsInt.argtypes = [ctypes.c_void_p]
got = highs.Highs_version().decode(), highs.Highs_getSizeofHighsInt(None)
if got != (sys.argv[2], 4):
    sys.exit("highs-get: found version %s with integers of %d bytes" % got)
END

# Each file appears whole or not at all, VERSION last.
mkdir -p "$folder/lib"
cp -L "$found" "$work/$library"
mv -f "$work/$library" "$folder/lib/"
echo "$version" >"$work/VERSION"
mv -f "$work/VERSION" "$folder/"
echo "$folder/lib/$library"
