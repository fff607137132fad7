import Foundation
import RandomRuns
import ReorderEngine
import ReorderImportExport
import Testing

/// Content that a format can represent survives writing and reading.
@Suite struct FileRoundTripTests {
    /// A list has about twenty tasks.
    private static let count = RandomRun.operations(6_000) / 20

    private func check(
        _ format: ListFileFormat, _ same: (ReorderableList, ReorderableList) -> Bool
    ) throws {
        var lists = RandomLists(seed: RandomRun.seed)
        for round in 0..<Self.count {
            let list = try lists.next()
            let bytes = format.write(list, id: "list", version: 1)
            let imported = try format.read(bytes, untitled: list.settings.title)
            try #require(
                same(imported.list, list) && imported.remarks.isEmpty,
                "seed \(RandomRun.seed), list \(round): \(imported.report) \(String(decoding: bytes, as: UTF8.self).debugDescription)"
            )
            let again = format.write(imported.list, id: "list", version: 1)
            try #require(again == bytes, "seed \(RandomRun.seed), list \(round)")
        }
    }

    @Test func jsonKeepsEverything() throws {
        try check(.json) { $0 == $1 }
    }

    @Test func markdownKeepsTitlesSectionsNestingAndDone() throws {
        try check(.markdown) { TextOutline($0) == TextOutline($1) }
    }

    @Test func todoistKeepsSectionsNestingCollapsedAndItsData() throws {
        try check(.todoist) {
            TextOutline($0, [.collapsed, .data]) == TextOutline($1, [.collapsed, .data])
        }
    }

    @Test func plainTitlesAreWrittenUnchanged() throws {
        let titles = [
            "Buy **two** [apples](https://example.com/?a=1&b=2)", "שלום, עולם",
            "100% of C:\\new_dir",
            "`\\d+\\.\\d`", "a * b * c", "#1 of 3", "- dash", "x &c.", "",
        ]
        let list = try ReorderableList(
            settings: ListSettings(title: "T"), sections: [],
            tasks: titles.enumerated().map {
                ReorderableList.Entry(content: TaskContent(id: "\($0)", title: $1))
            })
        let lines = titles.map { $0.isEmpty ? "- [ ]\n" : "- [ ] \($0)\n" }
        #expect(ListFileFormat.markdown.text(of: list) == "# T\n\n" + lines.joined())
    }
}
