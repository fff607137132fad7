import ReorderEngine
import Testing

/// Moves by the visible rows of a table view.
@Suite struct RowTests {
    private static let move = "/lists/l/move"
    // Rows: a 0, b 1, c 2 | d 3, e 4 | (t has none).
    private static let list = #"""
        {"title":"L","sections":[{"id":"s","title":"S"},{"id":"t","title":"T"}],"tasks":[
          {"id":"a","title":"A"},{"id":"b","title":"B","parent":"a"},{"id":"c","title":"C"},
          {"id":"d","title":"D","section":"s"},{"id":"e","title":"E","section":"s"}]}
        """#

    /// The order of the tasks with their depths and sections: `a -b c |s d e |t`.
    private func outline(_ server: ServerUnderTest, _ list: String = "l") throws -> String {
        let document = try server.client.get("/lists/\(list)").json
        var words: [SectionID?: [String]] = [:]
        for task in document["tasks"]?.array ?? [] {
            let indentation = String(repeating: "-", count: task["depth"]?.int ?? 0)
            words[task["section"]?.string, default: []].append(
                indentation + (task["id"]?.string ?? ""))
        }
        var outline = words[nil] ?? []
        for section in document["sections"]?.array ?? [] {
            let id = section["id"]?.string ?? ""
            outline += ["|\(id)"] + (words[id] ?? [])
        }
        return outline.joined(separator: " ")
    }

    @Test(arguments: Setup.once)
    func everyFormOfRowsIsUnderstood(setup: Setup) throws {
        try withServer(setup) { server throws in
            for (body, outline) in [
                (#"{"fromRow":0,"toRow":2}"#, "c |s d a -b e |t"),
                (#"{"fromRow":3,"toRow":3,"section":null}"#, "a -b c d |s e |t"),
                (#"{"task":"c","toRow":4,"section":"s","level":1}"#, "a -b |s d e -c |t"),
                (#"{"tasks":["e","c"],"toRow":0}"#, "e c a -b |s d |t"),
                (#"{"fromRows":[4,2],"toRow":0}"#, "c e a -b |s d |t"),
                (
                    #"{"from":{"section":"s","row":1},"to":{"section":null,"row":0}}"#,
                    "e a -b c |s d |t"
                ),
                (#"{"task":"c","to":{"section":"s","row":9},"level":1}"#, "a -b |s d e -c |t"),
                (#"{"fromRows":[2,3],"toOffset":5}"#, "a -b |s e c d |t"),
                (#"{"fromRow":1,"toOffset":1,"level":0}"#, "a b c |s d e |t"),
                (#"{"fromRow":0,"toOffset":1,"section":"s"}"#, "c |s d a -b e |t"),
            ] {
                try server.make(["l": Self.list])
                let dry = try server.client.post("\(Self.move)?dryRun=true", body)
                let answer = try server.client.post(Self.move, body)
                #expect(answer.status == 200, "\(body) \(answer.text)")
                expectDryRun(dry, of: answer, from: (answer.json["version"]?.int ?? 0) - 1)
                #expect(answer.json["placedBy"] == "row", "\(body)")
                #expect(try self.outline(server) == outline, "\(body)")
                _ = try server.client.delete("/lists/l")
            }
        }
    }

    @Test(arguments: Setup.oneServer)
    func aDragCanHoverAndDropBetweenRows(setup: Setup) throws {
        try withServer(setup) { server throws in
            for (body, outline) in [
                (#"{"toRow":3}"#, "a -b |s d c e |t"),
                (#"{"toRow":3,"section":"s","level":1}"#, "a -b |s d -c e |t"),
                (#"{"to":{"section":"t","row":0}}"#, "a -b |s d e |t c"),
                (#"{"toOffset":1}"#, "a -c -b |s d e |t"),
            ] {
                try server.make(["l": Self.list])
                let drag = try server.client.post("/lists/l/drags", #"{"task":"c"}"#)
                let path = "/drags/\(drag.json["drag"]?.string ?? "")"
                let over = try server.client.send("PATCH", path, body)
                #expect(over.json["placedBy"] == "row", "\(body) \(over.text)")
                let dropped = try server.client.post("\(path)/drop")
                #expect(dropped.json["task"]?["row"] == over.json["task"]?["row"], "\(body)")
                #expect(try self.outline(server) == outline, "\(body)")
                _ = try server.client.delete("/lists/l")
            }
        }
    }

    @Test(arguments: Setup.once)
    func aPlaceThatIsNotPossibleIsRefusedWithTheReason(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list, "m": draft(["x", "y<x"], #""moves":"siblings""#)])
            for (code, body, detail) in [
                (
                    "level_not_possible", #"{"task":"c","toRow":0,"level":1}"#,
                    "Level 1 is not possible there: the task can have level 0."
                ),
                (
                    "level_not_possible", #"{"task":"c","toRow":2,"level":3}"#,
                    "Level 3 is not possible there: the task can have levels 0 to 2."
                ),
                (
                    "anchor_gone", #"{"task":"c","toRow":1,"section":"s"}"#,
                    #"Row 1 is not in section "s": there, the task can have rows 2 to 4."#
                ),
                (
                    "anchor_gone", #"{"task":"c","toRow":3,"section":null}"#,
                    "Row 3 is not in the tasks without a section: there, the task can have rows 0 to 2."
                ),
                (
                    "anchor_gone", #"{"task":"c","to":{"section":"gone","row":0}}"#,
                    "None of the given destinations exists any more."
                ),
                (
                    "anchor_gone", #"{"from":{"section":"s","row":2},"toRow":0}"#,
                    "Row 2 does not exist: there are 2 visible rows."
                ),
                (
                    "anchor_gone", #"{"fromRows":[0,5],"toRow":0}"#,
                    "Row 5 does not exist: there are 5 visible rows."
                ),
                (
                    "anchor_gone", #"{"fromRow":5,"after":"a"}"#,
                    "Row 5 does not exist: there are 5 visible rows."
                ),
                (
                    "anchor_gone", #"{"fromRow":1,"after":"gone"}"#,
                    "None of the given destinations exists any more."
                ),
            ] {
                let refused = try server.refused(409, code, "POST", Self.move, body)
                #expect(refused.json["detail"]?.string == detail, "\(body)")
                #expect(
                    (refused.json["task"]?["id"] == "c") == body.contains(#""task""#), "\(body)")
            }
            try server.refused(
                409, "not_siblings", "POST", "/lists/m/move", #"{"fromRow":1,"toRow":0}"#,
                keeping: ["m"])
            try server.refused(
                404, "section_not_found", "POST", Self.move,
                #"{"from":{"section":"gone","row":0},"toRow":0}"#)
        }
    }

    @Test(arguments: Setup.once)
    func aContradictoryMoveByRowsIsAnInvalidBody(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": Self.list, "m": draft()])
            for (pointer, body) in [
                ("", #"{"task":"a","fromRow":0,"toRow":0}"#),
                ("", #"{"fromRow":0,"fromRows":[1],"toRow":0}"#),
                ("", #"{"fromRow":0,"toRow":1,"position":0}"#),
                ("", #"{"fromRow":0,"toRow":1,"after":"b"}"#),
                ("", #"{"fromRow":0,"toRow":1,"before":null}"#),
                ("", #"{"fromRow":0,"toRow":1,"parent":null}"#),
                ("", #"{"fromRow":0,"toRow":1,"toOffset":1}"#),
                ("", #"{"fromRow":0,"toOffset":1,"to":{"section":null,"row":0}}"#),
                ("", #"{"fromRow":0,"to":{"section":null,"row":0},"section":null}"#),
                ("", #"{"fromRow":0,"level":1}"#), ("", #"{"task":"a","level":1,"after":"c"}"#),
                ("", #"{"task":"a","after":"c","version":1}"#),
                ("", #"{"task":"a","toList":"m","toRow":0,"version":1}"#),
                ("", #"{"fromRow":0,"toRow":0,"toVersion":1}"#),
                ("", #"{"fromRow":0,"toList":"m","toVersion":1}"#),
                ("", #"{"fromRow":0,"version":1}"#),
                ("/fromRow", #"{"fromRow":-1,"toRow":0}"#),
                ("/fromRows", #"{"fromRows":[],"toRow":0}"#),
                ("/fromRows/1", #"{"fromRows":[1,1],"toRow":0}"#),
                ("/fromRows/0", #"{"fromRows":["a"],"toRow":0}"#),
                ("/from", #"{"from":0,"toRow":0}"#),
                ("/from", #"{"from":{"row":0},"toRow":0}"#),
                ("/to", #"{"task":"a","to":{"section":null}}"#),
                ("/to/x", #"{"task":"a","to":{"section":null,"row":0,"x":1}}"#),
                ("/toRow", #"{"task":"a","toRow":null}"#),
                ("/level", #"{"task":"a","toRow":0,"level":-1}"#),
                ("/version", #"{"fromRow":0,"toRow":0,"version":"1"}"#),
            ] {
                let answer = try server.refused(422, "invalid_body", "POST", Self.move, body)
                #expect(answer.json["pointer"]?.string == pointer, "\(body) \(answer.text)")
            }
        }
    }
}
