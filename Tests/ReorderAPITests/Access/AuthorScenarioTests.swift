import Foundation
import ReorderService
import Testing

/// The authors of changes and tasks.
@Suite struct AuthorScenarioTests {
    private func authors(_ task: JSONValue?) -> [String] {
        ["createdBy", "updatedBy", "completedBy"].map { task?[$0]?.string ?? "-" }
    }

    private func withList(_ setup: Setup, _ body: (ServerUnderTest) throws -> Void) throws {
        let control = try TestTokens.control(TestTokens.keys.get())
        var drags = DragLimits()
        drags.secondsBetweenEvents = 0
        try withServer(setup, drags: drags, access: control) { server throws in
            let owner = server.client(with: "admin")
            for (list, document) in ["l": draft(["a", "b<a", "c"]), "other": draft(["x"])] {
                #expect(try owner.put("/lists/\(list)", document).status == 201)
            }
            try body(server)
        }
    }

    /// The authors of a list's changes, oldest first.
    private func changeAuthors(_ server: ServerUnderTest, _ list: String) throws -> [String?] {
        let page = try server.client(with: "read").get("/lists/\(list)/changes").json
        return (page["changes"]?.array ?? []).map { $0["by"]?.string }
    }

    @Test(arguments: Setup.all)
    func changesAndTasksHaveTheAuthenticatedAuthor(setup: Setup) throws {
        try withList(setup) { server throws in
            let (one, two) = (server.client(with: "write"), server.client(with: "jwt write"))
            let reader = server.client(with: "read")
            // `Client-Id` is a name that the client chooses. It does not make an author.
            let done = try one.send(
                "PATCH", "/tasks/b", #"{"done":true}"#, ["Client-Id": "admin"])
            #expect(authors(done.json["task"]) == ["admin", "write", "write"])
            let moved = try two.post("/lists/l/move", #"{"task":"a","after":"c"}"#)
            // The token's subject is its rights.
            #expect(authors(moved.json["task"]) == ["admin", "write", "-"])
            let created = try one.post("/lists/l/tasks", #"{"id":"n","title":"N","done":true}"#)
            #expect(authors(created.json["task"]) == ["write", "write", "write"])
            let tasks = try reader.get("/lists/l").json["tasks"]?.array
            let query = "fields=createdBy,updatedBy,completedBy"
            let chosen = try reader.get("/lists/l/tasks?\(query)").json["tasks"]?.array
            #expect(chosen?.map(authors) == tasks?.map(authors))
            _ = try one.send("PATCH", "/tasks/b", #"{"done":false}"#)
            let version = try reader.get("/lists/l").json["version"]?.int ?? 0
            _ = try server.client(with: "admin").post(
                "/lists/l/undo", #"{"version":\#(version)}"#)
            #expect(try authors(reader.get("/tasks/b").json) == ["admin", "admin", "write"])
            _ = try one.post("/lists/l/move", #"{"task":"a","toList":"other"}"#)
            #expect(try authors(reader.get("/tasks/a").json) == ["admin", "write", "-"])
            _ = try one.send("DELETE", "/lists/other")
            _ = try server.client(with: "admin").post("/lists/other/restore")
            #expect(try authors(reader.get("/tasks/x").json) == ["admin", "admin", "-"])
            #expect(
                try changeAuthors(server, "l")
                    == ["admin", "write", "write", "write", "write", "admin", "write"])
            #expect(try changeAuthors(server, "other") == ["admin", "write", "write", "admin"])
            let document = try reader.get("/lists/l").text
            try server.reopen()
            #expect(try server.client(with: "read").get("/lists/l").text == document)
        }
    }

    @Test(arguments: Setup.oneServer)
    func aDragHasTheAuthenticatedAuthor(setup: Setup) throws {
        try withList(setup) { server throws in
            let link = #"{"scope":"write","name":"Zoë"}"#
            let made = try server.client(with: "write").post("/lists/l/shares", link)
            let token = try #require(made.json["token"]?.string)
            let stream = try server.client(with: "read").watch("l")
            #expect(try stream.expect("hello").data["author"] == "read")
            let guest = ["Authorization": "Bearer \(token)", "Client-Id": "Anna~phone"]
            let lifted = try server.client.post("/lists/l/drags", #"{"task":"a"}"#, guest)
            let drag = try #require(lifted.json["drag"]?.string, "\(lifted.text)")
            func expect(_ state: JSONValue, of reader: any EventReader, by author: JSONValue) throws
            {
                let event = try reader.expect("drag").data
                #expect(event["state"] == state && event["client"] == "Anna~phone")
                #expect(event["by"] == author)
            }
            try expect("lifted", of: stream, by: "Zoë (link)")
            let place = #"{"after":"c"}"#
            let held = try server.client.send("PATCH", "/drags/\(drag)", place, guest)
            #expect(held.status == 200)
            try expect("over", of: stream, by: "Zoë (link)")
            let ticket = try server.client.post("/event-tickets", nil, guest).json["ticket"]
            let late = try server.client.watch("l", "?ticket=\(ticket?.string ?? "")")
            #expect(try late.expect("hello").data["author"] == "Zoë (link)")
            try expect("over", of: late, by: "Zoë (link)")
            #expect(try server.client.delete("/drags/\(drag)", guest).status == 204)
            try expect("cancelled", of: stream, by: "Zoë (link)")
            let signed = server.client(with: "jwt write")
            let other = try signed.post(
                "/lists/l/drags", #"{"tasks":["a"]}"#, ["Client-Id": "Anna~phone"])
            #expect(other.status == 201)
            let author = try #require(signed.get("/me").json["author"])
            try expect("lifted", of: stream, by: author)
        }
    }

    @Test(arguments: Setup.oneServer)
    func aDragBelongsToTheClientThatStartedIt(setup: Setup) throws {
        try withList(setup) { server throws in
            let ann = server.client(with: "write")
            let stream = try server.client(with: "read").watch("l")
            try stream.expect("hello")
            let field = ["Client-Id": "phone"]
            let lifted = try ann.post("/lists/l/drags", #"{"task":"a"}"#, field)
            let path = try #require(lifted["Location"])
            #expect(try stream.expect("drag").data["client"] == "phone")
            // A `Client-Id` proves nothing.
            for other in ["admin", "jwt write", "write:mine*,l"] {
                let client = server.client(with: other)
                for (method, target, body) in [
                    ("PATCH", path, #"{"after":"c"}"#), ("POST", "\(path)/drop", #"{"after":"c"}"#),
                    ("POST", "\(path)/drop", nil), ("DELETE", path, nil),
                ] {
                    let answer = try client.send(method, target, body, field)
                    #expect(answer.status == 403 && answer.code == "forbidden", "\(answer.text)")
                }
            }
            // The same person uses another device. The next event is that of this request.
            let held = try ann.send(
                "PATCH", path, #"{"after":"c"}"#, ["Client-Id": "laptop"])
            #expect(held.status == 200)
            let over = try stream.expect("drag").data
            #expect(over["state"] == "over" && over["client"] == "laptop" && over["by"] == "write")
            #expect(try ann.post("\(path)/drop").status == 200)
            try stream.expect("change")
            #expect(try stream.expect("drag").data["state"] == "dropped")
        }
    }

    /// Without tokens the server knows no clients. Each event has the name that the last request gave.
    @Test(arguments: Setup.oneServer)
    func withoutTokensEveryClientMayMoveADrag(setup: Setup) throws {
        var drags = DragLimits()
        drags.secondsBetweenEvents = 0
        try withServer(setup, drags: drags) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            let lift = #"{"task":"a"}"#
            let lifted = try server.client.post("/lists/l/drags", lift, ["Client-Id": "Ann"])
            let path = try #require(lifted["Location"])
            #expect(try stream.expect("drag").data["client"] == "Ann")
            let over = #"{"after":"b"}"#
            #expect(
                try server.client.send("PATCH", path, over, ["Client-Id": "Ben"]).status == 200)
            #expect(try stream.expect("drag").data["client"] == "Ben")
            #expect(try server.client.delete(path, ["Client-Id": "Eve"]).status == 204)
            #expect(try stream.expect("drag").data["client"] == "Eve")
        }
    }

    @Test(arguments: Setup.all)
    func aDocumentCannotChooseAuthors(setup: Setup) throws {
        try withList(setup) { server throws in
            let writer = server.client(with: "write")
            let forged = #""createdBy":"boss","updatedBy":"boss","completedBy":"boss""#
            let body =
                #"{"title":"L","tasks":[{"id":"a","title":"A","done":true,\#(forged)},"#
                + #"{"id":"new","title":"N",\#(forged)},{"id":"c","title":"c","createdBy":7}]}"#
            let put = try writer.put("/lists/l", body, ["If-Match": "*"])
            #expect(put.status == 200, "\(put.text)")
            #expect(try authors(writer.get("/tasks/a").json) == ["admin", "write", "write"])
            #expect(try authors(writer.get("/tasks/new").json) == ["write", "write", "-"])
            #expect(try authors(writer.get("/tasks/c").json) == ["admin", "admin", "-"])
            let lines = "{\"title\":\"M\"}\n{\"id\":\"m1\",\"title\":\"1\",\(forged)}\n"
            let sent = try writer.put(
                "/lists/m", lines, ["Content-Type": "application/x-ndjson"])
            #expect(sent.status == 201, "\(sent.text)")
            #expect(try authors(writer.get("/tasks/m1").json) == ["write", "write", "-"])
            for (method, path, body) in [
                ("POST", "/lists/l/tasks", #"{"title":"x",\#(forged)}"#),
                ("PATCH", "/tasks/a", "{\(forged)}"),
                ("POST", "/lists/l/batch", #"{"ops":[{"op":"create","title":"x",\#(forged)}]}"#),
            ] {
                #expect(try writer.send(method, path, body).status == 422)
            }
            // A document that is sent back changes nothing.
            let document = try writer.get("/lists/l").text
            let again = try writer.put("/lists/l", document, ["If-Match": "*"])
            #expect(again.json["changed"] == false)
        }
    }

    @Test(arguments: Setup.memory)
    func meNamesTheAuthorAndLongNamesAreReplacedByADigest(setup: Setup) throws {
        try withList(setup) { server throws in
            #expect(try server.client(with: "write").get("/me").json["author"] == "write")
            for (length, isWhole) in [(255, true), (256, false)] {
                let name = String(repeating: "n", count: length)
                let token = TestTokens.signed(
                    #"{"exp":9999999999,"sub":"\#(name)","scope":"reorderd:write"}"#)
                let field = ["Authorization": "Bearer \(token)"]
                let me = try server.client.send("GET", "/me", nil, field).json
                let author = me["author"]?.string ?? ""
                #expect(isWhole ? author == name : author.utf8.count == 64)
                let made = try server.client.send(
                    "POST", "/lists/l/tasks", #"{"title":"x"}"#, field)
                #expect(made.json["task"]?["createdBy"]?.string == author)
            }
            let nameless = TestTokens.signed(#"{"exp":9999999999,"scope":"reorderd:write"}"#)
            let field = ["Authorization": "Bearer \(nameless)"]
            let me = try server.client.send("GET", "/me", nil, field).json
            #expect(me["author"] == .null)
            let made = try server.client.send("PATCH", "/tasks/a", #"{"title":"x"}"#, field)
            #expect(authors(made.json["task"]) == ["admin", "-", "-"])
        }
    }

    @Test(arguments: Setup.all)
    func withoutTokensThereAreNoAuthors(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            #expect(try authors(server.client.get("/tasks/a").json) == ["-", "-", "-"])
            let changes = try server.client.get("/lists/l/changes").json["changes"]
            #expect(changes?[0]?["by"] == nil)
        }
    }
}
