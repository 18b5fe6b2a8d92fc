#!/usr/bin/env python3
"""Compare decisions with the vectors of kube-scheduler, leaving out what is not decided yet.

    vectors.py --directory DIR [--without-missing] [--show N] THEME… -- COMMAND…

The comparison and its table are DIR/compare.py's own; this chooses the cases it gets to see. With
``--without-missing`` cases whose pod has volumes, claims or devices that need a plugin which is not
implemented yet are left out, and their number is printed. Exit 0 when all compared decisions agree,
else 1; 2 for bad input.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from nominee.cli.volume_needs import plugins_wanted
from nominee.model.codec import decode
from nominee.model.pod import Pod
from nominee.scheduler.assembly import make_registry, missing_plugins

Case = dict[str, Any]


def needed_plugins(case: Case) -> frozenset[str]:
    """The plugins that the pending pod's volumes, claims and devices need."""
    classes = [o for o in case["objects"] if o["kind"] == "DeviceClass"]
    devices = {c["spec"].get("extendedResourceName", "") for c in classes}
    return plugins_wanted(decode(Pod, case["pod"]), devices - {""})


def read(path: Path) -> list[Case]:
    """Read the cases of one theme."""
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def select(source: Path, target: Path, missing: Collection[str]) -> int:
    """Write the cases of a theme that need none of the missing plugins; return how many were left out."""
    cases = read(source)
    chosen = [case for case in cases if needed_plugins(case).isdisjoint(missing)]
    target.write_text("".join(json.dumps(case) + "\n" for case in chosen))
    return len(cases) - len(chosen)


def arguments(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Split the command line into our options and the command under test."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--directory", type=Path, required=True, help="where compare.py and the themes are")
    parser.add_argument("--without-missing", action="store_true")
    parser.add_argument("--show", type=int, default=0, help="differences to print per theme")
    parser.add_argument("themes", nargs="+")
    if "--" not in argv:
        if {"-h", "--help"} & set(argv):
            parser.print_help()
            sys.exit(0)
        parser.error("the command goes after --")
    cut = argv.index("--")
    options = parser.parse_args(argv[:cut])
    for path in [options.directory / "compare.py", *theme_files(options)]:
        if not path.is_file():
            parser.error(f"there is no {path}; name the vectors' directory with --directory")
    return options, argv[cut + 1 :]


def theme_files(options: argparse.Namespace) -> list[Path]:
    """Name the file of each theme asked for."""
    return [options.directory / f"{theme}.jsonl.gz" for theme in options.themes]


def compare(options: argparse.Namespace, files: list[Path], command: list[str]) -> int:
    """Run compare.py on the files; return its verdict."""
    script = options.directory / "compare.py"
    call = [sys.executable, str(script), "--show", str(options.show), *map(str, files), "--", *command]
    return subprocess.run(call, check=False).returncode


def main() -> int:
    """Choose the cases, compare them, say how many were left out."""
    options, command = arguments(sys.argv[1:])
    files = theme_files(options)
    if not options.without_missing:
        return compare(options, files, command)
    with tempfile.TemporaryDirectory() as scratch:
        chosen = [Path(scratch) / source.stem for source in files]
        missing = missing_plugins(make_registry())
        left_out = sum(select(*pair, missing) for pair in zip(files, chosen, strict=True))
        verdict = compare(options, chosen, command)
    print(f"{'left out':14} {left_out:4} that need plugins not implemented yet")
    return verdict


if __name__ == "__main__":
    sys.exit(main())
