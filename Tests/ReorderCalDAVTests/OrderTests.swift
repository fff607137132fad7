import RandomRuns
import Testing

@testable import ReorderCalDAV

/// Moves by sort keys.
@Suite struct OrderTests {
    private func server(_ count: Int = 4) throws -> CalendarServer {
        let server = try CalendarServer()
        server.makeList()
        for index in 0..<count {
            server.put(
                "t\(index)", ["SUMMARY:\(index)", "X-APPLE-SORT-ORDER:\(500_000_000 + 10 * index)"])
        }
        return server
    }

    private func put(_ task: String, _ key: Int?, _ server: CalendarServer, parent: String? = nil) {
        let title = task.dropFirst()
        let response = server.put(
            task,
            ["SUMMARY:\(title)"] + (key.map { ["X-APPLE-SORT-ORDER:\($0)"] } ?? [])
                + (parent.map { ["RELATED-TO:\($0)"] } ?? []))
        #expect(response.status < 300)
    }

    @Test func aKeyBetweenTwoOthersIsAPlace() throws {
        let server = try server()
        put("t3", 500_000_005, server)
        #expect(server.titles() == ["0", "3", "1", "2"])
        put("t0", 500_000_090, server)
        #expect(server.titles() == ["3", "1", "2", "0"])
    }

    @Test func theSameKeyIsNoMove() throws {
        let server = try server()
        server.move("t3", #""position":0"#)
        #expect(server.titles() == ["3", "0", "1", "2"])
        put("t0", 500_000_000, server)
        put("t1", nil, server)
        #expect(server.titles() == ["3", "0", "1", "2"])
    }

    @Test func aMoveOnThePageChangesOneKey() throws {
        let server = try server()
        let before = server.keys()
        server.move("t3", #""after":"t0""#)
        let after = server.keys()
        #expect(after.filter { before[$0.key] != $0.value }.keys.sorted() == ["t3"])
        #expect(after["t3"].map { (500_000_001..<500_000_010).contains($0) } == true)
        #expect(server.lines("t3").contains("SUMMARY:3"))
    }

    /// A client that changes a task without having read it since it was moved does not move it back.
    @Test func anOldPlaceIsNoMove() throws {
        let server = try server(4)
        _ = server.keys()
        server.move("t2", #""position":0"#)
        server.move("t1", #""parent":"t0""#)
        _ = server.keys()
        #expect(server.titles() == ["2", "0", "  1", "3"])
        server.put("t2", ["SUMMARY:2", "STATUS:COMPLETED", "X-APPLE-SORT-ORDER:500000020"])
        server.put("t1", ["SUMMARY:one", "X-APPLE-SORT-ORDER:500000010"])
        #expect(server.titles() == ["2", "0", "  one", "3"])
        #expect(server.tasks()[0].content.done)
        #expect(server.lines("t1").contains("RELATED-TO:t0"))
        // A drag changes only the place.
        server.put("t2", ["SUMMARY:2", "STATUS:COMPLETED", "X-APPLE-SORT-ORDER:500000020"])
        #expect(server.titles() == ["0", "  one", "2", "3"])
        // With the tag, the client has read the task.
        let tag = server.send("GET", "/dav/calendars/l/t1.ics").headers["ETag"] ?? ""
        server.put("t1", ["SUMMARY:1", "X-APPLE-SORT-ORDER:500000010"], ["If-Match": tag])
        #expect(server.titles() == ["0", "1", "2", "3"])
    }

    /// Also if the server has made no keys for the move yet.
    @Test func anOldParentIsNoMove() throws {
        let server = try server(3)
        _ = server.keys()
        server.move("t1", #""parent":"t0""#)
        server.put("t1", ["SUMMARY:1", "STATUS:COMPLETED", "X-APPLE-SORT-ORDER:500000010"])
        #expect(server.titles() == ["0", "  1", "2"])
        _ = server.keys()
        let key = server.lines("t1").first { $0.hasPrefix("X-APPLE-SORT-ORDER") } ?? ""
        server.move("t1", #""position":0,"section":null"#)
        server.put("t1", ["SUMMARY:1", "RELATED-TO:t0", key])
        #expect(server.titles() == ["1", "0", "2"])
    }

    @Test func aTaskAfterTheLargestKeyGetsOne() throws {
        let server = try CalendarServer()
        server.makeList()
        server.put("a", ["SUMMARY:a"])
        server.put("b", ["SUMMARY:b", "X-APPLE-SORT-ORDER:1000000000000"])
        _ = server.keys()
        server.put("c", ["SUMMARY:c"])
        let keys = server.keys()
        #expect(server.titles() == ["a", "b", "c"])
        #expect(try #require(keys["a"]) < #require(keys["b"]))
        #expect(try #require(keys["b"]) < #require(keys["c"]))
    }

    /// Tasks.org moves a task below another one with the next key, and pushes those below down, one after another.
    @Test func equalKeysStayWhileTheyArePushedDown() throws {
        let server = try CalendarServer()
        server.makeList()
        for index in 0..<4 { put("t\(index)", 500_000_000 + index, server) }
        put("t3", 500_000_001, server)
        #expect(server.titles() == ["0", "3", "1", "2"])
        #expect(
            server.keys() == [
                "t0": 500_000_000, "t1": 500_000_001, "t2": 500_000_002, "t3": 500_000_001,
            ])
        put("t1", 500_000_002, server)
        #expect(server.titles() == ["0", "3", "1", "2"])
        put("t2", 500_000_003, server)
        #expect(server.titles() == ["0", "3", "1", "2"])
        #expect(Set(server.keys().values).count == 4)
        // A new task goes after equal ones.
        put("t4", 500_000_002, server)
        #expect(server.titles() == ["0", "3", "1", "4", "2"])
        server.advance(seconds: 31)
        let keys = server.keys()
        #expect(Set(keys.values).count == 5)
    }

    @Test func parentsAreUIDs() throws {
        let server = try server(2)
        put("t1", nil, server, parent: "t0")
        #expect(server.titles() == ["0", "  1"])
        // A parent that comes later.
        put("t2", nil, server, parent: "t9")
        put("t3", nil, server, parent: "t9")
        #expect(server.titles() == ["0", "  1", "2", "3"])
        #expect(server.lines("t2").contains("RELATED-TO:t9"))
        put("t9", nil, server)
        #expect(server.titles() == ["0", "  1", "9", "  2", "  3"])
        // A cycle keeps the place, and the client reads it.
        put("t9", nil, server, parent: "t2")
        #expect(server.titles() == ["0", "  1", "9", "  2", "  3"])
        #expect(!server.lines("t9").contains("RELATED-TO:t2"))
        put("t1", nil, server)
        #expect(server.titles() == ["0", "9", "  2", "  3", "1"])
    }

    @Test func aDeletedTaskLeavesItsSubtasks() throws {
        let server = try server(3)
        put("t1", nil, server, parent: "t0")
        put("t2", nil, server, parent: "t1")
        #expect(server.send("DELETE", "/dav/calendars/l/t0.ics").status == 204)
        #expect(server.titles() == ["1", "  2"])
        #expect(!server.lines("t1").contains { $0.hasPrefix("RELATED-TO") })
        #expect(server.send("DELETE", "/dav/calendars/l/t0.ics").status == 404)
    }

    @Test func aNewPlaceIsInTheSectionOfANeighbor() throws {
        let server = try CalendarServer()
        server.makeList(
            "l",
            #"{"title":"L","sections":[{"id":"s","title":"S"},{"id":"u","title":"U"}],"tasks":["#
                + #"{"id":"a","title":"a"},{"id":"b","title":"b","section":"s"},{"id":"c","title":"c","section":"s"},"#
                + #"{"id":"d","title":"d","section":"u"}]}"#)
        let keys = server.keys()
        func place(_ task: String, between one: String, and other: String) -> String? {
            let key = ((keys[one] ?? 0) + (keys[other] ?? 0)) / 2
            #expect(
                server.put(task, ["SUMMARY:\(task)", "X-APPLE-SORT-ORDER:\(key)"]).status == 204)
            return server.tasks().first { $0.id == task }?.placement.section
        }
        #expect(place("d", between: "b", and: "c") == "s")
        #expect(place("b", between: "a", and: "c") == "s")
        #expect(place("c", between: "a", and: "b") == "s")
    }

    @Test func whatTheListForbidsIsRefused() throws {
        let server = try CalendarServer()
        server.makeList(
            "l",
            #"{"title":"L","maxDepth":1,"tasks":[{"id":"a","title":"a"},{"id":"b","title":"b","locked":true}]}"#
        )
        let keys = server.keys()
        #expect(server.put("a", ["RELATED-TO:b"]).status == 403)
        let locked = server.put("b", ["X-APPLE-SORT-ORDER:\((keys["a"] ?? 0) - 1)"])
        #expect(locked.status == 403)
        #expect(String(decoding: locked.body, as: UTF8.self).contains("locked"))
        #expect(server.send("DELETE", "/dav/calendars/l/b.ics").status == 403)
        #expect(server.titles() == ["a", "b"])
    }

    // MARK: Clients

    /// How a client writes a drag: the keys that it sends, in order.
    private enum Client: CaseIterable {
        case tasksOrg, nextcloud, planify, reminders

        func keys(
            moving task: String, to place: Int, in order: [String], _ keys: [String: Int]
        ) -> [(String, Int)] {
            let others = order.filter { $0 != task }
            let before = place > 0 ? keys[others[place - 1]] : nil
            let after = place < others.count ? keys[others[place]] : nil
            switch self {
            case .tasksOrg:
                // The next key of the one above, and those below are pushed down as far as keys are equal.
                var sent = [(task, before.map { $0 + 1 } ?? (after ?? 1) - 1)]
                for other in others[place...] {
                    guard let last = sent.last?.1, let key = keys[other], key <= last else { break }
                    sent.append((other, last + 1))
                }
                return sent
            case .nextcloud:
                // One less than the one below, and those above are pushed up as far as keys are equal.
                var sent = [(task, after.map { $0 - 1 } ?? (before ?? 0) + 1)]
                for other in others[..<place].reversed() {
                    guard let last = sent.last?.1, let key = keys[other], key >= last else { break }
                    sent.append((other, last - 1))
                }
                return sent
            case .planify:
                guard let before, let after else {
                    return [(task, before.map { $0 + 1_000 } ?? (after ?? 1_000) - 1_000)]
                }
                if after - before > 1 { return [(task, (before + after) / 2)] }
                var all = others
                all.insert(task, at: place)
                return all.enumerated().map { ($1, 500_000_000 + $0 * 1_000) }
            case .reminders:
                // Only the moved one, as far as there is room.
                let key = before.map { before in after.map { (before + $0) / 2 } ?? before + 1 }
                return [(task, key ?? (after ?? 1) - 1)]
            }
        }
    }

    /// Each drag leads to the order that the client shows, whatever clients were there before.
    @Test func dragsOfAllClientsLeadToTheirOrder() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        let server = try server(8)
        var order = (0..<8).map { "t\($0)" }
        for step in 0..<RandomRun.operations(150) {
            let keys = server.keys()
            var sent: [(String, Int)] = []
            let read = order.sorted { (keys[$0] ?? 0, $0) < (keys[$1] ?? 0, $1) }
            let task = order.randomElement(using: &random) ?? ""
            let place = random.below(order.count)
            var moved = order.filter { $0 != task }
            if random.chance(25) {
                server.move(task, #""position":\#(place)"#)
            } else {
                // Equal keys are not what the client of the model expects.
                guard Set(keys.values).count == order.count else {
                    server.advance(seconds: 31)
                    continue
                }
                #expect(read == order, "seed \(RandomRun.seed), step \(step)")
                let client = Client.allCases.randomElement(using: &random) ?? .planify
                if client == .reminders, place > 0, place < moved.count,
                    let before = keys[moved[place - 1]], let after = keys[moved[place]],
                    after - before < 2
                {
                    continue
                }
                sent = client.keys(moving: task, to: place, in: order, keys)
                for (task, key) in sent { put(task, key, server) }
            }
            moved.insert(task, at: place)
            order = moved
            try #require(
                server.tasks().map(\.id) == order,
                "seed \(RandomRun.seed), step \(step): \(keys) \(sent)")
            server.advance(seconds: Double(random.below(20)))
        }
    }
}
