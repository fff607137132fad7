import ReorderService
import Testing

@Suite struct DragTests {
    /// Limits without a minimum time between events, so that each hover sends one.
    private static var prompt: DragLimits {
        var limits = DragLimits()
        limits.secondsBetweenEvents = 0
        return limits
    }

    private func begin(
        _ server: ServerUnderTest, _ body: String, in list: String = "l", by client: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let answer = try server.client.post(
            "/lists/\(list)/drags", body, client.map { ["Client-Id": $0] } ?? [:])
        try #require(answer.status == 201, "\(answer.text)", sourceLocation: sourceLocation)
        return try #require(answer.json["drag"]?.string)
    }

    @Test(arguments: Setup.oneServer)
    func aDragSendsEventsFromLiftToDrop(setup: Setup) throws {
        try withServer(setup, drags: Self.prompt) { server throws in
            try server.make(["l": draft(["a", "s<a", "b", "c"])])
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            let lifted = try server.client.post(
                "/lists/l/drags", #"{"task":"a"}"#, ["Client-Id": "phone"])
            #expect(lifted.status == 201)
            let drag = try #require(lifted.json["drag"]?.string)
            #expect(lifted["Location"] == "/drags/\(drag)")
            #expect(lifted.json["expiresInSeconds"] == 12)
            #expect(lifted.json["task"]?["subtasks"] == 1)
            let lift = try stream.expect("drag")
            #expect(lift.id == nil)
            #expect(lift.data["state"] == "lifted")
            #expect(lift.data["drag"]?.string == drag)
            #expect(lift.data["client"] == "phone")
            #expect(lift.data["by"] == nil)
            #expect(lift.data["task"] == "a")
            #expect(lift.data["over"] == .null)
            #expect(lift.data["expiresAt"] != nil)
            let held = try server.client.send("PATCH", "/drags/\(drag)", #"{"after":"b"}"#)
            #expect(held.status == 200)
            #expect(held.json["changed"] == true)
            #expect(held.json["placedBy"] == "after")
            #expect(held.json["task"]?["position"] == 1)
            #expect(held["ETag"] == nil)
            let over = try stream.expect("drag")
            #expect(over.data["state"] == "over")
            #expect(
                over.data["over"] == ["section": nil, "parent": nil, "position": 1, "row": 1])
            #expect(try server.client.get("/lists/l").json["version"] == 1)
            let dropped = try server.client.post("/drags/\(drag)/drop")
            #expect(dropped.status == 200)
            #expect(dropped["ETag"] == entityTag(2))
            #expect(dropped.json["task"]?["position"] == 1)
            #expect(dropped.json["from"]?["position"] == 0)
            try stream.expect("change", id: 2)
            let end = try stream.expect("drag")
            #expect(end.data["state"] == "dropped")
            #expect(end.data["over"]?["position"] == 1)
            #expect(end.data["expiresAt"] == nil)
            #expect(try server.order() == ["b", "a", "s", "c"])
            let late = try server.client.post("/drags/\(drag)/drop")
            #expect(late.code == "drag_not_found")
        }
    }

    @Test(arguments: Setup.oneServer)
    func aCancelledDragChangesNothing(setup: Setup) throws {
        try withServer(setup, drags: Self.prompt) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let before = try server.document("l")
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            let drag = try begin(server, #"{"tasks":["b","a"]}"#)
            #expect(try stream.expect("drag").data["tasks"] == ["b", "a"])
            let answer = try server.client.delete("/drags/\(drag)")
            #expect(answer.status == 204)
            let end = try stream.expect("drag").data
            #expect(end["state"] == "cancelled")
            #expect(end["reason"] == "cancelled")
            for (method, target) in [("DELETE", ""), ("PATCH", ""), ("POST", "/drop")] {
                let body = method == "PATCH" ? #"{"position":0}"# : nil
                try server.refused(404, "drag_not_found", method, "/drags/\(drag)\(target)", body)
            }
            #expect(try server.document("l") == before)
        }
    }

    @Test(arguments: Setup.once)
    func tasksThatCantBeMovedCantBeLifted(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "s<b"], #""elementsOffset":1"#)])
            _ = try server.client.send("PATCH", "/tasks/s", #"{"locked":true}"#)
            for body in [#"{"task":"a"}"#, #"{"task":"s"}"#, #"{"tasks":["b","a"]}"#] {
                let answer = try server.refused(409, "locked", "POST", "/lists/l/drags", body)
                #expect(answer.json["task"] != nil || answer.json["tasks"]?.array.count == 2)
                #expect(answer.json["version"] == 2)
            }
            // Within its parent's subtree, a locked task can be moved.
            _ = try begin(server, #"{"tasks":["s","b"]}"#)
            try server.refused(404, "task_not_found", "POST", "/lists/l/drags", #"{"task":"x"}"#)
            try server.refused(
                404, "task_not_found", "POST", "/lists/l/drags", #"{"tasks":["b","x"]}"#)
            let none = try server.client.post("/lists/none/drags", #"{"task":"a"}"#)
            #expect(none.code == "list_not_found")
            for body in [
                "{}", #"{"task":"b","tasks":["b"]}"#, #"{"tasks":[]}"#, #"{"tasks":["b","b"]}"#,
                #"{"task":null}"#, #"{"task":"b","after":"a"}"#,
            ] { try server.refused(422, "invalid_body", "POST", "/lists/l/drags", body) }
        }
    }

    @Test(arguments: Setup.oneServer)
    func aHoverWhoseDropWouldBeRefusedIsSentAndTheDragContinues(setup: Setup) throws {
        try withServer(setup, drags: Self.prompt) { server throws in
            try server.make(["l": draft(["a", "s<a", "b"])])
            let drag = try begin(server, #"{"task":"a"}"#)
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            // A watcher that connects during the drag gets its current state.
            #expect(try stream.expect("drag").data["state"] == "lifted")
            let path = "/drags/\(drag)"
            #expect(try server.client.send("PATCH", path, #"{"after":"b"}"#).status == 200)
            #expect(try stream.expect("drag").data["over"]?["position"] == 1)
            try server.refused(409, "cycle", "PATCH", path, #"{"parent":"s"}"#)
            let over = try stream.expect("drag").data
            #expect(over["state"] == "over")
            #expect(over["over"] == .null)
            try server.refused(409, "cycle", "POST", "\(path)/drop")
            try server.refused(409, "cycle", "POST", "\(path)/drop", "{}")
            try server.refused(422, "invalid_body", "PATCH", path, "{}")
            try server.refused(409, "anchor_gone", "POST", "\(path)/drop", #"{"after":"x"}"#)
            try server.refused(
                412, "version_mismatch", "POST", "\(path)/drop", #"{"after":"b"}"#,
                ["If-Match": entityTag(7)])
            for body in [
                #"{"toRow":1,"after":"b"}"#, #"{"task":"a"}"#, #"{"position":-1}"#,
                #"{"level":1}"#, #"{"version":1,"after":"b"}"#, #"{"toRow":1,"toVersion":1}"#,
            ] {
                try server.refused(422, "invalid_body", "PATCH", path, body)
                try server.refused(422, "invalid_body", "POST", "\(path)/drop", body)
            }
            let late = try server.client.watch("l")
            try late.expect("hello")
            #expect(try late.expect("drag").data["state"] == "over")
            let dropped = try server.client.post(
                "\(path)/drop", #"{"toRow":2}"#, ["If-Match": entityTag(1)])
            #expect(dropped.status == 200)
            #expect(try server.order() == ["b", "a", "s"])
            try late.expect("change", id: 2)
            #expect(try late.expect("drag").data["state"] == "dropped")
            let next = try server.client.watch("l")
            try next.expect("hello", id: 2)
            _ = try server.client.delete("/tasks/s")
            try next.expect("change", id: 3)
        }
    }

    @Test(arguments: Setup.once)
    func aDropUsesTheLastHoverInTheCurrentList(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b", "c", "d"])])
            var drag = try begin(server, #"{"task":"a"}"#)
            // Without a hover, a drop leaves the task in its place.
            #expect(try server.client.post("/drags/\(drag)/drop").json["changed"] == false)
            drag = try begin(server, #"{"task":"a"}"#)
            for place in ["b", "c"] {
                let body = #"{"after":"\#(place)","before":"d"}"#
                let answer = try server.client.send("PATCH", "/drags/\(drag)", body)
                #expect(answer.status == 200)
            }
            _ = try server.client.delete("/tasks/c")
            _ = try server.client.post("/lists/l/move", #"{"task":"d","position":0}"#)
            let dropped = try server.client.post("/drags/\(drag)/drop")
            #expect(dropped.json["placedBy"] == "before")
            #expect(dropped.json["changed"] == true)
            #expect(try server.order() == ["a", "d", "b"])
        }
    }

    @Test(arguments: Setup.oneServer)
    func aDragEndsWithItsTask(setup: Setup) throws {
        try withServer(setup, drags: Self.prompt) { server throws in
            try server.make(["l": draft(["a", "s<a", "b", "c", "d"]), "m": draft()])
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            for (body, request) in [
                (#"{"task":"s"}"#, ("DELETE", "/tasks/a", nil as String?)),
                (#"{"tasks":["b","d"]}"#, ("POST", "/lists/l/move", #"{"task":"b","toList":"m"}"#)),
            ] {
                let drag = try begin(server, body)
                try stream.expect("drag")
                let answer = try server.client.send(request.0, request.1, request.2)
                #expect(answer.status == 200)
                try stream.expect("change")
                let end = try stream.expect("drag").data
                #expect(end["state"] == "cancelled")
                #expect(end["reason"] == "gone")
                #expect(try server.client.delete("/drags/\(drag)").code == "drag_not_found")
            }
            // A drag of another task continues until the list is deleted.
            let other = try begin(server, #"{"task":"c"}"#)
            _ = try server.client.delete("/tasks/d")
            let held = try server.client.send("PATCH", "/drags/\(other)", #"{"position":0}"#)
            #expect(held.status == 200)
            _ = try server.client.delete("/lists/l")
            #expect(try server.client.post("/drags/\(other)/drop").code == "drag_not_found")
        }
    }

    @Test(arguments: Setup.oneServer)
    func aDragCanBeDroppedIntoAnotherList(setup: Setup) throws {
        try withServer(setup, drags: Self.prompt) { server throws in
            try server.make(["l": draft(["a", "s<a", "b"]), "m": draft(["x"])])
            let drag = try begin(server, #"{"task":"a"}"#)
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            try stream.expect("drag")
            let path = "/drags/\(drag)"
            let none = try server.client.send("PATCH", path, #"{"toList":"none"}"#)
            #expect(none.code == "list_not_found")
            #expect(none.json["pointer"] == "/toList")
            #expect(try stream.expect("drag").data["over"] == .null)
            let held = try server.client.send("PATCH", path, #"{"after":"x","toList":"m"}"#)
            #expect(held.json["to"] == ["list": "m", "version": 1])
            #expect(
                try stream.expect("drag").data["over"] == [
                    "list": "m", "section": nil, "parent": nil, "position": 1, "row": 1,
                ])
            let dropped = try server.client.post("\(path)/drop")
            #expect(dropped.status == 200)
            try stream.expect("change", id: 2)
            #expect(try stream.expect("drag").data["state"] == "dropped")
            #expect(try server.order("m") == ["x", "a", "s"])
            #expect(try server.order() == ["b"])
        }
    }

    @Test(arguments: Setup.oneServer)
    func anAbandonedDragEndsByItself(setup: Setup) throws {
        let clock = TestClock.stopped
        try withServer(setup, drags: Self.prompt, clock: clock) { server throws in
            try server.make(["l": draft(["a"])])
            let stream = try server.client.watch("l")
            try stream.expect("hello")
            let drag = try begin(server, #"{"task":"a"}"#)
            #expect(try stream.expect("drag").data["state"] == "lifted")
            clock.advance(seconds: DragLimits().secondsToLive)
            let end = try stream.expect("drag").data
            #expect(end["state"] == "cancelled")
            #expect(end["reason"] == "expired")
            #expect(try server.client.delete("/drags/\(drag)").code == "drag_not_found")
        }
    }

    @Test(arguments: Setup.once)
    func theNumberOfDragsIsLimited(setup: Setup) throws {
        var limits = DragLimits()
        limits.perList = 2
        limits.perServer = 3
        try withServer(setup, drags: limits) { server throws in
            try server.make(["l": draft(["a"]), "m": draft(["b"])])
            let first = try begin(server, #"{"task":"a"}"#)
            _ = try begin(server, #"{"task":"a"}"#)
            try server.refused(409, "drag_limit", "POST", "/lists/l/drags", #"{"task":"a"}"#)
            _ = try begin(server, #"{"task":"b"}"#, in: "m")
            try server.refused(
                409, "drag_limit", "POST", "/lists/m/drags", #"{"task":"b"}"#, keeping: ["m"])
            _ = try server.client.delete("/drags/\(first)")
            _ = try begin(server, #"{"task":"b"}"#, in: "m")
            // Other moves are not affected.
            let move = try server.client.post("/lists/l/move", #"{"task":"a","position":0}"#)
            #expect(move.status == 200)
        }
    }

    @Test(arguments: Setup.once)
    func aDragHasAtMostAHundredTasks(setup: Setup) throws {
        try withServer(setup) { server throws in
            let ids = (0...100).map { "t\($0)" }
            try server.make(["l": draft(ids)])
            func body(_ count: Int) -> String {
                #"{"tasks":[\#(ids.prefix(count).map { "\"\($0)\"" }.joined(separator: ","))]}"#
            }
            try server.refused(422, "invalid_body", "POST", "/lists/l/drags", body(101))
            _ = try begin(server, body(100))
        }
    }
}
