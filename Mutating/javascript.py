"""The mutants of the JavaScript client, for scripts/mutate --javascript."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = "clients/javascript"
TESTS = "Tests/JavaScript"
PACKAGES = ["tree-sitter==0.26.1", "tree-sitter-javascript==0.25.0"]
# Preloaded by each process of a test.
RUNTIME = """
import { openSync, writeSync } from "node:fs";
const number = Number(process.env.REORDERD_MUTANT ?? -1);
const trace = process.env.REORDERD_MUTANT_TRACE;
const file = trace && openSync(trace, "r+");
const reached = new Set();
globalThis.mutantIs = (other) => {
  if (file && !reached.has(other)) writeSync(file, new Uint8Array([1]), 0, 1, other);
  reached.add(other);
  return other === number;
};
"""
EXCHANGED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "&&": "||", "||": "&&"}
ASSIGNMENTS = ("assignment_expression", "augmented_assignment_expression", "update_expression")
NEGATED = ("if_statement", "while_statement", "do_statement", "ternary_expression")


def parser():
    """Installs the parser if needed."""
    folder = ROOT / ".build-mutate/python"
    done = folder / "done"
    if not done.exists() or done.read_text() != " ".join(PACKAGES):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        done.write_text(" ".join(PACKAGES))
    sys.path.append(str(next(folder.glob("lib/python*/site-packages"))))
    import tree_sitter
    import tree_sitter_javascript
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


def mutations(node):
    """The mutations in a syntax tree: kind, node, mutant for people, and the text with a place for the number."""
    text = node.text.decode().replace("{", "{{").replace("}", "}}")
    if node.type in NEGATED:
        condition = node.child_by_field_name("condition")
        inner = condition.text.decode()
        yield "condition", condition, f"!({inner})", "(mutantIs({number}) !== !!(" + braces(inner) + "))"
    if node.type == "binary_expression":
        left, operator, right = (node.child_by_field_name(name).text.decode() for name in ("left", "operator", "right"))
        if operator in EXCHANGED:
            mutant = f"({left}) {EXCHANGED[operator]} ({right})"
            kind = "logic" if operator in ("&&", "||") else "border"
            yield kind, node, mutant, "(mutantIs({number}) ? " + braces(mutant) + " : (" + text + "))"
        elif operator in ("+", "-"):
            for side in ("left", "right"):
                number = node.child_by_field_name(side)
                if number.type == "number":
                    mutant = "0" if number.text == b"1" else number.text.decode() + " + 1"
                    yield "number", number, mutant, "(mutantIs({number}) ? " + mutant + " : " + number.text.decode() + ")"
    if node.type == "expression_statement":
        inner = node.named_children[0]
        if inner.type == "await_expression":
            inner = inner.named_children[0]
        called = inner.child_by_field_name("function") if inner.type == "call_expression" else None
        if inner.type in ASSIGNMENTS or called is not None and called.type != "super":
            kind = "assignment" if called is None else "call"
            yield kind, node, "(left out)", "if (!mutantIs({number})) {{ " + text + " }}"
    if node.type in ("function_declaration", "method_definition", "arrow_function"):
        body = node.child_by_field_name("body")
        name = node.child_by_field_name("name")
        if body.type == "statement_block" and body.named_children and (name is None or name.text != b"constructor"):
            yield "early", body.children[0], "{ return;", "{{ if (mutantIs({number})) return;"
    for child in node.children:
        yield from mutations(child)


def braces(text):
    return text.replace("{", "{{").replace("}", "}}")


def write_tree(options, names):
    """Writes the copy of the tree with the mutants of the sample. Returns them, by number."""
    shutil.rmtree(options.tree, ignore_errors=True)
    for name in names:
        (options.tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, options.tree / name)
    (options.tree / "mutants.mjs").write_text(RUNTIME)
    javascript = parser()
    found = [(file, mutation) for file in sorted((options.tree / SOURCES).glob("*.js"))
             for mutation in mutations(javascript.parse(file.read_bytes()).root_node)]
    random.Random(options.seed).shuffle(found)
    mutants, taken = {}, {}
    for file, (kind, node, mutant, text) in found:
        ranges = taken.setdefault(file, [])
        if len(mutants) == options.sample:
            break
        if any(node.start_byte < end and start < node.end_byte for start, end, _ in ranges):
            continue
        number = len(mutants)
        ranges.append((node.start_byte, node.end_byte, text.format(number=number)))
        mutants[number] = {
            "number": str(number), "module": SOURCES, "file": str(file.relative_to(options.tree)),
            "line": str(node.start_point[0] + 1), "kind": kind, "original": " ".join(node.text.decode().split()),
            "mutant": " ".join(mutant.split())}
    for file, ranges in taken.items():
        data = file.read_bytes()
        for start, end, text in sorted(ranges, reverse=True):
            data = data[:start] + text.encode() + data[end:]
        file.write_bytes(data)
        subprocess.run(["node", "--check", file], check=True)
    return mutants


class Run:
    """Runs files of tests one after the other, until one fails."""

    def __init__(self, tree, suites, seconds, number=None, trace=None, all_failures=False):
        self.failed = []
        self.timed_out = False
        began = time.time()
        environment = {**os.environ, "NODE_OPTIONS": f"--import={tree}/mutants.mjs"}
        if number is not None:
            environment["REORDERD_MUTANT"] = str(number)
        if trace:
            environment["REORDERD_MUTANT_TRACE"] = str(trace)
        for suite in suites:
            process = subprocess.Popen(
                ["timeout", str(60 + 5 * seconds), "prlimit", f"--cpu={20 + int(5 * seconds)}", "node", f"{TESTS}/{suite}"],
                cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, start_new_session=True)
            failed = False
            for line in process.stdout:
                if line.lstrip().startswith(("not ok", "✖")) and not all_failures:
                    failed = True
                    os.killpg(process.pid, signal.SIGKILL)
                    break
            code = process.wait()
            if failed or code != 0:
                self.failed.append(suite)
                self.timed_out |= code in (124, 128 + signal.SIGXCPU, -signal.SIGXCPU)
                if not all_failures:
                    break
        self.seconds = time.time() - began
