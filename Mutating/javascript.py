"""The mutants of the JavaScript client, for scripts/mutate --javascript."""

import random
import shutil
import subprocess
import sys
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
    """The mutations in a syntax tree: kind, node, original and mutant for people, and the text with a place for the number."""
    text = node.text.decode().replace("{", "{{").replace("}", "}}")
    if node.type in NEGATED:
        condition = node.child_by_field_name("condition")
        inner = condition.text.decode()
        yield "condition", condition, inner, f"!({inner})", "(mutantIs({number}) !== !!(" + braces(inner) + "))"
    if node.type == "binary_expression":
        left, operator, right = (node.child_by_field_name(name).text.decode() for name in ("left", "operator", "right"))
        if operator in EXCHANGED:
            mutant = f"({left}) {EXCHANGED[operator]} ({right})"
            kind = "logic" if operator in ("&&", "||") else "border"
            yield kind, node, node.text.decode(), mutant, "(mutantIs({number}) ? " + braces(mutant) + " : (" + text + "))"
        elif operator in ("+", "-"):
            for side in ("left", "right"):
                number = node.child_by_field_name(side)
                if number.type == "number":
                    moved = "0" if number.text == b"1" else number.text.decode() + " + 1"
                    mutant = f"{moved} {operator} {right}" if side == "left" else f"{left} {operator} {moved}"
                    yield "number", number, node.text.decode(), mutant, "(mutantIs({number}) ? " + moved + " : " + number.text.decode() + ")"
    if node.type == "expression_statement":
        inner = node.named_children[0]
        if inner.type == "await_expression":
            inner = inner.named_children[0]
        called = inner.child_by_field_name("function") if inner.type == "call_expression" else None
        if inner.type in ASSIGNMENTS or called is not None and called.type != "super":
            kind = "assignment" if called is None else "call"
            yield kind, node, node.text.decode(), "(left out)", "if (!mutantIs({number})) {{ " + text + " }}"
    if node.type in ("function_declaration", "method_definition", "arrow_function"):
        body = node.child_by_field_name("body")
        name = node.child_by_field_name("name")
        if body.type == "statement_block" and body.named_children and (name is None or name.text != b"constructor"):
            head = node.text.decode().split("{")[0]
            yield "early", body.children[0], head, "{ return;", "{{ if (mutantIs({number})) return;"
    for child in node.children:
        yield from mutations(child)


def braces(text):
    return text.replace("{", "{{").replace("}", "}}")


def build(options, names):
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
    for file, (kind, node, original, mutant, text) in found:
        ranges = taken.setdefault(file, [])
        if len(mutants) == options.sample:
            break
        if any(node.start_byte < end and start < node.end_byte for start, end, _ in ranges):
            continue
        number = len(mutants)
        ranges.append((node.start_byte, node.end_byte, text.format(number=number)))
        mutants[number] = {
            "number": str(number), "module": SOURCES, "file": str(file.relative_to(options.tree)),
            "line": str(node.start_point[0] + 1), "kind": kind, "original": " ".join(original.split()),
            "mutant": " ".join(mutant.split())}
    for file, ranges in taken.items():
        data = file.read_bytes()
        for start, end, text in sorted(ranges, reverse=True):
            data = data[:start] + text.encode() + data[end:]
        file.write_bytes(data)
        subprocess.run(["node", "--check", file], check=True)
    return mutants


def program(options):
    return [options.tree / "mutants.mjs"]


def suites(options):
    return {file.name for file in (options.tree / TESTS).glob("*.test.mjs")}


def command(options, group):
    return ["env", f"NODE_OPTIONS=--import={options.tree}/mutants.mjs", "node", *(f"{TESTS}/{suite}" for suite in group)]


class Reader:
    """Reads the output of a run, which has one file."""

    def __init__(self, group):
        self.running = {}
        self.suite = group[0]

    def failure(self, line):
        """The file with the test that failed, if the line says so."""
        return self.suite if line.lstrip().startswith(("not ok", "✖")) else None
