import ReorderImportExport
import Testing

@testable import ReorderAPI

/// Lists as files over HTTP.
@Suite struct ListExportTests {
    @Test(arguments: Setup.all)
    func eachFormatIsAFileThatCanBeImported(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c@s"])])
            for format in ListFileFormat.written {
                let path = "/lists/l/export?format=\(format.rawValue)"
                let file = try server.client.get(path)
                #expect(file.status == 200, "\(file.text)")
                #expect(file["Cache-Control"] == "no-cache")
                #expect(
                    file["Content-Disposition"]
                        == "attachment; filename=\"List.\(format.fileEnding)\"; "
                        + "filename*=UTF-8''List.\(format.fileEnding)")
                let tag = try #require(file["ETag"])
                #expect(tag == (try server.client.get("/lists/l"))["ETag"])
                let again = try server.client.get(path, ["If-None-Match": tag])
                #expect(again.status == 304 && again.body.isEmpty && again["ETag"] == tag)
                let query = "format=\(format.rawValue)&list=l&title=List&replace=true&dryRun=true"
                let back = try server.client.post("/imports?\(query)", file.text)
                let list = back.json["lists"]?.array.first
                #expect(list?["count"] == 3, "\(format) \(back.text)")
                if format != .todoTxt {  // sections are labels there
                    #expect(list?["outcome"] == "unchanged", "\(format) \(back.text)")
                }
            }
            #expect(
                try server.client.get("/lists/l/export").text
                    == server.client.get("/lists/l/export?format=json").text)
        }
    }

    @Test(arguments: Setup.once)
    func onlyListsAndWrittenFormatsAreReturned(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for format in ["trello", "word", ""] {
                let answer = try server.refused(
                    422, "invalid_query", "GET", "/lists/l/export?format=\(format)")
                #expect(answer.json["detail"]?.string?.contains("json, markdown") == true)
            }
            try server.refused(404, "list_not_found", "GET", "/lists/none/export?format=json")
        }
    }

    @Test(arguments: [
        ("Groceries", "Groceries", "Groceries"),
        ("Käse & Brot", "K_se & Brot", "K%C3%A4se%20&%20Brot"),
        ("../../etc/passwd", "_.._etc_passwd", "_.._etc_passwd"),
        ("a\"b\\c\r\nd", "a_b_c__d", "a_b_c__d"), ("100%", "100_", "100%25"),
        ("cod\u{202E}exe", "cod_exe", "cod_exe"), ("買い物", "___", "%E8%B2%B7%E3%81%84%E7%89%A9"),
        ("", "the-id", "the-id"), (" . .. ", "the-id", "the-id"), (".hidden.", "hidden", "hidden"),
        (
            String(repeating: "x", count: 300), String(repeating: "x", count: 200),
            String(repeating: "x", count: 200)
        ),
    ])
    func fileNamesAreSafe(title: String, ascii: String, encoded: String) {
        #expect(
            ContentDisposition.attachment(title, or: "the-id", ending: "md")
                == "attachment; filename=\"\(ascii).md\"; filename*=UTF-8''\(encoded).md")
    }
}
