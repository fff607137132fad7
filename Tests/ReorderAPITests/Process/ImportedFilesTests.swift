import Foundation
import ProcessTesting
import Testing

/// `reorderd import` with files as people have them.
@Suite struct ImportedFilesTests {
    private func run(
        _ command: String, store: URL, _ arguments: [String]
    ) throws -> ServerProcess.Ended {
        try ServerProcess.run([command, "--store", "file:\(store.path)"] + arguments)
    }

    private func write(_ text: String, to file: URL) throws -> String {
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test func aFileWithoutTasksIsLeftOutAndReported() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            let good = try write("- a\n\ntext\n", to: folder.appending(path: "good.md"))
            let empty = try [
                write("just words\n", to: folder.appending(path: "words.md")),
                write("", to: folder.appending(path: "empty.csv")),
                write("\n", to: folder.appending(path: "empty.json")),
            ]
            let reports = empty.map {
                "\($0): left out: the file contains no tasks and no headings\n"
            }
            let imported = try run("import", store: store, empty + [good])
            #expect(imported.exitCode == 0)
            #expect(imported.output == "created good, version 1, 1 task\n")
            #expect(
                imported.errors == reports.joined() + "\(good):3: left out: text outside tasks\n")
            let nothing = try run("import", store: store, empty)
            #expect(nothing.exitCode == 65)
            #expect(nothing.errors == reports.joined() + "reorderd: nothing was imported\n")
        }
    }

    @Test func theIDFollowsFromTheFilesName() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            let text = "# T\n\n- a\n"
            let files = try [
                "My list", "My_list", "My  list", "買い物", "é", "e\u{301}",
                "Inbox [2203306141]", String(repeating: "long name ", count: 20),
            ].map { try write(text, to: folder.appending(path: "\($0).md")) }
            // The two forms of é are the same name.
            let names = Array(files[..<5] + files[6...])
            let imported = try run("import", store: store, names)
            #expect(imported.exitCode == 0, "\(imported)")
            let ids = imported.output.split(separator: "\n").map {
                String($0.split(separator: " ")[1].dropLast())
            }
            #expect(
                ids == [
                    "My-list-17dc3b1577f5fec7", "My_list", "My-list-735008ef14ca9eb7",
                    "list-1665c269b36376e0", "list-4a99557e4033c353",
                    "Inbox-2203306141-f12f501f6c4cc119",
                    "long-name-long-name-long-name-long-name-long-na-c7b54ac394bd7183",
                ])
            #expect(
                try run("import", store: store, names).output
                    == ids.map { "unchanged \($0)\n" }.joined())
            #expect(
                try run("import", store: store, [files[5]]).output == "unchanged \(ids[4])\n")
            _ = try write(text + "- b\n", to: URL(filePath: files[0]))
            #expect(
                try run("import", store: store, [files[0]]).errors.contains(
                    "The list \"\(ids[0])\" already exists."))
        }
    }

    @Test func aListWithAnyDataCanBeExportedAndImported() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            let file = folder.appending(path: "l.json")
            let priorities = [#""high""#, "0", "9", "4", "2", "null", "[]", "{}", "true", "1.5"]
            let tasks = priorities.enumerated().map {
                #"{"id":"t\#($0)","title":"","data":{"priority":\#($1),"duration":"x"}}"#
            }
            _ = try write(
                #"{"title":"l","tasks":["# + tasks.joined(separator: ",") + "]}", to: file)
            #expect(try run("import", store: store, [file.path]).exitCode == 0)
            for format in ["json", "markdown", "todoist", "csv", "todotxt", "opml", "ics"] {
                let output = folder.appending(path: "\(format)/")
                let arguments = ["--all", "--format", format, "-o", output.path + "/"]
                #expect(try run("export", store: store, arguments).exitCode == 0)
                let exported = try FileManager.default.contentsOfDirectory(atPath: output.path)
                let again = try run(
                    "import", store: folder.appending(path: "\(format).db"),
                    exported.map { output.appending(path: $0).path })
                #expect(again.exitCode == 0, "\(again)")
                #expect(
                    again.output
                        == "created \(format == "todoist" ? "todoist-" : "")l, version 1, 10 tasks\n"
                )
                #expect(again.errors.isEmpty || format == "ics" && again.errors.contains("DTSTAMP"))
            }
        }
    }

    @Test func columnsAreProposedBeforeAnythingIsWritten() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            let file = try write(
                "Task name;Who\nbuy milk;Ann\n", to: folder.appending(path: "my tasks.csv"))
            let refused = try run("import", store: store, [file])
            #expect(refused.exitCode == 65)
            #expect(!FileManager.default.fileExists(atPath: store.path))
            let line = try #require(refused.errors.split(separator: "\n").dropFirst().first)
            #expect(line.hasPrefix("If this is right, repeat with: "), "\(refused)")
            #expect(line.hasSuffix(" '\(file)' --column 'title=Task name'"), "\(refused)")
            let arguments = [file, "--column", "title=Task name"]
            let imported = try run("import", store: store, arguments)
            #expect(imported.output.hasPrefix("created my-tasks-"), "\(imported)")
            #expect(imported.errors == "\(file):2: left out: Who of tasks\n")
            #expect(
                try run("import", store: store, arguments).output.hasPrefix("unchanged my-tasks-"))
            #expect(try run("import", store: store, [file, "--column", "name=Who"]).exitCode == 64)
        }
    }

    /// Each list of a file has its own id, and tasks keep theirs.
    @Test func aFileWithSeveralListsCanBeImportedAgain() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            func tasks(_ title: String) throws -> String {
                try write(
                    #"{"kind":"tasks#taskLists","items":[{"id":"MTUzNjc4OTQ2MjM5MDY","title":"A","items":["#
                        + #"{"id":"RjQ3LWZUY3JsRk8zaVEtaw","title":"\#(title)","due":"2026-11-30T00:00:00.000Z"}]},"#
                        + #"{"title":"My B","items":[]}]}"#,
                    to: folder.appending(path: "Tasks.json"))
            }
            let file = try tasks("a")
            let imported = try run("import", store: store, [file])
            #expect(imported.exitCode == 0, "\(imported)")
            let ids = imported.output.split(separator: "\n").map { $0.split(separator: " ")[1] }
            #expect(
                ids.first == "google-tasks-MTUzNjc4OTQ2MjM5MDY,"
                    && ids.last?.hasPrefix("google-tasks-My-B-") == true)
            #expect(
                try run("import", store: store, [file]).output.split(separator: "\n")
                    .allSatisfy { $0.hasPrefix("unchanged ") })
            _ = try tasks("b")
            #expect(try run("import", store: store, [file]).exitCode == 65)
            let replaced = try run("import", store: store, [file, "--replace"]).output
            #expect(
                replaced.contains("replaced google-tasks-MTUzNjc4OTQ2MjM5MDY, version 2, 1 task"))
            let exported = try run("export", store: store, ["google-tasks-MTUzNjc4OTQ2MjM5MDY"])
                .output
            #expect(
                exported.contains(#""id":"RjQ3LWZUY3JsRk8zaVEtaw","title":"b""#)
                    && exported.contains(#""data":{"due":"2026-11-30"}"#), "\(exported)")
        }
    }
}
