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
        _ format: ListFileFormat,
        _ same: (ReorderableList, ReorderableList, [TaskID: JSONValue]) -> Bool
    ) throws {
        var lists = RandomLists(seed: RandomRun.seed)
        for round in 0..<Self.count {
            let list = try lists.next()
            let bytes = try #require(format.write(list, id: "list", version: 1))
            let imported = try format.read(bytes, untitled: list.settings.title)
            try #require(
                same(list, imported.list, lists.dataByTask) && imported.remarks.isEmpty,
                "seed \(RandomRun.seed), list \(round): \(imported.report) \(String(decoding: bytes, as: UTF8.self).debugDescription)"
            )
            let again = format.write(imported.list, id: "list", version: 1)
            try #require(again == bytes, "seed \(RandomRun.seed), list \(round)")
        }
    }

    @Test func jsonKeepsEverything() throws {
        try check(.json) { list, imported, _ in list == imported }
    }

    @Test func markdownKeepsTitlesSectionsNestingAndDone() throws {
        try check(.markdown) { list, imported, _ in TextOutline(list) == TextOutline(imported) }
    }

    /// Words with `@` are labels for Todoist, so that the second reading is compared with the first.
    @Test func todoistKeepsSectionsNestingCollapsedAndSharedMembers() throws {
        let parts: Set<TextOutline.Part> = [.collapsed, .data]
        var lists = RandomLists(seed: RandomRun.seed)
        for round in 0..<Self.count {
            let list = try lists.next()
            func again(_ list: ReorderableList) throws -> ReorderableList? {
                let bytes = try #require(ListFileFormat.todoist.write(list, id: "l", version: 1))
                return try ListFileFormat.todoist.readIfAny(bytes)?.list
            }
            guard let first = try again(list) else { continue }
            let second = try #require(try again(first))
            try #require(
                TextOutline(first, parts) == TextOutline(second, parts)
                    && zip(list.tasks, first.tasks).allSatisfy { one, other in
                        one.depth == other.depth
                            && (one.content.title == other.content.title
                                || one.content.title.contains("@"))
                    }
                    && list.sections.map(\.title) == first.sections.map(\.title),
                "seed \(RandomRun.seed), list \(round)")
        }
    }

    @Test func notesOfTheMaximumSizeAreKept() throws {
        for (unit, count) in [("x", 1), (#"\n"#, 2), ("é", 2)] {
            let (start, end) = (#"{"notes":"x"#, #"x"}"#)
            let room = 8_192 - start.utf8.count - end.utf8.count
            let text =
                String(repeating: unit, count: room / count)
                + String(repeating: "x", count: room % count)
            let list = try ReorderableList(
                settings: ListSettings(title: "T"), sections: [],
                tasks: [
                    ReorderableList.Entry(
                        content: TaskContent(id: "a", title: "", data: start + text + end))
                ])
            for format in [ListFileFormat.json, .todoist] {
                let imported = try format.read(format.text(of: list))
                #expect(imported.report == [])
                let data = try #require(Array(imported.list.tasks)[0].content.data)
                #expect(data.utf8.count == 8_192)
            }
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
