"""Writes the Swift code of the client's articles into files, one for each article: `snippets.py ARTICLES FOLDER`.

A block with statements is put into a function that has what articles presuppose: a list, a row, a table view and so on.
"""

import re
import sys
from pathlib import Path

IMPORTS = """import Foundation
import Observation
import ReorderClient
import SwiftUI
import UIKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

"""
MODIFIERS = r"(///[^\n]*\n|import \w+\n|\n|@\w+(\([^)]*\))?\s|final |private |open |public |override )*"
DECLARATION = re.compile(MODIFIERS + r"(class|struct|enum|extension|actor|func) ")
TOP = re.compile(r"^(@MainActor )?((?:final class|class|struct|enum|actor|func) )", re.MULTILINE)
# A local that a block only shows would be a warning.
LOCAL = re.compile(r"^(?:let|var) (\w+)", re.MULTILINE)
CONTEXT = """/// What the articles presuppose.
class SnippetController: UITableViewController {
    let store: ReorderStore
    let list: LiveList
    let section: LiveList.Section
    let row: LiveList.Row
    let dataSource: LiveTableDataSource
    let url: URL
    let folder: URL
    var client: ReorderClient { store.client }
    var keptObjects: [AnyObject] = []

    init(store: ReorderStore, list: LiveList, row: LiveList.Row, dataSource: LiveTableDataSource, url: URL) {
        self.store = store
        self.list = list
        self.row = row
        self.dataSource = dataSource
        self.url = url
        section = list.sections[0]
        folder = url
        super.init(style: .plain)
    }

    required init?(coder: NSCoder) { nil }

    func show(_ text: String) { title = text }
}
"""


def code(block, name):
    if DECLARATION.match(block):
        # The code is a library here, and several articles can have the same names.
        return TOP.sub(r"\1private \2", block.replace("@main\n", ""))
    used = "".join(f"_ = {local}\n" for local in LOCAL.findall(block))
    return f"extension SnippetController {{\nfunc {name}() async throws {{\n{block}{used}}}\n}}\n"


articles, folder = map(Path, sys.argv[1:])
folder.mkdir(parents=True)
(folder / "SnippetController.swift").write_text(IMPORTS + CONTEXT)
count = 0
for article in sorted(articles.glob("*.md")):
    blocks = re.findall(r"^```swift\n(.*?)^```$", article.read_text(), re.DOTALL | re.MULTILINE)
    snippets = [code(block, f"{article.stem}{number}") for number, block in enumerate(blocks, 1)]
    # An import has to come first.
    text = IMPORTS + "\n".join(line for line in "\n".join(snippets).splitlines() if not line.startswith("import ")) + "\n"
    (folder / f"{article.stem}.swift").write_text(text)
    count += len(blocks)
assert count, "the articles have no code"
print(f"The articles have {count} blocks of Swift code.")
