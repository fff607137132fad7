"""Writes the man page reorderd(1) from the output of `reorderd --experimental-dump-help`.

Usage: python3 packaging/man.py VERSION < HELP.json > reorderd.1
"""

import json
import sys


def text(line: str) -> str:
    """Escapes a line for roff: no backslash, and no control character at its beginning."""
    line = line.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return "\\&" + line if line[:1] in (".", "'") else line


def paragraphs(value: str) -> list[str]:
    lines: list[str] = []
    for number, paragraph in enumerate(value.split("\n\n")):
        if number:
            lines.append(".PP")
        lines += [text(line) for line in paragraph.splitlines()]
    return lines


def shown(arguments: list[dict]) -> list[dict]:
    hidden = {"help", "version"}
    return [one for one in arguments if one["shouldDisplay"] and one["valueName"] not in hidden]


def term(argument: dict) -> str:
    value = f"\\fI{text(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        return value
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument["names"]]
    joined = ", ".join(f"\\fB{text(name)}\\fR" for name in names)
    return joined if argument["kind"] == "flag" else f"{joined} {value}"


def option(argument: dict) -> list[str]:
    lines = [".TP", term(argument), *paragraphs(argument.get("abstract", ""))]
    if "discussion" in argument:
        lines += paragraphs(argument["discussion"])
    if "defaultValue" in argument:
        lines.append(text(f"Default: {argument['defaultValue']}."))
    return lines


def command(entry: dict, names: list[str]) -> list[str]:
    arguments = shown(entry.get("arguments", []))
    subcommands = entry.get("subcommands", [])
    lines: list[str] = []
    if not subcommands:
        usage = [f"\\fB{text(' '.join(names))}\\fR"]
        usage += [
            f"{term(one)}{' ...' if one['isRepeating'] else ''}" if not one["isOptional"] else ""
            for one in arguments
        ]
        usage.append("[\\fIoptions\\fR]" if any(one["kind"] != "positional" for one in arguments) else "")
        lines += [f".SS {text(' '.join(names))}", " ".join(part for part in usage if part), ".PP"]
        lines += [text(entry["abstract"])]
        if "discussion" in entry:
            lines += [".PP", *paragraphs(entry["discussion"])]
        for argument in arguments:
            lines += option(argument)
    for subcommand in subcommands:
        if subcommand["commandName"] != "help":
            lines += command(subcommand, [*names, subcommand["commandName"]])
    return lines


def page(version: str, root: dict) -> str:
    name = root["commandName"]
    lines = [
        f'.TH {name.upper()} 1 "" "{name} {version}"',
        ".SH NAME",
        f"{name} \\- {text(root['abstract'].rstrip('.'))}",
        ".SH SYNOPSIS",
        f"\\fB{name}\\fR \\fIcommand\\fR [\\fIoptions\\fR]",
        ".SH DESCRIPTION",
        *paragraphs(root["discussion"]),
        ".SH COMMANDS",
        *command(root, [name]),
        ".SH FILES",
        ".TP",
        "/etc/reorderd.env",
        "The options of the service, as environment variables.",
        ".TP",
        "/var/lib/reorderd/reorderd.db",
        "The service's lists.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1], json.load(sys.stdin)["command"]))
