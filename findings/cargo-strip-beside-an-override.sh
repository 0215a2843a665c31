#!/usr/bin/env bash
# Cargo forgets `strip` of the profile for a program whose package has an override of its own.
#
# Expected: `[profile.release.package.NAME]` replaces the settings that it names, and all others stay those of `[profile.release]`.
# Seen (cargo 1.95.0): with `strip = "symbols"` in the profile the program has no table of symbols; with an override of its package that
#   sets `opt-level` alone it has one, and only debug information is gone.  With `strip` repeated in the override it has none.
# Cost: a release that sets one package's optimization ships the names of all functions: 60 MB for 44 of ours, without a word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
echo 'fn main() {}' > src/main.rs
cargo --version
# program SETTINGS…: builds with these lines behind the profile's, and says whether the program has a table of symbols.
program() {
    {
        printf '[package]\nname = "stripped"\nversion = "0.0.0"\nedition = "2024"\n[profile.release]\nstrip = "symbols"\n'
        printf '%s\n' "$@"
    } > Cargo.toml
    cargo build --quiet --release
    if readelf --sections --wide target/release/stripped | grep -q '\.symtab'; then echo symbols; else echo none; fi
}
whole=$(program)
beside=$(program '[profile.release.package.stripped]' 'opt-level = 1')
repeated=$(program '[profile.release.package.stripped]' 'opt-level = 1' 'strip = "symbols"')
echo "profile alone: $whole; beside an override: $beside; repeated there: $repeated"
[ "$whole $beside $repeated" = "none symbols none" ]
