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
        _ same: (ReorderableList, ReorderableList) -> Bool
    ) throws {
        var lists = RandomLists(seed: RandomRun.seed)
        for round in 0..<Self.count {
            let list = try lists.next()
            let bytes = try #require(format.write(list, id: "list", version: 1))
            let imported = try format.read(bytes, untitled: list.settings.title)
            try #require(
                same(list, imported.list) && imported.remarks.isEmpty,
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

    /// Words with `@` are labels for Todoist, and control characters are not written, so that later readings are compared.
    @Test func todoistKeepsSectionsNestingCollapsedAndSharedMembers() throws {
        let parts: Set<TextOutline.Part> = [.collapsed, .data]
        let spaces = CharacterSet(charactersIn: " ")
        var lists = RandomLists(seed: RandomRun.seed, sharesData: true)
        for round in 0..<Self.count {
            let list = try lists.next()
            func again(_ list: ReorderableList) throws -> ReorderableList? {
                let bytes = try #require(ListFileFormat.todoist.write(list, id: "l", version: 1))
                return try ListFileFormat.todoist.readIfAny(bytes)?.list
            }
            guard let first = try again(list) else { continue }
            let second = try #require(try again(first))
            let third = try #require(try again(second))
            try #require(
                TextOutline(second, parts) == TextOutline(third, parts)
                    && zip(list.tasks, first.tasks).allSatisfy { one, other in
                        one.depth == other.depth
                            && (one.content.title.trimmingCharacters(in: spaces)
                                == other.content.title.trimmingCharacters(in: spaces)
                                || one.content.title.contains("@"))
                    }
                    && list.sections.map(\.title) == first.sections.map(\.title),
                "seed \(RandomRun.seed), list \(round):\n\(TextOutline(second, parts))\n\(TextOutline(third, parts))"
            )
        }
    }

    @Test(arguments: [ListFileFormat.csv, .todoTxt, .opml, .ics])
    func sharedMembersAreKeptAsFarAsTheFormatHasThem(format: ListFileFormat) throws {
        var lists = RandomLists(seed: RandomRun.seed, sharesData: true)
        let members = SharedMembers(format: format)
        var count = 0
        for round in 0..<Self.count {
            let list = try lists.next()
            let bytes = try #require(format.write(list, id: "list", version: 1))
            guard let imported = try format.readIfAny(bytes) else {
                #expect(list.count == 0)
                continue
            }
            count += list.count
            let (written, read) = (members.lines(written: list), members.lines(read: imported.list))
            try #require(
                written.count == read.count && imported.reportWithoutTimes.isEmpty,
                "seed \(RandomRun.seed), list \(round): \(imported.report)")
            for (line, copy) in zip(written, read) {
                // Equal characters can have different bytes.
                let same = zip(line.unicodeScalars, copy.unicodeScalars).prefix { $0 == $1 }.count
                try #require(
                    line.utf8.elementsEqual(copy.utf8),
                    "seed \(RandomRun.seed), list \(round): \(line.unicodeScalars.dropFirst(same).prefix(40).map(\.value)), not \(copy.unicodeScalars.dropFirst(same).prefix(40).map(\.value))"
                )
            }
        }
        #expect(count > Self.count)
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
            for format in [ListFileFormat.json, .todoist, .csv, .opml, .ics] {
                let imported = try format.read(format.text(of: list))
                #expect(imported.reportWithoutTimes == [])
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
