"""Writes the pages of the site: the documents with the files that they link to, the contract, and the JavaScript client's reference.

Usage: python3 packaging/site/pages.py FOLDER
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = """# Contract

The operations of [openapi.yaml](openapi.yaml). To send requests from this page, start a server with the page's origin. If the server
has another address, correct it below.

```sh
reorderd serve --demo --cors-origin http://127.0.0.1:8000
```

**Failed to fetch:** the server does not run at this address, or was started without this page's origin.

<swagger-ui src="form.json"/>
"""
DECLARATION = re.compile(r"export (?:declare )?(?:interface|class|function|type|const) (\w+)")


def javascript_reference():
    """The types of the client, with a heading for each, in the order of their names."""
    text = (ROOT / "clients/javascript/bundle/reorderd.d.ts").read_text()
    blocks = {}
    # A declaration, with its comment, follows an empty line and is not indented.
    for block in re.split(r"\n\n(?=\S)", text):
        name = DECLARATION.search(block)
        if name:
            blocks.setdefault(name[1], []).append(block.strip())
    yield "# JavaScript reference\n\nThe declarations of `reorderd-client`.\n"
    for name in sorted(blocks, key=str.lower):
        declarations = "\n".join(blocks[name])
        yield f"\n## {name}\n\n```ts\n{declarations}\n```\n"


def form():
    """The contract for the form, which asks for the server's address. Swagger UI sends the examples of parameters, and `If-Match: "1-…"`
    would refuse each request."""
    contract = json.loads((ROOT / "openapi.json").read_text())
    (server,) = contract["servers"]
    contract["servers"] = [{"url": "{address}", "variables": {"address": {"default": server["url"]}}}]
    for parameter in contract["components"]["parameters"].values():
        if not parameter.get("required"):
            parameter.pop("example", None)
            parameter.pop("examples", None)
    return json.dumps(contract)


def main(folder):
    subprocess.run([sys.executable, ROOT / "packaging/documents.py", folder], check=True)
    (folder / "contract.md").write_text(CONTRACT)
    (folder / "form.json").write_text(form())
    (folder / "javascript-reference.md").write_text("".join(javascript_reference()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
