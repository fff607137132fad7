import Foundation
import ProcessTesting
import Testing

/// `reorderd export` and `reorderd import` as people and scripts use them.
@Suite struct ExportImportTests {
    private static let books = ["books-he", "books-ja", "books-langs", "books-ru"]

    private static let fixtures = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    private static var bookFiles: [String] {
        books.map { fixtures.appending(path: "\($0).json").path }
    }

    private func run(
        _ command: String, store: URL, _ arguments: [String], input: URL? = nil
    ) throws -> ServerProcess.Ended {
        try ServerProcess.run(
            [command, "--store", "file:\(store.path)"] + arguments, input: input)
    }

    private func write(_ text: String, to file: URL) throws -> String {
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test func aJSONExportCanBeImportedUnchanged() throws {
        try withTemporaryFolder { folder throws in
            let (first, second) = (folder.appending(path: "1.db"), folder.appending(path: "2.db"))
            let imported = try run("import", store: first, Self.bookFiles)
            #expect(imported.exitCode == 0, "\(imported)")
            #expect(imported.errors.isEmpty)
            #expect(imported.output.split(separator: "\n").count == 4)

            let exported = try run("export", store: first, ["--all"])
            #expect(exported.exitCode == 0, "\(exported)")
            #expect(exported.output.split(separator: "\n").count == 4)
            let file = folder.appending(path: "all.jsonl")
            _ = try write(exported.output, to: file)

            #expect(try run("import", store: second, [file.path]).exitCode == 0)
            #expect(try run("export", store: second, ["--all"]).output == exported.output)

            let again = try run("import", store: second, ["-", "--format", "json"], input: file)
            #expect(again.exitCode == 0)
            #expect(again.output == Self.books.map { "unchanged \($0)\n" }.joined())
            let check = try ServerProcess.run(["check", second.path])
            #expect(check.exitCode == 0)
            #expect(check.output.hasPrefix("4 lists, 2335 tasks, 4 changes"))
        }
    }

    /// The id follows from the content.
    @Test func aListFromStandardInputIsImportedOnce() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "1.db")
            let file = folder.appending(path: "a.md")
            _ = try write("- [ ] a\n", to: file)
            let first = try run("import", store: store, ["-"], input: file)
            #expect(first.exitCode == 0 && first.output.hasPrefix("created Imported-"), "\(first)")
            let second = try run("import", store: store, ["-"], input: file)
            let id = first.output.dropFirst("created ".count).prefix { $0 != "," }
            #expect(second.output == "unchanged \(id)\n")
            #expect(try run("export", store: store, ["--all"]).output.contains(#""title":"a""#))
        }
    }

    @Test func timesAndTheDataOfSectionsAreKept() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "1.db")
            let file = folder.appending(path: "l.json")
            let document =
                #"{"id":"l","title":"L","createdAt":"2001-01-01T00:00:00.000Z","#
                + #""updatedAt":"2002-01-01T00:00:00.000Z","#
                + #""sections":[{"id":"s","title":"S","data":{"k":1}}],"#
                + #""tasks":[{"id":"a","title":"A","done":true,"#
                + #""createdAt":"2001-01-02T00:00:00.000Z","#
                + #""updatedAt":"2001-01-03T00:00:00.000Z","#
                + #""completedAt":"2001-01-03T00:00:00.000Z"}]}"#
            _ = try write(document, to: file)
            #expect(try run("import", store: store, [file.path]).exitCode == 0)
            let exported = try run("export", store: store, ["l"]).output
            for part in [
                #""createdAt":"2001-01-01T00:00:00.000Z","updatedAt":"2002-01-01T00:00:00.000Z""#,
                #""data":{"k":1}"#,
                #""createdAt":"2001-01-02T00:00:00.000Z","updatedAt":"2001-01-03T00:00:00.000Z","#
                    + #""completedAt":"2001-01-03T00:00:00.000Z""#,
            ] {
                #expect(exported.contains(part), "\(part) in \(exported)")
            }
            // A document without times is the same list.
            let plain =
                #"{"id":"l","title":"L","sections":[{"id":"s","title":"S","data":{"k":1}}],"#
                + #""tasks":[{"id":"a","title":"A","done":true}]}"#
            _ = try write(plain, to: file)
            #expect(try run("import", store: store, [file.path]).output == "unchanged l\n")
            let bad = plain.replacing(#""done":true"#, with: #""createdAt":"now""#)
            _ = try write(bad, to: file)
            let refused = try run("import", store: store, [file.path, "--replace"])
            #expect(refused.exitCode != 0)
            #expect(refused.errors.contains("/tasks/0/createdAt"), "\(refused)")
        }
    }

    @Test(arguments: ["markdown", "todoist", "csv", "todotxt", "opml", "ics"])
    func otherFormatsRoundTrip(format: String) throws {
        try withTemporaryFolder { folder throws in
            let (first, second) = (folder.appending(path: "1.db"), folder.appending(path: "2.db"))
            #expect(try run("import", store: first, Self.bookFiles).exitCode == 0)
            let (there, back) = (folder.appending(path: "there"), folder.appending(path: "back"))
            let export = try run(
                "export", store: first, ["--all", "--format", format, "-o", there.path + "/"])
            #expect(export.exitCode == 0, "\(export)")
            let files = try FileManager.default.contentsOfDirectory(atPath: there.path)
            #expect(files.count == 4)
            let imported = try run(
                "import", store: second, files.map { there.appending(path: $0).path })
            #expect(imported.exitCode == 0, "\(imported)")
            let again = try run(
                "export", store: second, ["--all", "--format", format, "-o", back.path + "/"])
            #expect(again.exitCode == 0)
            for file in files {
                // Ids of a program's lists begin with its name.
                let copy = format == "todoist" ? "todoist-\(file)" : file
                #expect(
                    try linesWithoutIDs(there.appending(path: file))
                        == linesWithoutIDs(back.appending(path: copy)))
            }
        }
    }

    /// The lines of a file, without ids and times in CSV and iCalendar: tasks with short ids get
    /// new ones.
    private func linesWithoutIDs(_ file: URL) throws -> [Substring] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\r\n")
        switch file.pathExtension {
        case "csv": return lines.map { $0[..<($0.lastIndex(of: ",") ?? $0.endIndex)] }
        case "ics":
            let names = ["UID:", "RELATED-TO:", "DTSTAMP:", "COMPLETED:"]
            return lines.filter { line in !names.contains { line.hasPrefix($0) } }
        default: return lines
        }
    }

    @Test func aFilesNameDeterminesTheExportFormat() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            let markdown = try write(
                "# שבת\n\n- [x] לחם\n  - [ ] קמח\n", to: folder.appending(path: "shabbat.md"))
            #expect(
                try run("import", store: store, [markdown]).output
                    == "created shabbat, version 1, 2 tasks\n")
            let output = folder.appending(path: "out.md")
            #expect(try run("export", store: store, ["shabbat", "-o", output.path]).exitCode == 0)
            #expect(
                try String(contentsOf: output, encoding: .utf8)
                    == String(contentsOfFile: markdown, encoding: .utf8))
            for (name, text) in [
                ("csv", "\r\n1,לחם,,true,,,,,,"), ("txt", " לחם id:1\nקמח p:1\n"),
                ("OPML", #"<outline text="קמח"/>"#), ("ics", "\r\nSUMMARY:קמח\r\n"),
                ("org", #""title":"קמח""#),
            ] {
                let output = folder.appending(path: "out.\(name)")
                #expect(
                    try run("export", store: store, ["shabbat", "-o", output.path]).exitCode == 0)
                #expect(try String(contentsOf: output, encoding: .utf8).contains(text), "\(name)")
            }
            let csv = try run("export", store: store, ["shabbat", "--format", "todoist"]).output
            #expect(csv.contains("task,קמח,,,4,2,"))
            let refused = try run("export", store: store, ["shabbat", "--format", "org"])
            #expect(refused.exitCode == 64)
            #expect(refused.errors.contains("org is only imported."))
        }
    }

    @Test func anExistingListIsReplacedOnlyOnRequest() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            let file = folder.appending(path: "l.json")
            _ = try write(#"{"title":"L","tasks":[{"id":"a","title":"A"}]}"#, to: file)
            #expect(try run("import", store: store, [file.path]).exitCode == 0)
            _ = try write(#"{"title":"L","tasks":[{"id":"b","title":"B"}]}"#, to: file)
            let refused = try run("import", store: store, [file.path])
            #expect(refused.exitCode == 65)
            #expect(refused.errors.contains("The list \"l\" already exists"))
            #expect(
                try run("import", store: store, [file.path, "--replace"]).output
                    == "replaced l, version 2, 1 task\n")
        }
    }

    @Test func anInvalidFileStopsTheWholeImport() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            let held = folder.appending(path: "held.json")
            _ = try write(#"{"title":"","tasks":[{"id":"a","title":""}]}"#, to: held)
            #expect(try run("import", store: store, [held.path]).exitCode == 0)
            let good = try write("- a", to: folder.appending(path: "good.md"))
            let bad: [(name: String, text: String, line: String)] = [
                ("utf8.md", "- a\n- \0", "utf8.md:2: The line contains a NUL byte."),
                ("type.csv", "TYPE,CONTENT\ntask,a,b", "type.csv:2: The row has 3 fields"),
                (
                    "broken.json", "{\"title\":\"a\"}\n{\"title\":}",
                    "broken.json:2: /title: A value"
                ),
                (
                    "taken.json", #"{"title":"","tasks":[{"id":"a","title":""}]}"#,
                    "List \"taken\": the task \"a\" already exists in the list \"held\"."
                ),
                (
                    "twice.json", #"{"id":"x","title":""} {"id":"x","title":""}"#,
                    "The list \"x\" occurs twice."
                ),
                (
                    "tasks.json",
                    #"{"id":"x","title":"","tasks":[{"id":"t","title":""}]}"#
                        + #"{"id":"y","title":"","tasks":[{"id":"t","title":""}]}"#,
                    "The task \"t\" occurs in two lists."
                ),
                (
                    "sections.md", String(repeating: "## s\n", count: 10_001),
                    "List \"sections\": a list has at most 10000 sections."
                ),
            ]
            for (name, text, line) in bad {
                let file = try write(text, to: folder.appending(path: name))
                let ended = try run("import", store: store, [good, file])
                #expect(ended.exitCode == 65)
                #expect(ended.errors.contains(line), "\(ended)")
                #expect(ended.output.isEmpty)
            }
            #expect(try run("import", store: store, [good, folder.path + "/no.md"]).exitCode == 66)
            #expect(
                try run("export", store: store, ["--all"]).output.split(separator: "\n").count == 1)
        }
    }

    @Test(arguments: ["md", "csv"])
    func anUnchangedFileChangesNothing(ending: String) throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            let file = folder.appending(path: "l.\(ending)")
            let id = ending == "md" ? "l" : "todoist-l"
            func content(_ title: String) -> String {
                ending == "md"
                    ? "# L\n\n- [x] A\n  - [ ] \(title)\n\n## S\n\n- [ ] C\n"
                    : "TYPE,CONTENT,INDENT\ntask,A,1\ntask,\(title),2\nsection,S,\ntask,C,1\n"
            }
            _ = try write(content("B"), to: file)
            #expect(try run("import", store: store, [file.path]).exitCode == 0)
            for arguments in [[file.path], [file.path, "--replace"]] {
                let again = try run("import", store: store, arguments)
                #expect(again.exitCode == 0, "\(again)")
                #expect(again.output == "unchanged \(id)\n")
            }
            _ = try write(content("D"), to: file)
            #expect(try run("import", store: store, [file.path]).exitCode == 65)
            #expect(
                try run("import", store: store, [file.path, "--replace"]).output
                    == "replaced \(id), version 2, 3 tasks\n")
        }
    }

    @Test func aRefusedImportLeavesNoFile() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "new.db")
            let bad = try write("{", to: folder.appending(path: "bad.json"))
            let taken = try write(
                #"{"id":"x","title":"","tasks":[{"id":"t","title":""}]}"#
                    + #"{"id":"y","title":"","tasks":[{"id":"t","title":""}]}"#,
                to: folder.appending(path: "taken.json"))
            let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            for file in [bad, taken] {
                #expect(try run("import", store: store, [file]).exitCode == 65)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                        == before)
            }
            #expect(try run("import", store: store, [bad, bad, "--id", "x"]).exitCode == 64)
        }
    }

    @Test func wrongArgumentsAndPathsHaveExitCodes() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            #expect(try run("export", store: store, ["--all"]).exitCode == 66)
            #expect(!FileManager.default.fileExists(atPath: store.path))
            let list = try write(#"{"title":""}"#, to: folder.appending(path: "l.json"))
            #expect(try run("import", store: store, [list]).exitCode == 0)
            #expect(try run("export", store: store, []).exitCode == 64)
            #expect(try run("export", store: store, ["l", "--all"]).exitCode == 64)
            #expect(
                try run("export", store: store, ["--all", "--format", "todoist"]).exitCode == 64)
            #expect(try run("export", store: store, ["l", "m"]).exitCode == 66)
            #expect(
                try run("export", store: store, ["l", "-o", "/nowhere/at/all"]).exitCode == 73)
            #expect(try run("import", store: store, [list, list, "--id", "x"]).exitCode == 64)
            #expect(try run("import", store: store, [list, "--id", "a/b"]).exitCode == 64)
            #expect(try run("import", store: store, [folder.path + "/x.txt"]).exitCode == 66)
            let unknown = try write("words", to: folder.appending(path: "x.dat"))
            let refused = try run("import", store: store, [unknown])
            #expect(refused.exitCode == 65)
            #expect(
                refused.errors.contains("the format is unknown. Give --format: json, markdown"),
                "\(refused)")
            let named = try write("- a\n", to: folder.appending(path: "named.txt"))
            #expect(
                try run("import", store: store, [named]).output
                    == "created named, version 1, 1 task\n")
            #expect(
                try ServerProcess.run(["export", "--store", "memory", "--all"]).exitCode == 64)
        }
    }

    @Test func aStoreThatAServerHasOpenIsRefused() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            let server = try ServerProcess(["--port", "0", "--store", "file:\(store.path)"])
            for ended in [
                try run("export", store: store, ["--all"]),
                try run("import", store: store, Self.bookFiles),
                try ServerProcess.run(["check", store.path]),
            ] {
                #expect(ended.exitCode == 73)
                #expect(ended.errors.contains("is in use by another process"))
            }
            try server.stop()
        }
    }
}
