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

    @Test func todoistKeepsSectionsNestingCollapsedAndItsData() throws {
        try check(.todoist) { list, imported, data in
            TextOutline(list, [.collapsed]) == TextOutline(imported, [.collapsed])
                && zip(list.tasks, imported.tasks).allSatisfy { task, copy in
                    copy.content.data == data[task.id]?.inTodoist
                }
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

    @Test func dataOfTheMaximumSizeIsKept() throws {
        for start in [
            #"{"description":""#, #"{"notes":[{"author":"A","content":""#, #"{"notes":""#,
        ] {
            let end = start.contains("[") ? #""}]}"# : #""}"#
            for (unit, count) in [("x", 1), (#"\n"#, 2), (#"\u0001"#, 6), ("é", 2)] {
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
                let formats: [ListFileFormat] =
                    start == #"{"notes":""# ? [.csv, .opml, .ics] : [.json, .todoist]
                // A control character that is not kept needs fewer bytes.
                for format in formats where formats.count == 2 || count < 3 {
                    let imported = try format.read(format.text(of: list))
                    #expect(imported.reportWithoutTimes == [])
                    let data = try #require(Array(imported.list.tasks)[0].content.data)
                    #expect(data.utf8.count == 8_192)
                }
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
