"""The npm package of the JavaScript client (`scripts/client-bundle --package`), in an app that esbuild bundles."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from page_server import eventually
from test_client import ROOT, app
from window import CLIENT

APP = """
import { connect, type Row } from "NAME";

const list = connect({ url: "http://127.0.0.1:8080", storage: "memory" }).list("groceries");
list.subscribe(({ rows }: { rows: readonly Row[] }) => { document.title = rows.map((row) => row.title).join(", "); });
document.onclick = () => list.create({ title: "tea" });
"""


def run(*command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def install(folder):
    """Installs the package as an app does. What npm does with it, tar does too."""
    file = folder / "reorderd-client.tgz"
    run(ROOT / "scripts/client-bundle", "--package", file, folder=folder)
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    installed = folder / "node_modules/reorderd-client"
    if shutil.which("npm"):
        run("npm", "install", "--offline", "--no-audit", "--no-fund", file, folder=folder)
        (packed,) = json.loads(run("npm", "pack", "--dry-run", "--json", installed, folder=folder))
        files = {entry["path"] for entry in packed["files"]}
        assert files == {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}, files
    else:
        installed.mkdir(parents=True)
        run("tar", "-xzf", file, "--strip-components=1", "-C", installed, folder=folder)
    return installed


def works(server, open_window, entry):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install(folder)
        (folder / "app.ts").write_text(APP.replace("NAME", entry))
        run("tsc", "--strict", "--noEmit", "--target", "es2022", "--module", "node16", "--moduleResolution", "node16",
            "--lib", "es2022,dom", "app.ts", folder=folder)
        run("esbuild", "app.ts", "--bundle", "--format=esm", "--minify", "--outfile=app.js", folder=folder)
        code = (folder / "app.js").read_text().replace("http://127.0.0.1:8080", server.url)
    with app(server, open_window, "<script type=module src=app.js></script>", {"app.js": code}) as (window, url):
        server.make("groceries", "milk\nbread")
        window.page.goto(url)
        eventually(lambda: window.page.title() == "milk, bread", window.page.title)
        window.page.locator("html").click()
        eventually(lambda: server.outline("groceries") == "milk\nbread\ntea", lambda: server.outline("groceries"))
        assert window.page.title() == "milk, bread, tea"


def an_app_with_the_package_works(server, open_window):
    works(server, open_window, "reorderd-client")


def an_app_with_the_bundle_of_the_package_works(server, open_window):
    works(server, open_window, "reorderd-client/bundle")


def the_package_has_a_source_map(server, open_window):
    with tempfile.TemporaryDirectory() as name:
        bundle = install(Path(name)) / "bundle"
        assert (bundle / "reorderd.js").read_text().splitlines()[-1] == "//# sourceMappingURL=reorderd.js.map"
        mapped = json.loads((bundle / "reorderd.js.map").read_text())
        texts = dict(zip(mapped["sources"], mapped["sourcesContent"], strict=True))
        assert texts == {f"../{file.name}": file.read_text() for file in CLIENT.glob("*.js")}
