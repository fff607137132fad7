import Foundation
import ReorderAuth
import Testing

@testable import ReorderAPI

/// Attempts to do more than the grants of a token allow. The client may change `l` and `mine*`, read
/// `other`, and neither read nor change `secret`.
@Suite struct GrantTests {
    private static let lists = [
        "l": draft(["a", "b"]), "mine-1": draft(["m"]), "other": draft(["o", "o2"]),
        "secret": draft(["s"]),
    ]

    /// Expects that `other` and `secret` do not change.
    private func withLists(
        _ setup: Setup, _ control: AccessControl? = nil,
        _ body: (ServerUnderTest, _ owner: TokenClient, _ client: TokenClient) throws -> Void
    ) throws {
        let control = try control ?? TestTokens.control(TestTokens.keys.get())
        try withServer(setup, access: control) { server throws in
            let owner = server.client(with: "admin")
            for (list, document) in Self.lists {
                #expect(try owner.put("/lists/\(list)", document).status == 201)
            }
            try body(server, owner, server.client(with: TestTokens.writer))
        }
    }

    private static func version(_ client: TokenClient, _ list: String) throws -> JSONValue? {
        try client.get("/lists/\(list)").json["version"]
    }

    @Test(arguments: Setup.once)
    func aCopyNeedsToReadItsSourceAndToWriteItsTarget(setup: Setup) throws {
        try withLists(setup) { _, owner, client throws in
            for query in ["?dryRun=true", ""] {
                for (path, body, code) in [
                    ("/lists/other/copy", #"{"id":"other-2"}"#, "forbidden"),
                    ("/lists/other/copy", #"{"id":"other"}"#, "forbidden"),
                    ("/lists/other/copy", #"{"id":"secret"}"#, "forbidden"),
                    ("/lists/other/copy", "", "forbidden"),
                    ("/lists/l/copy", #"{"id":"other"}"#, "forbidden"),
                    ("/lists/l/copy", #"{"id":"new"}"#, "forbidden"),
                    ("/lists/l/copy", "{}", "forbidden"),
                    ("/lists/secret/copy", #"{"id":"mine-9"}"#, "forbidden"),
                    // Before the body is read.
                    ("/lists/secret/copy", "{", "forbidden"),
                    ("/tasks/o/copy", "", "forbidden"),
                    ("/tasks/o/copy", #"{"toList":"other"}"#, "forbidden"),
                    ("/tasks/o/copy", #"{"toList":"secret"}"#, "forbidden"),
                    ("/tasks/a/copy", #"{"toList":"\u006fther"}"#, "forbidden"),
                    ("/tasks/a/copy", #"{"toList":"secret"}"#, "forbidden"),
                    ("/tasks/a/copy", #"{"toList":"none"}"#, "forbidden"),
                    ("/tasks/s/copy", #"{"toList":"l"}"#, "task_not_found"),
                    ("/tasks/s/copy", "", "task_not_found"),
                ] {
                    #expect(try client.post(path + query, body).code == code, "\(path) \(body)")
                }
            }
            #expect(try client.post("/lists/other/copy", #"{"id":"mine-2"}"#).status == 201)
            #expect(try client.post("/tasks/o/copy", #"{"toList":"l"}"#).status == 201)
            #expect(try Self.version(owner, "other") == 1)
            #expect(try Self.version(owner, "secret") == 1)
        }
    }

    @Test(arguments: Setup.once)
    func aMoveNeedsToWriteBothLists(setup: Setup) throws {
        try withLists(setup) { _, owner, client throws in
            for query in ["", "?dryRun=true"] {
                for (list, task, target) in [
                    ("l", "a", "other"), ("other", "o", "l"), ("other", "o", "mine-1"),
                    ("other", "o", "other"), ("l", "a", "secret"), ("secret", "s", "l"),
                    ("l", "a", "nowhere"),
                ] {
                    let body = #"{"task":"\#(task)","toList":"\#(target)"}"#
                    let answer = try client.post("/lists/\(list)/move\(query)", body)
                    #expect(answer.code == "forbidden", "\(list) \(target)")
                    let named = list == "l" ? target : list
                    #expect(answer.json["detail"]?.string?.contains(named) == true)
                }
                // A task of another list than the path's.
                #expect(
                    try client.post("/lists/l/move\(query)", #"{"task":"o","toList":"mine-1"}"#)
                        .code == "task_not_found")
            }
            let ops = #"{"ops":[{"op":"delete","task":"o"}]}"#
            #expect(try client.post("/lists/l/batch", ops).code == "task_not_found")
            #expect(try client.post("/lists/other/batch", ops).code == "forbidden")
            let move = #"{"ops":[{"op":"move","task":"a","toList":"other"}]}"#
            #expect(try client.post("/lists/l/batch", move).status >= 400)
            let element = #"{"id":"o","list":"l","title":"x"}"#
            #expect(try client.post("/task/", element).code == "id_taken")
            #expect(try client.send("PUT", "/task/o", #"{"list":"other"}"#).code == "forbidden")
            #expect(try client.send("PUT", "/task/o", #"{"title":"x"}"#).code == "forbidden")
            for path in ["/tasks/o", "/lists/%6Fther"] {
                #expect(try client.send("PATCH", path, #"{"title":"x"}"#).code == "forbidden")
            }
            // Undo of a move that the owner made.
            let body = #"{"task":"o2","toList":"l"}"#
            #expect(try owner.post("/lists/other/move", body).status == 200)
            let undo = try client.post("/lists/l/undo", #"{"version":2}"#)
            #expect(undo.status == 409 && !undo.text.contains(#"\"other\""#), "\(undo.text)")
            #expect(try client.post("/lists/other/undo", #"{"version":2}"#).code == "forbidden")
            #expect(try Self.version(owner, "other") == 2)
            #expect(try Self.version(owner, "secret") == 1)
        }
    }

    @Test(arguments: Setup.once)
    func aDragNeedsToWriteItsListAndItsTarget(setup: Setup) throws {
        try withLists(setup) { _, owner, client throws in
            #expect(try client.post("/lists/other/drags", #"{"task":"o"}"#).code == "forbidden")
            for (list, task, code) in [
                ("other", "o", "forbidden"), ("secret", "s", "drag_not_found"),
            ] {
                let drag = try owner.post("/lists/\(list)/drags", #"{"task":"\#(task)"}"#)
                let path = try #require(drag["Location"])
                for target in [#"{"position":0}"#, #"{"toList":"l"}"#] {
                    #expect(try client.send("PATCH", path, target).code == code)
                    #expect(try client.post("\(path)/drop", target).code == code)
                }
                #expect(try client.post("\(path)/drop").code == code)
                #expect(try client.delete(path).code == code)
                #expect(try owner.delete(path).status == 204)
            }
            let path = try #require(
                try client.post("/lists/l/drags", #"{"task":"a"}"#)["Location"])
            for list in ["other", "secret"] {
                let target = #"{"toList":"\#(list)"}"#
                #expect(try client.send("PATCH", path, target).code == "forbidden")
                #expect(try client.post("\(path)/drop", target).code == "forbidden")
            }
            #expect(try client.post("\(path)/drop", #"{"toList":"mine-1"}"#).status == 200)
            #expect(try Self.version(owner, "other") == 1)
        }
    }

    /// A reader of a list folds its tasks in an own list.
    @Test(arguments: Setup.once)
    func foldsNeedToReadTheListAndToWriteTheListOfFolds(setup: Setup) throws {
        try withLists(setup) { _, owner, client throws in
            #expect(try client.put("/lists/mine-folds", #"{"title":""}"#).status == 201)
            #expect(try client.post("/tasks/o/collapse?folds=mine-folds").status == 200)
            for folds in ["?folds=other", "?folds=secret", "?folds=none", ""] {
                #expect(try client.post("/tasks/o/collapse\(folds)").code == "forbidden")
            }
            let secret = "/tasks/s/collapse?folds=mine-folds"
            #expect(try client.post(secret).code == "task_not_found")
            for (folds, status) in [
                ("mine-folds", 200), ("other", 200), ("secret", 403), ("none", 403),
            ] {
                #expect(try client.get("/lists/other/tasks?folds=\(folds)").status == status)
                let move = #"{"task":"a","position":1}"#
                #expect(try client.post("/lists/l/move?folds=\(folds)", move).status == status)
            }
            #expect(try Self.version(owner, "other") == 1)
        }
    }

    @Test(arguments: Setup.once)
    func theBinHasListsThatMayBeChanged(setup: Setup) throws {
        try withLists(setup) { _, owner, client throws in
            for list in ["l", "other", "secret"] { _ = try owner.delete("/lists/\(list)") }
            #expect(try client.get("/bin").listIDs == ["l"])
            for list in ["other", "secret"] {
                #expect(try client.post("/lists/\(list)/restore").code == "forbidden")
                #expect(try client.delete("/lists/\(list)?permanent=true").code == "forbidden")
                // A new list with its id would end its time in the bin.
                let copy = #"{"id":"\#(list)"}"#
                #expect(try client.post("/lists/mine-1/copy", copy).code == "forbidden")
            }
            #expect(try client.delete("/lists/l?permanent=true").code == "forbidden")
            #expect(try owner.get("/bin").json["lists"]?.array.count == 3)
            #expect(try client.post("/lists/l/restore").status == 201)
        }
    }

    @Test(arguments: Setup.memory)
    func readingHasOnlyTheListsThatMayBeRead(setup: Setup) throws {
        try withLists(setup) { server, owner, client throws in
            let tasks = ["secret", "other"].map { #"{"title":"x","data":{"list":"\#($0)"}}"# }
            let index = #"{"title":"","tasks":[\#(tasks.joined(separator: ","))]}"#
            #expect(try owner.put("/lists/mine-index", index).status == 201)
            for token in [TestTokens.writer, "jwt " + TestTokens.writer] {
                let client = server.client(with: token)
                for target in [
                    "/lists", "/lists?ids=secret,other,l", "/tasks?fields=id,list",
                    "/tasks?ids=o,s", "/changes?since=p\(versionToken(0))",
                    "/changes?since=p\(versionToken(0))&prefix=s",
                ] {
                    let answer = try client.get(target)
                    #expect(answer.status == 200, "\(target) \(answer.text)")
                    #expect(!answer.text.contains("secret"), "\(target)")
                    #expect(answer.text.contains("other") != target.hasSuffix("=s"), "\(target)")
                }
                let entries = try client.get("/lists/mine-index/entries").json["entries"]?.array
                #expect(entries?.map { $0["list"]?["id"] } == [nil, "other"])
                #expect(try client.get("/changes?lists=other,secret").code == "forbidden")
                #expect(try client.get("/changes?lists=other,l").status == 200)
                for target in ["/lists/OTHER", "/lists/other%20", "/lists/othe%C5%BF"] {
                    #expect(try client.get(target).code == "forbidden", "\(target)")
                }
                let ticket = try client.post("/event-tickets").json["ticket"]?.string ?? ""
                let feed = try server.client.watchFeed("?ticket=\(ticket)")
                try feed.expect("hello")
                try server.client.watch("other", "?ticket=\(ticket)").expect("hello")
                #expect(
                    try server.client.watch("secret", "?ticket=\(ticket)").answer.code
                        == "forbidden")
                for list in ["secret", "other", "l"] {
                    _ = try owner.post("/lists/\(list)/tasks", #"{"title":"x"}"#)
                }
                #expect(try feed.expect("change").data["list"] == "other")
                #expect(try feed.expect("change").data["list"] == "l")
                #expect(
                    try client.get("/me").json["grants"] == [
                        ["scope": "read", "lists": ["other"]],
                        ["scope": "write", "lists": ["l", "mine*"]],
                    ])
            }
        }
    }

    @Test(arguments: Setup.once)
    func aStoredResponseNeedsTheRightsOfItsRequest(setup: Setup) throws {
        func line(_ token: String, _ grants: [GrantForm]) throws -> String {
            let digest = TokenDigest(
                of: Array((TestTokens.field(token)["Authorization"] ?? "").utf8.dropFirst(7)))
            return try TokenLine(
                name: token == "admin" ? "own" : "ann", digest: digest, grants: grants
            )
            .json
        }
        // Two tokens of one client.
        let tokens = try TokenTable(
            [
                line("admin", [GrantForm(.admin)]), line("write", [GrantForm(.write)]),
                line(TestTokens.writer, [GrantForm(.write, ["l"]), GrantForm(.read, ["other"])]),
            ].joined(separator: "\n"))
        try withLists(setup, AccessControl(tokens: tokens)) { server, owner, client throws in
            let all = server.client(with: "write")
            let key = ["Idempotency-Key": "k"]
            let move = #"{"task":"a","toList":"other"}"#
            #expect(try all.post("/lists/l/move", move, key).status == 200)
            #expect(try all.post("/lists/l/move", move, key)["Idempotent-Replay"] == "true")
            #expect(try client.post("/lists/l/move", move, key).code == "forbidden")
            let copy = #"{"toList":"secret"}"#
            #expect(try all.post("/tasks/b/copy", copy, key).status == 201)
            #expect(try client.post("/tasks/b/copy", copy, key).code == "forbidden")
            #expect(try owner.delete("/tasks/b").status == 200)
            #expect(try client.post("/tasks/b/copy", copy, key).code == "forbidden")
            // The refusal is not stored.
            let patch = #"{"title":"x"}"#
            let other = ["Idempotency-Key": "k2"]
            #expect(try client.send("PATCH", "/tasks/a", patch, other).code == "forbidden")
            let back = #"{"task":"a","toList":"l"}"#
            #expect(try owner.post("/lists/other/move", back).status == 200)
            let done = try client.send("PATCH", "/tasks/a", patch, other)
            #expect(done.status == 200 && done["Idempotent-Replay"] == nil)
        }
    }

    @Test(arguments: Setup.memory)
    func aStreamEndsWhenAGrantOfItsTokenChanges(setup: Setup) throws {
        let control = try TestTokens.control()
        try withLists(setup, control) { server, _, client throws in
            let ticket = try client.post("/event-tickets").json["ticket"]?.string ?? ""
            let stream = try client.watchFeed()
            try stream.expect("hello")
            let digest = TokenDigest(
                of: Array(
                    (TestTokens.field(TestTokens.writer)["Authorization"] ?? "").utf8
                        .dropFirst(7)))
            control.use(
                try TokenTable(
                    TokenLine(
                        name: TestTokens.writer, digest: digest,
                        grants: [GrantForm(.write, ["mine*", "l"])]
                    ).json))
            #expect(try stream.next() == nil)
            #expect(try client.get("/lists/other").code == "forbidden")
            // The ticket has the rights that the token has now.
            try server.client.watch("l", "?ticket=\(ticket)").expect("hello")
            #expect(
                try server.client.watch("other", "?ticket=\(ticket)").answer.code == "forbidden")
        }
    }
}
