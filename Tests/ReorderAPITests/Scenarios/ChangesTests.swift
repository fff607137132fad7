import StoreTesting
import Testing

@Suite struct ChangesTests {
    @Test(arguments: Setup.all)
    func changesAreReturnedInPagesOldestFirst(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for number in 2...25 {
                _ = try server.client.post("/lists/l/tasks", #"{"title":"\#(number)"}"#)
            }
            var seen: [Int] = []
            var hasMore = true
            while hasMore {
                let page = try server.client.get(
                    "/lists/l/changes?since=\(versionToken(seen.count))&limit=10")
                #expect(page["ETag"] == entityTag(25))
                #expect(page.json["version"] == 25)
                #expect(page.json["list"] == "l")
                seen += page.json["changes"]?.array.compactMap { $0["version"]?.int } ?? []
                hasMore = page.json["more"] == true
            }
            #expect(seen == Array(1...25))
            #expect(try server.client.get("/lists/l/changes").json["changes"]?.array.count == 25)
            let end = try server.client.get("/lists/l/changes?since=\(versionToken(25))")
            #expect(
                end.json == [
                    "list": "l", "version": 25, "epoch": .string(testEpoch), "changes": [],
                    "more": false,
                ])
        }
    }

    @Test(arguments: Setup.all)
    func aPageHasAtMostAMebibyte(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let data = String(repeating: "x", count: 8_000)
            func batch(_ count: Int) -> String {
                let op = #"{"op":"create","title":"t","data":"\#(data)"}"#
                let ops = Array(repeating: op, count: count).joined(separator: ",")
                return #"{"ops":[\#(ops)]}"#
            }
            for count in [50, 50, 50, 100, 1] {
                #expect(try server.client.post("/lists/l/batch", batch(count)).status == 200)
            }
            var sizes: [Int] = []
            var since = 1
            while true {
                let page = try server.client.get("/lists/l/changes?since=\(versionToken(since))")
                    .json
                let count = page["changes"]?.array.count ?? 0
                sizes.append(count)
                since += count
                if page["more"] != true { break }
            }
            // 400 kB each, then one of 800 kB and a small one.
            #expect(sizes == [2, 1, 2])
        }
    }

    @Test(arguments: Setup.once)
    func limitsAreEnforcedFromBothSides(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let first = "since=\(versionToken(1))"
            for query in ["limit=1", "limit=1000", "wait=0&\(first)", "since=0&wait=60", first] {
                #expect(try server.client.get("/lists/l/changes?\(query)").status == 200)
            }
            for query in ["limit=0", "limit=1001", "wait=61", "wait=-1", "since=-1", "since=x"] {
                let answer = try server.client.get("/lists/l/changes?\(query)")
                #expect(answer.code == "invalid_query", "\(query)")
            }
        }
    }

    /// A client that keeps only the version would get 410 without a pause, again and again.
    @Test(arguments: Setup.once)
    func aVersionWithoutItsEpochIsRefusedWithTheRightForm(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for query in [
                "changes?since=1", "changes?since=1&wait=60", "changes?since=9",
                "changes?order=desc&before=1", "events?since=1",
            ] {
                let answer = try server.client.get("/lists/l/\(query)")
                #expect(answer.status == 422 && answer.code == "invalid_query", "\(query)")
                let detail = answer.json["detail"]?.string ?? ""
                #expect(detail.contains("VERSION-EPOCH, such as 7-\(testEpoch)"), "\(detail)")
            }
            let other = "ffffffffffff"
            for query in ["since=1-\(other)", "since=0-\(other)", "order=desc&before=1-\(other)"] {
                let answer = try server.client.get("/lists/l/changes?\(query)")
                #expect(answer.code == "history_gone", "\(query)")
            }
        }
    }

    @Test(arguments: Setup.all)
    func unknownVersionsAreGone(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let answer = try server.client.get("/lists/l/changes?since=\(versionToken(2))&wait=60")
            #expect(answer.status == 410)
            #expect(answer.code == "history_gone")
            #expect(answer.json["version"] == 1)
            #expect(answer["ETag"] == entityTag(1))
            #expect(try server.client.get("/lists/none/changes").code == "list_not_found")
        }
    }

    @Test(arguments: Setup.all)
    func prunedChangesAreGone(setup: Setup) throws {
        try withServer(setup) { server throws in
            let version = try server.makeListWithPrunedHistory()
            for query in ["", "&wait=60"] {
                let answer = try server.client.get(
                    "/lists/l/changes?since=\(versionToken(1))\(query)")
                #expect(answer.status == 410)
                #expect(answer.code == "history_gone")
                #expect(answer.json["version"]?.int == version)
            }
            let last = try server.client.get("/lists/l/changes?since=\(versionToken(version - 1))")
            #expect(last.json["changes"]?.array.count == 1)
        }
    }

    @Test(arguments: Setup.all)
    func theChangesOfADeletedListEndWithTheDeletion(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            _ = try server.client.delete("/lists/l")
            let page = try server.client.get("/lists/l/changes?since=\(versionToken(1))&wait=60")
            #expect(page.json["version"] == 2)
            #expect(page.json["changes"]?[0]?["ops"] == [["op": "replace"]])
            let end = try server.client.get("/lists/l/changes?since=\(versionToken(2))&wait=60")
            #expect(end.code == "list_not_found")
            try server.make(["l": draft(["b"])])
            let next = try server.client.get("/lists/l/changes?since=\(versionToken(2))&wait=60")
            #expect(next.json["changes"]?.array.map { $0["version"] } == [3])
        }
    }

    @Test(arguments: Setup.all)
    func aPollReturnsTheNextChange(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for version in 1...20 {
                let polls = (0..<4).map { _ in
                    let client = server.freshClient()
                    return Pending {
                        try client.get(
                            "/lists/l/changes?since=\(versionToken(version))&wait=60")
                    }
                }
                // All polls get this change, whether they arrived before or after it.
                _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
                for poll in polls {
                    let changes = try poll.get().json["changes"]?.array ?? []
                    #expect(changes.map { $0["version"]?.int } == [version + 1])
                }
            }
        }
    }

    @Test func aPollWithoutAChangeEndsWithItsTimeOrItsServer() throws {
        let server = try OneLoopServer()
        #expect(try server.client.put("/lists/l", draft(["a"])).status == 201)
        let polls = try [10, 60].map { seconds in
            let connection = try server.connect()
            let path = "/lists/l/changes?since=\(versionToken(1))&wait=\(seconds)"
            connection.write(APIRequest(method: "GET", target: path))
            return connection
        }
        try server.advance()
        try server.advance(seconds: 9)
        #expect(!polls[0].hasData)
        try server.advance(seconds: 1)
        let empty: JSONValue = [
            "list": "l", "version": 1, "epoch": .string(testEpoch), "changes": [],
            "more": false,
        ]
        #expect(try polls[0].readAnswer().json == empty)
        #expect(!polls[1].hasData)
        try server.stop()
        #expect(try polls[1].readAnswer().json == empty)
    }
}
