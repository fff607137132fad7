import Foundation
import Testing

/// Rows of earlier versions: `version` beside rows.
@Suite struct SeenRowTests {
    private static let move = "/lists/l/move"

    @Test(arguments: Setup.all)
    func rowsAreThoseOfTheVersionThatTheClientHasSeen(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c", "d", "e@s", "f@s"])])
            // Version 2: d a b c | e f.
            _ = try server.client.post(Self.move, #"{"task":"d","position":0}"#)
            // In version 1, row 0 is a; dropped between b and c.
            let body = #"{"fromRow":0,"toRow":1,"version":1}"#
            let dry = try server.client.post("\(Self.move)?dryRun=true", body)
            #expect(dry.json["task"]?["id"] == "a", "\(dry.text)")
            let moved = try server.client.post(Self.move, body)
            #expect(moved.json["task"]?["id"] == "a" && moved.json["placedBy"] == "after")
            #expect(try server.order() == ["d", "b", "a", "c", "e", "f"])
            // Version 4: the neighbor above is gone, so the one below decides.
            _ = try server.client.delete("/tasks/b")
            let below = try server.client.post(
                Self.move, #"{"from":{"section":"s","row":1},"toRow":2,"version":1}"#)
            #expect(below.json["task"]?["id"] == "f" && below.json["placedBy"] == "before")
            #expect(try server.order() == ["d", "a", "f", "c", "e"])
            // Version 6: both are gone, so the position decides.
            _ = try server.client.delete("/tasks/c")
            let place = try server.client.post(
                Self.move, #"{"fromRows":[4],"toRow":2,"version":1}"#)
            #expect(place.json["tasks"]?[0]?["id"] == "e" && place.json["placedBy"] == "section")
            #expect(try server.order() == ["d", "a", "e", "f"])
            // The current version needs no history.
            let current = try server.client.post(
                Self.move, #"{"fromRow":3,"toRow":0,"version":7}"#)
            #expect(current.json["task"]?["id"] == "f" && current.json["placedBy"] == "before")
            #expect(try server.order() == ["f", "d", "a", "e"])
        }
    }

    /// A version of another store has other rows.
    @Test(arguments: Setup.all)
    func aVersionOfAnotherEpochIsGone(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c"]), "m": draft(["x"])])
            for (path, body) in [
                (Self.move, #"{"fromRow":0,"toRow":1,"version":"1-ba9876543210"}"#),
                (Self.move, #"{"fromRow":0,"toList":"m","toRow":1,"toVersion":"1-ba9876543210"}"#),
                (
                    "/lists/l/batch",
                    #"{"ops":[{"op":"move","fromRow":0,"toRow":1,"version":"1-ba9876543210"}]}"#
                ),
                ("/lists/l/undo", #"{"version":"1-ba9876543210"}"#),
            ] {
                let refused = try server.client.post(path, body)
                let problem = refused.json["results"]?[0]?["problem"] ?? refused.json
                #expect(problem["code"] == "history_gone", "\(path) \(refused.text)")
                #expect(
                    problem["detail"]?.string
                        == "The list has no such version in this store's epoch. Fetch the list.")
            }
            for version in ["1", "-", "1-", "1-BA9876543210", "x-ba9876543210", "-1-ba9876543210"] {
                for path in [Self.move, "/lists/l/undo"] {
                    let rows = path == Self.move ? #""fromRow":0,"toRow":1,"# : ""
                    try server.refused(
                        422, "invalid_body", "POST", path, #"{\#(rows)"version":"\#(version)"}"#)
                }
            }
            #expect(try server.order() == ["a", "b", "c"])
            let moved = try server.client.post(
                Self.move, #"{"fromRow":0,"toRow":1,"version":"\#(versionToken(1))"}"#)
            #expect(moved.status == 200, "\(moved.text)")
            #expect(try server.order() == ["b", "a", "c"])
            let undone = try server.client.post(
                "/lists/l/undo", #"{"version":"\#(versionToken(2))"}"#)
            #expect(undone.status == 200, "\(undone.text)")
            #expect(try server.order() == ["a", "b", "c"])
        }
    }

    @Test(arguments: Setup.once)
    func aTaskThatIsGoneIsNotReplacedByAnother(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c"])])
            _ = try server.client.delete("/tasks/a")
            try server.refused(
                404, "task_not_found", "POST", Self.move, #"{"fromRow":0,"toRow":2,"version":1}"#)
            let refused = try server.refused(
                409, "level_not_possible", "POST", Self.move,
                #"{"fromRow":1,"toRow":0,"level":1,"version":1}"#)
            #expect(refused.json["task"]?["id"] == "b" && refused.json["version"] == 2)
            let row = try server.refused(
                409, "anchor_gone", "POST", Self.move, #"{"fromRow":3,"toRow":0,"version":1}"#)
            #expect(
                row.json["detail"]?.string == "Row 3 does not exist: there are 3 visible rows.")
        }
    }

    @Test(arguments: Setup.all)
    func aVersionThatIsNotStoredIsGone(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            for (year, tasks) in [(2001, ["b", "a"]), (2002, ["a", "b", "c"])] {
                // No operation changes the time at which a list was created.
                let list = draft(tasks, #""createdAt":"\#(year)-01-01T00:00:00Z""#)
                _ = try server.client.put("/lists/l", list, ["If-Match": "*"])
            }
            // The store keeps two snapshots, and each replacement makes one.
            for version in [0, 1, 4, 99] {
                let body = #"{"fromRow":0,"toRow":1,"version":\#(version)}"#
                let gone = try server.refused(410, "history_gone", "POST", Self.move, body)
                #expect(gone.json["version"] == 3)
                let isFuture = gone.json["detail"]?.string?.contains("no version") == true
                #expect(isFuture == (version > 3), "\(gone.text)")
            }
            let moved = try server.client.post(
                Self.move, #"{"fromRow":0,"toRow":1,"version":2}"#)
            #expect(moved.json["task"]?["id"] == "b", "\(moved.text)")
            try server.refused(
                404, "list_not_found", "POST", "/lists/none/move",
                #"{"fromRow":0,"toRow":1,"version":1}"#)
            try server.refused(
                412, "version_mismatch", "POST", Self.move,
                #"{"fromRow":0,"toRow":1,"version":1}"#, ["If-Match": entityTag(1)])
        }
    }

    @Test(arguments: Setup.once)
    func theOpsOfABatchCanHaveSeenSeveralVersions(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c"])])
            // Version 2: c a b; version 3: b c a.
            _ = try server.client.post(Self.move, #"{"task":"c","position":0}"#)
            _ = try server.client.post(Self.move, #"{"task":"b","position":0}"#)
            let ops = #"""
                {"atomic":false,"ops":[
                  {"op":"move","fromRow":0,"toRow":2,"version":2},
                  {"op":"move","fromRow":0,"toRow":2,"version":1},
                  {"op":"move","fromRow":0,"toRow":2,"version":9},
                  {"op":"update","task":"a","set":{"done":true}},
                  {"op":"move","fromRow":0,"toRow":1}]}
                """#
            let results = try server.client.post("/lists/l/batch", ops).json["results"]
            #expect(results?[0]?["task"]?["id"] == "c" && results?[0]?["placedBy"] == "after")
            #expect(results?[1]?["task"]?["id"] == "a" && results?[1]?["placedBy"] == "after")
            #expect(results?[2]?["problem"]?["code"] == "history_gone")
            #expect(results?[3]?["status"] == 200)
            // b c a; b a c? each op sees the ones before it.
            #expect(results?[4]?["placedBy"] == "row")
            let atomic = #"{"ops":[{"op":"move","fromRow":0,"toRow":0,"level":3,"version":1}]}"#
            let refused = try server.refused(
                409, "level_not_possible", "POST", "/lists/l/batch", atomic)
            #expect(refused.json["pointer"] == "/ops/0" && refused.json["task"]?["id"] == "a")
        }
    }

    @Test(arguments: Setup.oneServer)
    func aDragCanHoverOverRowsOfAnEarlierVersion(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c"]), "m": draft(["x", "y"])])
            let drag = try server.client.post("/lists/l/drags", #"{"task":"a"}"#)
            let path = "/drags/\(drag.json["drag"]?.string ?? "")"
            let over = try server.client.send("PATCH", path, #"{"toRow":1,"version":1}"#)
            #expect(over.json["placedBy"] == "after", "\(over.text)")
            // The others move c between the hover and the drop.
            _ = try server.client.post(Self.move, #"{"task":"c","position":0}"#)
            #expect(try server.client.post("\(path)/drop").status == 200)
            #expect(try server.order() == ["c", "b", "a"])
            // Into another list, of which the client has seen an earlier version.
            _ = try server.client.post("/lists/m/move", #"{"task":"y","position":0}"#)
            let moved = try server.client.post(
                Self.move, #"{"task":"a","toList":"m","toRow":1,"toVersion":1}"#)
            #expect(moved.json["placedBy"] == "after", "\(moved.text)")
            #expect(try server.order("m") == ["y", "x", "a"])
            // Within a list, there is only one version.
            for versions in [#""version":1"#, #""toVersion":1"#, #""version":1,"toVersion":1"#] {
                let body = #"{"fromRow":0,"toRow":1,"toList":"l",\#(versions)}"#
                try server.refused(422, "invalid_body", "POST", Self.move, body)
            }
        }
    }

    /// A drag can name its own list. Then the version is `toVersion`, as for another list.
    @Test(arguments: Setup.once)
    func aDropCountsItsRowInTheVersionThatItNames(setup: Setup) throws {
        let (own, other) = (#""toList":"l","#, #""toList":"m","#)
        for (list, versions, expected) in [
            ("", "", "c a b d"), ("", #","version":1"#, "c b a d"),
            (own, "", "c a b d"), (own, #","toVersion":1"#, "c b a d"),
            (own, #","toVersion":2"#, "c a b d"),
            (other, "", "z a x y"), (other, #","toVersion":1"#, "z x a y"),
            (other, #","toVersion":2"#, "z a x y"),
        ] {
            for hovers in [false, true] {
                try withServer(setup) { server throws in
                    try server.make([
                        "l": draft(["a", "b", "c", "d"]), "m": draft(["x", "y", "z"]),
                    ])
                    let drag = try server.client.post("/lists/l/drags", #"{"task":"a"}"#)
                    let path = "/drags/\(drag.json["drag"]?.string ?? "")"
                    // In version 1, row 1 without a is after b, or after x.
                    for (list, task) in [("l", "c"), ("m", "z")] {
                        _ = try server.client.post(
                            "/lists/\(list)/move", #"{"task":"\#(task)","position":0}"#)
                    }
                    let target = #"{\#(list)"toRow":1\#(versions)}"#
                    if hovers {
                        let over = try server.client.send("PATCH", path, target)
                        #expect(over.status == 200, "\(target): \(over.text)")
                    }
                    let dropped = try server.client.post("\(path)/drop", hovers ? nil : target)
                    #expect(dropped.status == 200, "\(target): \(dropped.text)")
                    let order = try server.order(list == other ? "m" : "l")
                    #expect(order.joined(separator: " ") == expected, "\(target), \(hovers)")
                }
            }
        }
    }

    @Test(arguments: Setup.once)
    func aPersonsRowsOfAnEarlierVersionAreCountedWithTheFolds(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c", "d"]), "alice": draft()])
            _ = try server.client.post("/tasks/a/collapse?folds=alice")
            _ = try server.client.post(Self.move, #"{"task":"d","position":0}"#)
            // Alice has seen a c d.
            let moved = try server.client.post(
                "\(Self.move)?folds=alice", #"{"fromRow":2,"toRow":1,"version":1}"#)
            #expect(moved.json["task"]?["id"] == "d", "\(moved.text)")
            #expect(moved.json["placedBy"] == "after" && moved.json["collapsed"] == [])
            #expect(try server.order() == ["a", "b", "d", "c"])
        }
    }
}
