import ReorderEngine
import ReorderImportExport
import Testing

@Suite struct JSONImportTests {
    @Test func aDocumentKeepsItsIDs() throws {
        let text = """
            {"id":"l","title":"L","version":9,"sections":[{"id":"s","title":"S"}],
             "tasks":[{"id":"a","title":"A","section":"s"},{"title":"B","parent":"a"}]}
            """
        let imported = try ListFileFormat.json.read(text)
        #expect(imported.id == "l")
        #expect(imported.list.tasks.map(\.id) == ["a", "n1"])
    }

    @Test(
        arguments: [
            ("{\"title\":\n\n1.}", 3, "/title", "The number is malformed, at byte 13."),
            (
                "{\"title\":\"x\",\n\"tasks\":[{\"id\":\"/\"}]}", 1, "/tasks/0/id",
                """
                An id must have 1 to 64 characters of A-Z, a-z, 0-9, ".", "_", "~" and "-", \
                but not be "." or "..".
                """
            ),
            ("{}", 1, "", "The member \"title\" is missing."),
            (
                "{\"title\":\"x\",\"tasks\":[{\"title\":\"a\",\"parent\":\"b\"}]}", 1,
                "/tasks/0/parent",
                "No earlier task has this id."
            ),
            ("[]", 1, "", "Expected an object, found an array."),
        ] as [(String, Int, String, String)])
    func errorsAreReportedWithTheirPlace(text: String, line: Int, pointer: String, reason: String) {
        #expect(
            ListFileFormat.json.refusal(of: text)
                == ImportError(line: line, pointer: pointer, reason: reason))
    }

    /// The documents of a text that is read a few bytes at a time.
    private func documents(_ text: String, step: Int) throws -> [String] {
        var rest = Array(text.utf8)[...]
        var documents = JSONDocuments {
            defer { rest = rest.dropFirst(step) }
            return Array(rest.prefix(step))
        }
        var found: [String] = []
        while let (line, bytes) = try documents.next() {
            found.append("\(line): \(String(decoding: bytes, as: UTF8.self))")
        }
        return found
    }

    @Test(arguments: [3, 5, 16, 1_000])
    func documentsAreSplitWithAnyLineBreaks(step: Int) throws {
        let text = "\u{FEFF}\n {\"a\":\"}\\\"{\"}{\n\"b\":[{},\n\"é\\\\\"]}\r\n\n{}\n"
        #expect(
            try documents(text, step: step) == [
                "2: {\"a\":\"}\\\"{\"}", "2: {\n\"b\":[{},\n\"é\\\\\"]}", "6: {}",
            ])
    }

    @Test func invalidDocumentsAreReturnedUnchanged() throws {
        #expect(try documents("\n\n", step: 4) == [])
        #expect(try documents("{\"a\":1", step: 4) == ["1: {\"a\":1"])
        #expect(try documents("[{},{}]\n{}", step: 4) == ["1: [{},{}]\n", "2: {}"])
        #expect(try documents("]x\n", step: 4) == ["1: ]x\n"])
    }
}
