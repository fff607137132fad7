import RandomRuns
import ReorderJSON
import Testing

/// Pages in the order of the tasks' `data`.
@Suite struct DataOrderTests {
    @Test(arguments: Setup.all)
    func tasksAreOrderedByTheirData(setup: Setup) throws {
        try withServer(setup) { server throws in
            let data = [
                #""x""#, #"{"n":2}"#, #"{"n":"b"}"#, #"{"n":10}"#, #"{"n":null}"#, #"{"n":true}"#,
                #"{"n":2.0}"#, #"{"n":[1]}"#, #"{"n":-1}"#, #"{"n":"B"}"#,
            ]
            let tasks = data.enumerated().map { #"{"id":"t\#($0)","title":"t","data":\#($1)}"# }
            try server.make([
                "l": #"{"title":"L","tasks":[\#(tasks[..<5].joined(separator: ","))]}"#,
                "m": #"{"title":"M","tasks":[\#(tasks[5...].joined(separator: ","))]}"#,
            ])
            func ids(_ path: String) throws -> [String] {
                let whole = try server.client.get(path + "&limit=10")
                #expect(whole.status == 200 && whole.cursor == nil, "\(whole.text)")
                for limit in 1...4 {
                    let pages = try server.client.pages(path + "&limit=\(limit)")
                    #expect(pages.flatMap(\.taskIDs) == whole.taskIDs, "\(limit)")
                    #expect(pages.dropLast().allSatisfy { $0.taskIDs.count == limit })
                }
                return whole.taskIDs
            }
            for _ in 0..<2 {
                #expect(try ids("/lists/l/tasks?order=data.n") == ["t1", "t3", "t2", "t0", "t4"])
                #expect(try ids("/lists/l/tasks?order=-data.n") == ["t2", "t3", "t1", "t0", "t4"])
                #expect(try ids("/lists/l/tasks?order=data") == ["t0", "t1", "t2", "t3", "t4"])
                #expect(try ids("/lists/l/tasks?order=data.n&filter=data.n%3E3") == ["t3"])
                #expect(
                    try ids("/tasks?order=data.n")
                        == ["t5", "t8", "t1", "t6", "t3", "t9", "t2", "t0", "t4", "t7"])
                #expect(
                    try ids("/tasks?order=-data.n")
                        == ["t2", "t9", "t3", "t1", "t6", "t8", "t5", "t0", "t4", "t7"])
                // Once more with lists that are not in memory.
                try server.reopen()
            }
            let page = try server.client.get("/lists/l/tasks?order=data.n&limit=1")
            #expect(page["ETag"] == entityTag(1) && page.json["version"] == 1)
            let fields = try server.client.get("/tasks?order=data.n&limit=1&fields=list,id")
            #expect(fields.json["tasks"] == [["list": "m", "id": "t5"]])
        }
    }

    @Test(arguments: Setup.all)
    func aPageContinuesAfterAChange(setup: Setup) throws {
        for path in ["/lists/l/tasks?order=data&limit=2", "/tasks?order=data&limit=2"] {
            try withServer(setup) { server throws in try pageAfterChanges(path, server) }
        }
    }

    private func pageAfterChanges(_ path: String, _ server: ServerUnderTest) throws {
        let client = server.client
        let tasks = zip(["a", "b", "c", "d", "e"], [3, 1, 1, 1, 2]).map {
            #"{"id":"\#($0)","title":"t","data":\#($1)}"#
        }
        try server.make(["l": #"{"title":"L","tasks":[\#(tasks.joined(separator: ","))]}"#])
        let first = try client.get(path)
        #expect(first.taskIDs == ["b", "c"])
        let cursor = try #require(first.cursor)
        func rest() throws -> [String] {
            try client.pages(path, from: cursor).flatMap(\.taskIDs)
        }
        #expect(try rest() == ["d", "e", "a"])
        // The last task gets another value and another place: the one before it decides.
        _ = try client.send("PATCH", "/tasks/c", #"{"data":2}"#)
        #expect(try rest() == ["d", "c", "e", "a"])
        _ = try client.post("/lists/l/move", #"{"task":"c","after":"e"}"#)
        #expect(try rest() == ["d", "e", "c", "a"])
        _ = try client.post("/lists/l/move", #"{"task":"b","position":0}"#)
        let gone = try client.get("\(path)&cursor=\(cursor)")
        #expect(gone.status == 410 && gone.code == "history_gone")
    }

    @Test(arguments: Setup.once)
    func aPageAfterAValueNeedsNoTask(setup: Setup) throws {
        try withServer(setup) { server throws in
            let tasks = [2, 1, 3].map { #"{"id":"t\#($0)","title":"t","data":\#($0)}"# }
            try server.make(["l": #"{"title":"L","tasks":[\#(tasks.joined(separator: ","))]}"#])
            for path in ["/lists/l/tasks?order=data", "/tasks?order=data"] {
                let cursor = try #require(try server.client.get("\(path)&limit=1").cursor)
                #expect(cursor.hasSuffix(":316530:"))
                _ = try server.client.delete("/tasks/t1")
                #expect(try server.client.get("\(path)&cursor=\(cursor)").taskIDs == ["t2", "t3"])
                _ = try server.client.post(
                    "/lists/l/tasks", #"{"id":"t1","title":"t","data":1,"after":"t2"}"#)
            }
        }
    }

    @Test(arguments: Setup.once)
    func badOrdersAreRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            let long = "order=data." + String(repeating: "x", count: 507)
            let version = versionToken(1)
            let mark = try DataOrder("data").mark
            for path in ["/lists/l/tasks", "/tasks"] {
                #expect(try server.client.get("\(path)?\(long)").taskIDs == ["a", "b"])
                #expect(try server.client.get("\(path)?order=data&cursor=\(mark)::").taskIDs == [])
                #expect(
                    try server.client.get("\(path)?order=data&cursor=\(mark)::l,\(version),a")
                        .taskIDs
                        == ["b"])
                for query in [
                    long + "x", "order=", "order=-", "order=-%CC%81data", "order=due",
                    "order=data.", "order=data%3C1",
                    "order=data,data.a", "order=data&order=data", "order=data&cursor=\(version),a",
                    "order=data&cursor=l,\(version),a", "cursor=\(mark):31:",
                    "order=data&cursor=\(mark):3:", "order=data&cursor=\(mark):6e756c6c:",
                    "order=data&cursor=\(mark):7b7d:", "order=data&cursor=\(mark):2031:",
                    "order=data&cursor=\(mark):zz:", "order=data&cursor=\(mark)::l",
                    "order=data&cursor=", "order=data&cursor=:", "order=data%20desc",
                    // Cursors of other orders.
                    "order=-data&cursor=\(mark)::", "order=data.a&cursor=\(mark)::",
                ] {
                    try server.refused(422, "invalid_query", "GET", "\(path)?\(query)")
                }
                for cursor in ["\(mark)::l,\(versionToken(2)),a", "\(mark)::l,\(version),c"] {
                    try server.refused(
                        410, "history_gone", "GET", "\(path)?order=data&cursor=\(cursor)")
                }
            }
            try server.refused(
                410, "history_gone", "GET",
                "/lists/l/tasks?order=data&cursor=\(mark)::m,\(version),a")
            try server.refused(422, "invalid_query", "GET", "/tasks?ids=a&order=data")
            try server.refused(404, "list_not_found", "GET", "/lists/m/tasks?order=data")
            try server.refused(
                404, "section_not_found", "GET", "/lists/l/tasks?order=data&section=s")
        }
    }

    @Test func onlyALimitedNumberOfTasksIsOrdered() throws {
        try withServer(.inProcess) { server throws in
            let client = server.client
            let path = "/lists/l/tasks?order=data&limit=1000"
            try server.make(["l": numbered("t", 10_000)])
            #expect(try client.pages(path).flatMap(\.taskIDs) == (0..<10_000).map { "t\($0)" })
            #expect(try client.get("/tasks?order=data").status == 200)
            let section = #"{"id":"s","title":"s"}"#
            _ = try client.post("/lists/l/sections", section)
            _ = try client.post("/lists/l/tasks", #"{"id":"x","title":"x","section":"s"}"#)
            for path in [path, "/tasks?order=data", "\(path)&done=true"] {
                try server.refused(409, "order_limit", "GET", path)
            }
            #expect(try client.get("\(path)&section=s").taskIDs == ["x"])
        }
    }

    @Test func onlyALimitedNumberOfListsAndBytesIsOrdered() throws {
        try withServer(.inProcess) { server throws in
            // 8 KiB for each task.
            let data = #","data":"\#(String(repeating: "y", count: 8_189))""#
            for list in 0..<2 { try server.make(["l\(list)": numbered("t\(list)-", 512, data)]) }
            for list in 2..<100 { try server.make(["l\(list)": draft()]) }
            let client = server.client
            // A response has at most 1 MiB of data.
            let pages = try client.pages("/tasks?order=data&limit=1000")
            #expect(pages.map(\.taskIDs.count) == Array(repeating: 129, count: 7) + [121])
            try server.make(["l100": draft()])
            try server.refused(409, "order_limit", "GET", "/tasks?order=data")
            _ = try client.delete("/lists/l100")
            #expect(try client.get("/tasks?order=data").status == 200)
            _ = try client.send("PATCH", "/tasks/t1-0", #"{"title":"tt"}"#)
            try server.refused(409, "order_limit", "GET", "/tasks?order=data")
            #expect(try client.get("/lists/l1/tasks?order=data").status == 200)
        }
    }

    @Test(arguments: Setup.once)
    func longValuesAreComparedByTheirBeginning(setup: Setup) throws {
        try withServer(setup) { server throws in
            let same = String(repeating: "x", count: 255)
            let digits = String(repeating: "1", count: 63)
            let values = [
                #""\#(same)é1""#, #""\#(same)é0""#, #""\#(same)z""#, "\(digits)29", "\(digits)21",
                "\(digits)10", "-\(digits)2", "-\(digits)3", "-0.\(digits)0000001",
            ]
            let tasks = values.enumerated().map { #"{"id":"t\#($0)","title":"t","data":\#($1)}"# }
            try server.make(["l": #"{"title":"L","tasks":[\#(tasks.joined(separator: ","))]}"#])
            let path = "/lists/l/tasks?order=data"
            let order = ["t7", "t6", "t8", "t5", "t3", "t4", "t2", "t0", "t1"]
            for limit in 1...9 {
                #expect(
                    try server.client.pages("\(path)&limit=\(limit)").flatMap(\.taskIDs) == order)
            }
        }
    }

    /// Pages are in the order of the model. Each task that exists all the time, and is not moved or changed,
    /// is on exactly one page.
    @Test func noTaskIsMissedOrRepeated() throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        let runs = max(20, RandomRun.operations(4_000) / 100)
        var complete = 0
        for _ in 0..<runs {
            try withServer(.inProcess) { server throws in
                if try check(server, &random, "REORDERD_SEED=\(seed)") { complete += 1 }
            }
        }
        #expect(complete > runs / 4, "REORDERD_SEED=\(seed) too few readers reached the end")
    }

    /// - Returns: whether the reader reached the last page.
    private func check(
        _ server: ServerUnderTest, _ random: inout SeededGenerator, _ comment: Comment
    ) throws -> Bool {
        let client = server.client
        let values = (0..<60).map { _ in DataModel.value(&random, depth: 3) }
        for list in 0..<3 {
            let tasks = (0..<20).map { number in
                let index = list * 20 + number
                return #"{"id":"t\#(index)","title":"t","data":{"a":\#(values[index].text)}}"#
            }
            try server.make([
                "l\(list)": #"{"title":"L","tasks":[\#(tasks.joined(separator: ","))]}"#
            ])
        }
        let isDescending = random.chance(50)
        let ofAll = random.chance(50)
        let wanted = DataModel.sorted(Array(values[..<(ofAll ? 60 : 20)]), isDescending)
            .map { "t\($0)" }
        let path =
            (ofAll ? "/tasks" : "/lists/l0/tasks")
            + "?order=\(isDescending ? "-" : "")data.a&limit=\(1 + random.below(12))"
        #expect(try client.pages(path).flatMap(\.taskIDs) == wanted, comment)
        var changed: Set<String> = []
        var found: [String] = []
        var cursor: String?
        repeat {
            let page = try client.get(path + (cursor.map { "&cursor=\($0)" } ?? ""))
            if page.status == 410 { return false }
            try #require(page.status == 200, "\(page.text)")
            found += page.taskIDs
            cursor = page.cursor
            for _ in 0..<random.below(4) {
                let task = "t\(random.below(60))"
                changed.insert(task)
                try change(task, client, &random)
            }
        } while cursor != nil
        #expect(
            found.filter { !changed.contains($0) } == wanted.filter { !changed.contains($0) },
            comment)
        return true
    }

    private func change(
        _ task: String, _ client: any APIClient, _ random: inout SeededGenerator
    ) throws {
        guard let list = try client.get("/tasks/\(task)").json["list"]?.string else { return }
        switch random.below(4) {
        case 0: _ = try client.delete("/tasks/\(task)")
        case 1:
            let value = DataModel.value(&random, depth: 3).text
            _ = try client.send("PATCH", "/tasks/\(task)", #"{"data":{"a":\#(value)}}"#)
        default:
            let to = "l\(random.below(3))"
            let place = #""task":"\#(task)","position":\#(random.below(20))"#
            _ = try client.post(
                "/lists/\(list)/move", to == list ? "{\(place)}" : #"{\#(place),"toList":"\#(to)"}"#
            )
        }
    }
}

extension DataModel {
    /// The indices of the values in their order, without values last.
    static func sorted(_ values: [JSONValue], _ isDescending: Bool) -> [Int] {
        values.indices.sorted { first, second in
            let ranks = (rank(values[first]), rank(values[second]))
            var order = ranks.0 - ranks.1
            if let values = Self.order(values[first], values[second]), ranks.0 == ranks.1,
                ranks.0 < 3
            {
                order = values
            }
            if isDescending, max(ranks.0, ranks.1) < 3 { order = -order }
            return order == 0 ? first < second : order < 0
        }
    }

    private static func rank(_ value: JSONValue) -> Int {
        switch value {
        case .bool: 0
        case .int, .double: 1
        case .string: 2
        case .null, .array, .object: 3
        }
    }
}
