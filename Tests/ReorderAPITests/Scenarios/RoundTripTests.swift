import Foundation
import Testing

@Suite struct RoundTripTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    @Test(arguments: Setup.all, ["books-he", "books-ja", "books-langs", "books-ru"])
    func aDocumentIsReturnedAsItWasPut(setup: Setup, name: String) throws {
        let sent = try String(
            contentsOf: Self.folder.appending(path: "\(name).json"), encoding: .utf8)
        try withServer(setup) { server throws in
            let path = "/lists/\(name)"
            #expect(try server.client.put(path, sent).status == 201)
            let document = try server.document(name)

            let before = try JSONValue(json: Array(sent.utf8))
            let after = try JSONValue(json: Array(document.utf8))
            #expect(after["title"] == before["title"])
            for member in ["sections", "tasks"] {
                let sent = before[member]?.array ?? []
                let got = after[member]?.array ?? []
                #expect(got.count == sent.count)
                for (sent, got) in zip(sent, got) {
                    for (name, value) in sent.object { #expect(got[name] == value) }
                }
            }

            let back = try server.client.put(path, document, ["If-Match": "*"])
            #expect(back.json == ["list": .string(name), "version": 1, "changed": false])
            #expect(try server.document(name) == document)
            try server.reopen()
            #expect(try server.document(name) == document)
        }
    }

    @Test(arguments: Setup.all)
    func aListSurvivesARestartByteForByte(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make([
                "l": draft(["a", "b<a", "c<b", "d@s", "e@s"], #""collapseSubElements":true"#)
            ])
            let client = server.client
            let text = #"é \"q\" \\ \/ \n \u001f \u2028 😀 \ud83d\ude00 ‮ 0️⃣"#
            for (method, path, body) in [
                ("POST", "/lists/l/move", #"{"task":"a","section":"s","position":1}"#),
                (
                    "POST", "/lists/l/tasks",
                    #"{"id":"n","title":"\#(text)","after":"d","data":[1.0,1e2,-0,12345678901234567890,"\#(text)",{}]}"#
                ),
                ("POST", "/tasks/b/collapse", ""),
                ("POST", "/lists/l/move", #"{"tasks":["c","e"],"before":"d"}"#),
                ("DELETE", "/tasks/d", ""),
            ] {
                let answer = try client.send(method, path, body.isEmpty ? nil : body)
                #expect(200..<300 ~= answer.status, "\(answer.text)")
                #expect(answer.json["changed"] == true)
            }
            let document = try server.document("l")
            #expect(document.contains("[1.0,1e2,-0,12345678901234567890,"))
            let title = try JSONValue(json: Array("\"\(text)\"".utf8))
            #expect(try client.get("/tasks/n").json["title"] == title)
            try server.reopen()
            #expect(try server.document("l") == document)
            let back = try server.client.put("/lists/l", document, ["If-Match": entityTag(6)])
            #expect(back.json["changed"] == false)
        }
    }
}
