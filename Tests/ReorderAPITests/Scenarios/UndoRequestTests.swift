import Foundation
import ReorderService
import ReorderStore
import Synchronization
import Testing
import Waiting

@Suite struct UndoRequestTests {
    private func undo(
        _ server: ServerUnderTest, _ version: Int, _ fields: [String: String] = [:]
    ) throws -> APIResponse {
        try server.client.post("/lists/l/undo", #"{"version":\#(version)}"#, fields)
    }

    private func version(_ server: ServerUnderTest) throws -> Int {
        try server.client.get("/lists/l").json["version"]?.int ?? 0
    }

    /// The document without its version.
    private func content(_ server: ServerUnderTest) throws -> [String: JSONValue] {
        var document = try server.client.get("/lists/l").json.object
        document["version"] = nil
        return document
    }

    /// A request of each kind, on the list of `sample`.
    private static let requests: [(String, String, String?)] = [
        ("POST", "/lists/l/move", #"{"task":"a","after":"c"}"#),
        ("POST", "/lists/l/move", #"{"tasks":["c","x","s"],"parent":"y"}"#),
        ("POST", "/lists/l/tasks", #"{"id":"n","title":"N","parent":"a"}"#),
        ("PATCH", "/tasks/a", #"{"title":"Å","done":true,"data":{"k":1},"locked":true}"#),
        ("POST", "/tasks/a/collapse", nil),
        ("DELETE", "/tasks/a", nil),
        ("PATCH", "/lists/l", #"{"title":"T","elementsOffset":2,"moves":"siblings"}"#),
        ("POST", "/lists/l/sections", #"{"id":"new","title":"New","position":0}"#),
        ("PATCH", "/lists/l/sections/p", #"{"title":"Q"}"#),
        ("POST", "/lists/l/sections/p/move", #"{"position":1}"#),
        ("DELETE", "/lists/l/sections/p", nil),
        ("DELETE", "/lists/l/sections/p?tasks=delete", nil),
        ("PUT", "/task/b", #"{"title":"B","position":0,"subtask":"c"}"#),
        (
            "POST", "/lists/l/batch",
            #"{"ops":[{"op":"delete","task":"s"},{"op":"move","task":"c","position":0},"#
                + #"{"op":"create","id":"z","title":"Z","parent":"c"},{"op":"delete","task":"b"}]}"#
        ),
    ]

    private func sample(_ server: ServerUnderTest) throws {
        let tasks = ["a", "s<a", "t<s", "b", "c", "x@p", "y@p", "w@q"]
        try server.make(["l": draft(tasks, #""collapseSubElements":true"#)])
    }

    @Test(arguments: Setup.all)
    func eachKindOfChangeIsUndoneAndRedone(setup: Setup) throws {
        try withServer(setup) { server throws in
            try sample(server)
            for (method, target, body) in Self.requests {
                let before = try content(server)
                #expect(try server.client.send(method, target, body).status < 300)
                let after = try content(server)
                let changed = try version(server)
                if setup.store == .file { try server.reopen() }
                let undone = try undo(server, changed)
                #expect(undone.status == 200, "\(target) \(undone.text)")
                #expect(undone["ETag"] == entityTag(changed + 1))
                #expect(undone.json["undone"]?.int == changed)
                #expect(undone.json["changed"] == true)
                #expect(try content(server) == before, "\(method) \(target)")
                let redone = try undo(server, changed + 1)
                #expect(redone.status == 200, "\(target) \(redone.text)")
                #expect(try content(server) == after, "\(method) \(target)")
                #expect(try undo(server, changed + 2).status == 200)
                #expect(try content(server) == before, "\(method) \(target)")
            }
        }
    }

    /// `RandomUndoTests` has what an undo keeps of later changes.
    @Test(arguments: Setup.all)
    func whatCannotBeUndoneIsRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"]), "m": draft(["o"])])
            let steps: [(String, String, String?)] = [
                ("POST", "/lists/l/tasks", #"{"id":"n","title":"N"}"#),  // 2
                ("POST", "/lists/l/tasks", #"{"id":"k","title":"K","parent":"n"}"#),  // 3
                ("POST", "/lists/l/move", #"{"task":"b","toList":"m"}"#),  // 4
            ]
            for (method, target, body) in steps {
                #expect(try server.client.send(method, target, body).status < 300)
            }
            for version in [1, 2, 4] {
                let answer = try server.refused(
                    409, "undo_conflict", "POST", "/lists/l/undo", #"{"version":\#(version)}"#,
                    keeping: ["l", "m"])
                #expect(answer.json["version"] == 4)
                if version == 2 { #expect(answer.json["task"]?["subtasks"] == 1) }
            }
            try server.refused(
                409, "undo_conflict", "POST", "/lists/m/undo", #"{"version":2}"#,
                keeping: ["l", "m"])
            #expect(try undo(server, 3).json["deleted"] == ["k"])
        }
    }

    // MARK: Limits

    @Test(arguments: Setup.once)
    func aChangeWithMoreOperationsThanTheLimitIsNotUndone(setup: Setup) throws {
        var undos = UndoLimits()
        undos.operations = 1
        try withServer(setup, undos: undos) { server throws in
            try server.make(["l": draft(["a", "s<a", "b"])])
            #expect(try server.client.delete("/tasks/a").status == 200)
            let refusal = try server.refused(
                409, "undo_conflict", "POST", "/lists/l/undo", #"{"version":2}"#)
            #expect(
                refusal.json["detail"]?.string
                    == "The change can't be undone because it has more than 1 operations.")
            #expect(refusal.json["version"]?.int == 2)
        }
    }

    /// Both undos wait until a change of both lists is stored, unless one is refused.
    @Test(arguments: Setup.memory, [["l", "l"], ["l", "m"]])
    func tooManyUndosAreRefused(setup: Setup, lists: [String]) throws {
        var undos = UndoLimits()
        if Set(lists).count == 1 { undos.ofList = 1 } else { undos.ofServer = 1 }
        try withServer(setup, undos: undos) { server throws in
            try server.make(["l": draft(["a", "b", "c"]), "m": draft(["y", "z"])])
            for (list, task) in [("l", "a"), ("m", "y")] {
                let body = #"{"task":"\#(task)","position":1}"#
                #expect(try server.client.post("/lists/\(list)/move", body).status == 200)
            }
            let pause = server.memory.pauseAppend()
            let ends = DispatchSemaphore(value: 0)
            let answers = Mutex<[APIResponse]>([])
            func begin(_ target: String, _ body: String) throws {
                let client = try server.anotherClient()
                Thread {
                    let answer = try? client.post(target, body)
                    answers.withLock { $0 += [answer].compactMap(\.self) }
                    ends.signal()
                }.start()
            }
            try begin("/lists/l/move", #"{"task":"c","toList":"m"}"#)
            try pause.wait()
            for list in lists { try begin("/lists/\(list)/undo", #"{"version":2}"#) }
            try ends.waitForSignal()
            let first = answers.withLock(\.first)
            pause.resume()
            let refusal = try #require(first)
            #expect(refusal.status == 503, "\(refusal.text)")
            #expect(refusal.code == "unavailable")
            #expect(refusal["Retry-After"] != nil)
            #expect(refusal.json["detail"]?.string?.contains("maximum of 1 running") == true)
            for _ in 0..<2 { try ends.waitForSignal() }
            #expect(answers.withLock { $0.map(\.status) } == [503, 200, 200])
        }
    }

    // MARK: Keys and conditions

    @Test(arguments: Setup.all)
    func anUndoSupportsKeysConditionsAndDryRuns(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            _ = try server.client.delete("/tasks/a")
            try server.refused(
                412, "version_mismatch", "POST", "/lists/l/undo", #"{"version":2}"#,
                ["If-Match": entityTag(1)])
            for body in [#"{"version":0}"#, #"{"version":"2"}"#, #"{"version":2,"x":1}"#] {
                try server.refused(422, "invalid_body", "POST", "/lists/l/undo", body)
            }
            for version in [3, Int.max - 1] {
                let refusal = try server.refused(
                    410, "history_gone", "POST", "/lists/l/undo", #"{"version":\#(version)}"#)
                #expect(
                    refusal.json["detail"]?.string
                        == "The list has no version \(version). Its current version is 2.")
            }
            let none = try server.client.post("/lists/none/undo", #"{"version":1}"#)
            #expect(none.code == "list_not_found")
            let fields = ["If-Match": entityTag(2), "Idempotency-Key": "k", "Client-Id": "phone"]
            let answer = try undo(server, 2, fields)
            #expect(answer.json["tasks"]?[0]?["id"] == "a")
            let again = try undo(server, 2, fields)
            #expect(again["Idempotent-Replay"] == "true")
            #expect(again.json == answer.json)
            let change = try server.client.get("/lists/l/changes?since=\(versionToken(2))").json[
                "changes"]?[0]
            #expect(change?["client"] == "phone")
            #expect(change?["ops"]?[0]?["op"] == "insert")
            #expect(try server.order() == ["a", "b"])
        }
    }

    @Test(arguments: Setup.all)
    func anUndoWithoutABodyUndoesTheLastChange(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c"])])
            _ = try server.client.delete("/tasks/a")
            _ = try server.client.delete("/tasks/b")
            let answer = try server.client.post("/lists/l/undo")
            #expect(answer.status == 200 && answer.json["undone"] == 3, "\(answer.text)")
            #expect(try server.order() == ["b", "c"])
            // Sent again, it undoes the undo.
            #expect(try server.client.post("/lists/l/undo").json["undone"] == 4)
            #expect(try server.order() == ["c"])
            let stale = try server.client.post("/lists/l/undo", "", ["If-Match": entityTag(4)])
            #expect(stale.code == "version_mismatch")
            #expect(try server.client.post("/lists/none/undo").code == "list_not_found")
            try server.make(["new": draft(["n"])])
            #expect(try server.client.post("/lists/new/undo").code == "undo_conflict")
        }
    }

    @Test(arguments: Setup.all)
    func anUndoReachesBackToTheOlderSnapshot(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let data = String(repeating: "x", count: 8_000)
            for number in 2...20 {
                let body = #"{"data":{"text":"\#(number)\#(data)"}}"#
                _ = try server.client.send("PATCH", "/tasks/a", body)
            }
            let gone = try server.refused(
                410, "history_gone", "POST", "/lists/l/undo", #"{"version":2}"#)
            #expect(gone.json["detail"]?.string?.contains("no longer stored") == true)
            #expect(try undo(server, 20).status == 200)
            // Two of these changes are larger than 16 KiB, and the interval before is also kept.
            for version in 17...18 {
                try server.refused(
                    409, "undo_conflict", "POST", "/lists/l/undo", #"{"version":\#(version)}"#)
            }
        }
    }

    @Test(arguments: Setup.oneServer)
    func aDropWithAKeyIsAppliedOnce(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let lifted = try server.client.post("/lists/l/drags", #"{"task":"a"}"#)
            let drag = try #require(lifted.json["drag"]?.string)
            let body = #"{"after":"b"}"#
            let key = ["Idempotency-Key": "k"]
            let first = try server.client.post("/drags/\(drag)/drop", body, key)
            #expect(first.json["version"] == 2)
            let second = try server.client.post("/drags/\(drag)/drop", body, key)
            #expect(second["Idempotent-Replay"] == "true")
            #expect(second.json == first.json)
        }
    }
}
