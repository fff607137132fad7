import RandomRuns
import ReorderEngine
import ReorderImportExport
import Testing

/// The format of a file by its content, with the extension as a hint.
@Suite struct RecognitionTests {
    @Test(
        arguments: [
            ("{\"title\":\"a\",\"tasks\":[]}", "list.txt", .json),
            ("\u{FEFF}\n {\"id\":\"a\", \"tasks\" : [", "-", .json),
            ("[]", "a.json", .json), ("{", "a.json", .json), ("{}", "a", nil),
            ("TYPE,CONTENT\ntask,a\n", "tasks", .todoist),
            ("sep=;\ntype;content\n", "a.md", .todoist),
            ("- [ ] a\n", "a.json", .markdown),
            ("Notes:\n- [x] b\n- [ ] a @home\n", "a", .markdown),
            ("- a, b\n", "a.csv", .markdown),
            ("text\n\n# Title\n", "a", .markdown), ("1. one\n", "-", .markdown),
            (
                "{\"id\":1,\"labelNames\":{},\"prefs\":{\"title\":1},\"actions\":[{", "a.json",
                .trello
            ),
            ("{\"kind\":\"tasks#taskLists\",\"items\":[]}", "a", .googleTasks),
            ("{\"version\":\"1\",\"boards\":{}}", "a.json", .deck),
            ("[{\"id\":1,\"hex_color\":\"\",\"tasks\":null}]", "data.json", .vikunja),
            ("[{\"displayName\":\"T\",\"tasks\":[]}]", "a", .microsoftToDo),
            ("BEGIN:VCALENDAR\r\n", "a", .ics), ("<?xml?>\n<opml>", "a.xml", .opml),
            ("x 2026-01-01 a\n", "a.txt", .todoTxt), ("(A) a\n", "a", .todoTxt),
            ("milk +shop\n", "a", .todoTxt), ("* TODO a\n", "a", .org),
            ("#+TITLE: a\n", "a.txt", .org), ("* a\n", "a.org", .org),
            ("Home:\n- a @done\n", "a.txt", .taskPaper), ("Home:\n- a\n", "a.md", .markdown),
            ("words", "a.md", .markdown), ("words", "a", nil), ("milk\n", "shop.txt", .todoTxt),
            ("", "a.csv", .csv), ("Name;Ort\n", "a.csv", .csv),
            ("Task,Due\na,\n", "a", .csv), ("one, two\n", "a", nil),
            ("", "a", nil), ("\u{0}\u{1}", "photo.jpg", nil),
        ] as [(String, String, ListFileFormat?)])
    func theContentDecides(text: String, name: String, format: ListFileFormat?) {
        #expect(
            ListFileFormat(recognizing: Array(text.utf8), fileName: name) == format,
            "\(name): \(text)")
    }

    /// As other programs write todo.txt, without a mark of it.
    @Test(
        arguments: [
            "- Eggs", "+ a", "# b", "** c", "1. d", "x", "Milk", "title,section", "TYPE,CONTENT",
            "level,title,section,done", "{\"title\":1}", "[{\"title\":1}", "BEGIN:VCALENDAR",
            "<opml>",
            ":properties:", "#+title: a", "* TODO b",
        ])
    func aWrittenTodoTxtIsRecognized(title: String) throws {
        let list = try ReorderableList(
            settings: ListSettings(title: "shop"), sections: [],
            tasks: [title, "Milk"].enumerated().map { index, title in
                ReorderableList.Entry(content: TaskContent(id: "t\(index)", title: title))
            })
        let bytes = try #require(ListFileFormat.todoTxt.write(list, id: "l", version: 1))
        #expect(ListFileFormat(recognizing: bytes, fileName: "shop.txt") == .todoTxt)
        let again = try ListFileFormat.todoTxt.read(bytes)
        #expect(again.list.tasks.map(\.content.title) == [title, "Milk"])
    }

    @Test(arguments: ListFileFormat.written)
    func eachExportIsRecognized(format: ListFileFormat) throws {
        var lists = RandomLists(seed: RandomRun.seed, sharesData: true, hasMarks: true)
        for round in 0..<RandomRun.operations(6_000) / 20 {
            let list = try lists.next()
            // A file without tasks has nothing by which to recognize it.
            guard list.count > 0 else { continue }
            let bytes = try #require(format.write(list, id: "l", version: 1))
            let name = "list.\(format.fileEnding)"
            let found = ListFileFormat(recognizing: bytes, fileName: name)
            try #require(
                found == format,
                "\(found.map(\.rawValue) ?? "none"), seed \(RandomRun.seed), list \(round): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
            )
        }
    }

    @Test func utf16IsRecognizedWhereverItIsCut() {
        let units = Array("\u{FEFF}- [ ] \u{1F600}".utf16).dropLast()
        let bytes = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(ListFileFormat(recognizing: bytes, fileName: "a") == .markdown)
    }

    @Test func utf16IsRecognized() {
        let units = Array("\u{FEFF}TYPE\tCONTENT\n".utf16)
        let bytes = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(ListFileFormat(recognizing: bytes, fileName: "a") == .todoist)
    }
}
