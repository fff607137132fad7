import Foundation
import ReorderService
import Testing

/// Deleted lists, and how they are restored.
@Suite struct BinTests {
    private static let members =
        #""elementsOffset":1,"moves":"siblings","collapseSubElements":true"#

    /// The members of a list's document that a deletion and a restore keep.
    private func content(_ document: JSONValue) -> JSONValue {
        var members = document.object
        members["version"] = nil
        return .object(members)
    }

    @Test(arguments: Setup.all)
    func aRestoredListIsTheDeletedOne(setup: Setup) throws {
        let clock = TestClock.stopped
        try withServer(setup, clock: clock) { server throws in
            let client = server.client
            try server.make(["l": draft(["a", "b<a", "c@s", "d@t"], Self.members)])
            clock.advance(seconds: 1)
            _ = try client.send("PATCH", "/tasks/b", #"{"done":true,"data":{"x":[1]}}"#)
            _ = try client.send("PATCH", "/tasks/c", #"{"locked":true,"title":"Ç"}"#)
            _ = try client.send("PATCH", "/lists/l/sections/s", #"{"data":{"color":"red"}}"#)
            _ = try client.post("/tasks/a/collapse")
            clock.advance(seconds: 1)
            let before = try client.get("/lists/l")
            #expect(before.json["version"] == 5)
            #expect(try client.delete("/lists/l")["ETag"] == entityTag(6))
            #expect(try client.get("/lists/l").code == "list_not_found")
            #expect(try client.get("/tasks/a").code == "task_not_found")
            #expect(try client.get("/lists").json["lists"] == [])
            let entry = try #require(try client.get("/bin").json["lists"]?[0])
            #expect(entry["id"] == "l" && entry["title"] == "List" && entry["version"] == 6)
            #expect(entry["count"] == 4)
            let times = ["deletedAt", "expiresAt"].compactMap { name in
                entry[name]?.string.flatMap { try? Date($0, strategy: .iso8601) }
            }
            try #require(times.count == 2)
            #expect(times[1].timeIntervalSince(times[0]) == 30 * 86_400)
            clock.advance(seconds: 1)
            let answer = try client.post("/lists/l/restore")
            #expect(answer.status == 201 && answer["Location"] == "/lists/l")
            #expect(answer["ETag"] == entityTag(7))
            #expect(answer.json == ["list": "l", "version": 7, "changed": true])
            let after = try client.get("/lists/l")
            #expect(content(after.json) == content(before.json))
            #expect(after.json["version"] == 7)
            #expect(try client.get("/bin").json == ["lists": [], "cursor": .null])
            #expect(try client.get("/tasks/b").json["done"] == true)
            // No tag matches other content.
            let old = ["If-None-Match": before["ETag"] ?? ""]
            #expect(try client.get("/lists/l", old).status == 200)
            // Clients follow both changes, and later ones.
            let changes = try client.get("/lists/l/changes?since=\(versionToken(5))").json[
                "changes"]
            #expect(changes?.array.map { $0["kind"] } == ["deleted", "created"])
            #expect(try client.post("/lists/l/undo", #"{"version":7}"#).code == "undo_conflict")
            #expect(try client.post("/lists/l/tasks", #"{"id":"n","title":"n"}"#).status == 201)
            try server.reopen()
            #expect(try server.order().count == 5)
        }
    }

    @Test(arguments: Setup.all)
    func aListIsRestoredAgainAndAgain(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            for round in 1...5 {
                #expect(try server.client.delete("/lists/l").status == 204)
                if round == 3 { try server.reopen() }
                #expect(try server.client.post("/lists/l/restore").status == 201)
                #expect(try server.order() == ["a", "b"])
                _ = try server.client.post("/lists/l/move", #"{"task":"a","after":"b"}"#)
                _ = try server.client.post("/lists/l/move", #"{"task":"b","after":"a"}"#)
            }
            #expect(try server.client.get("/lists/l").json["version"] == 21)
        }
    }

    @Test(arguments: Setup.all)
    func refusedRestoresChangeNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            try server.make(["l": draft(["a", "b"]), "m": draft()])
            let path = "/lists/l/restore"
            let taken = try server.refused(409, "id_taken", "POST", path)
            #expect(taken.json["detail"] == #"List "l" exists, so it can't be restored."#)
            try server.refused(404, "list_not_found", "POST", "/lists/none/restore")
            _ = try client.delete("/lists/l")
            let bin = try client.get("/bin").json
            let lists = ["l", "m"]
            let match = ["If-Match": "*"]
            try server.refused(412, "version_mismatch", "POST", path, nil, match, keeping: lists)
            try server.refused(422, "invalid_query", "POST", path + "?dryRun=true", keeping: lists)
            #expect(try client.get("/tasks/a").code == "task_not_found")
            #expect(try client.get("/bin").json == bin)
            let absent = ["If-None-Match": "*"]
            #expect(try client.post(path, "{}", absent).status == 201)
            // A new list with the id takes the place of the deleted one.
            _ = try client.delete("/lists/l")
            try server.make(["l": draft(["n"])])
            #expect(try client.get("/bin").json["lists"] == [])
            try server.refused(409, "id_taken", "POST", path)
            _ = try client.delete("/lists/l")
            #expect(try client.post(path).status == 201)
            #expect(try server.order() == ["n"])
        }
    }

    @Test(arguments: Setup.all)
    func aPermanentDeletionKeepsNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            try server.make(["l": draft(["a"])])
            let path = "/lists/l?permanent=true"
            try server.refused(422, "invalid_query", "DELETE", "/lists/l?permanent=1")
            try server.refused(
                412, "version_mismatch", "DELETE", path, nil, ["If-Match": entityTag(7)])
            try server.refused(404, "list_not_found", "DELETE", "/lists/none?permanent=true")
            let start = try client.get("/changes").json["next"]?.string ?? ""
            // A list that exists.
            #expect(try client.delete(path)["ETag"] == entityTag(2))
            #expect(try client.get("/bin").json["lists"] == [])
            #expect(try client.post("/lists/l/restore").code == "list_not_found")
            #expect(try client.delete(path).code == "list_not_found")
            // A list in the bin.
            try server.make(["l": draft(["a"])])
            #expect(try client.delete("/lists/l?permanent=false").status == 204)
            #expect(try client.get("/bin").json["lists"]?.array.count == 1)
            #expect(try client.delete(path)["ETag"] == entityTag(5))
            let events = try client.get("/changes?since=\(start)").json["events"]?.array
            #expect(events?.map { $0["event"] } == ["deleted"])
            #expect(events?.map { $0["change"]?["version"] } == [5])
            #expect(try client.get("/bin").json["lists"] == [])
            for method in ["DELETE", "GET"] {
                #expect(try client.send(method, "/lists/l").code == "list_not_found")
            }
            #expect(try client.delete(path).code == "list_not_found")
            #expect(try client.post("/lists/l/restore").code == "list_not_found")
            try server.make(["l": draft(["a"])])
            #expect(try client.get("/lists/l").json["version"] == 6)
        }
    }

    @Test(arguments: Setup.all)
    func theBinIsReadInPages(setup: Setup) throws {
        try withServer(setup) { server throws in
            let client = server.client
            let ids = ["a", "b", "c", "d", "e"]
            try server.make(Dictionary(uniqueKeysWithValues: (ids + ["x"]).map { ($0, draft()) }))
            for id in ids { _ = try client.delete("/lists/\(id)") }
            for limit in [1, 2, 5, 1_000] {
                let pages = try client.pages("/bin?limit=\(limit)").map(\.listIDs)
                #expect(pages.allSatisfy { $0.count <= limit })
                #expect(pages.flatMap(\.self) == ids)
            }
            for query in ["limit=0", "limit=1001", "cursor=%20", "ids=a"] {
                #expect(try client.get("/bin?\(query)").code == "invalid_query")
            }
            #expect(try client.send("DELETE", "/bin").code == "method_not_allowed")
        }
    }

    @Test(arguments: Setup.all)
    func aListExpires(setup: Setup) throws {
        let clock = TestClock.stopped
        try withServer(setup, clock: clock) { server throws in
            try server.make(["l": draft(["a"])])
            _ = try server.client.delete("/lists/l")
            clock.advance(seconds: 30 * 86_400 - 1)
            #expect(try server.client.get("/bin").json["lists"]?.array.count == 1)
            clock.advance(seconds: 1)
            #expect(try server.client.get("/bin").json["lists"] == [])
            #expect(try server.client.post("/lists/l/restore").code == "list_not_found")
            try server.make(["l": draft(["a"])])
        }
    }

    @Test(arguments: Setup.oneServer)
    func aLargeRestoreLeavesTheEventLoop(setup: Setup) throws {
        try withServer(setup) { server throws in
            let count = ServiceLimits().tasksOnLoop + 1
            try server.make(["l": draft((0..<count).map { "t\($0)" })])
            let order = try server.order()
            _ = try server.client.delete("/lists/l")
            #expect(try server.client.post("/lists/l/restore").status == 201)
            #expect(try server.order() == order)
        }
    }
}
