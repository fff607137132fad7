import Foundation
import ProcessTesting
import Synchronization
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
                let page = try server.client.get("/lists/l/changes?since=\(seen.count)&limit=10")
                #expect(page["ETag"] == "\"25\"")
                #expect(page.json["version"] == 25)
                #expect(page.json["list"] == "l")
                seen += page.json["changes"]?.array.compactMap { $0["version"]?.int } ?? []
                hasMore = page.json["more"] == true
            }
            #expect(seen == Array(1...25))
            #expect(try server.client.get("/lists/l/changes").json["changes"]?.array.count == 25)
            let end = try server.client.get("/lists/l/changes?since=25")
            #expect(end.json == ["list": "l", "version": 25, "changes": [], "more": false])
        }
    }

    @Test(arguments: Setup.all)
    func aPageHasAMebibyteUnlessOneChangeHasMore(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let data = String(repeating: "x", count: 8_000)
            func batch(_ count: Int) -> String {
                let op = #"{"op":"create","title":"t","data":"\#(data)"}"#
                let ops = Array(repeating: op, count: count).joined(separator: ",")
                return #"{"ops":[\#(ops)]}"#
            }
            for count in [50, 50, 50, 200, 1] {
                #expect(try server.client.post("/lists/l/batch", batch(count)).status == 200)
            }
            var sizes: [Int] = []
            var since = 1
            while true {
                let page = try server.client.get("/lists/l/changes?since=\(since)").json
                let count = page["changes"]?.array.count ?? 0
                sizes.append(count)
                since += count
                if page["more"] != true { break }
            }
            // 400 kB each, then one of 1.6 MB.
            #expect(sizes == [2, 1, 1, 1])
        }
    }

    @Test(arguments: Setup.all)
    func limitsAreEnforcedFromBothSides(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            for query in ["limit=1", "limit=1000", "wait=0&since=1", "since=0&wait=60", "since=1"] {
                #expect(try server.client.get("/lists/l/changes?\(query)").status == 200)
            }
            for query in ["limit=0", "limit=1001", "wait=61", "wait=-1", "since=-1", "since=x"] {
                let answer = try server.client.get("/lists/l/changes?\(query)")
                #expect(answer.code == "invalid_query", "\(query)")
            }
        }
    }

    @Test(arguments: Setup.all)
    func aReadReturns304ForAPageThatTheClientHas(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let path = "/lists/l/changes?since=0"
            #expect(try server.client.get(path, ["If-None-Match": "\"1\""]).status == 304)
            _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
            #expect(try server.client.get(path, ["If-None-Match": "\"1\""]).status == 200)
        }
    }

    @Test(arguments: Setup.all)
    func unknownVersionsAreGone(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let answer = try server.client.get("/lists/l/changes?since=2&wait=60")
            #expect(answer.status == 410)
            #expect(answer.code == "history_gone")
            #expect(answer.json["version"] == 1)
            #expect(answer["ETag"] == "\"1\"")
            #expect(try server.client.get("/lists/none/changes").code == "list_not_found")
        }
    }

    @Test(arguments: Setup.all)
    func prunedChangesAreGone(setup: Setup) throws {
        try withServer(setup) { server throws in
            let version = try server.makeListWithPrunedHistory()
            for query in ["", "&wait=60"] {
                let answer = try server.client.get("/lists/l/changes?since=1\(query)")
                #expect(answer.status == 410)
                #expect(answer.code == "history_gone")
                #expect(answer.json["version"]?.int == version)
            }
            let last = try server.client.get("/lists/l/changes?since=\(version - 1)")
            #expect(last.json["changes"]?.array.count == 1)
        }
    }

    @Test(arguments: Setup.all)
    func theChangesOfADeletedListEndWithTheDeletion(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            _ = try server.client.delete("/lists/l")
            let page = try server.client.get("/lists/l/changes?since=1&wait=60")
            #expect(page.json["version"] == 2)
            #expect(page.json["changes"]?[0]?["ops"] == [["op": "replace"]])
            let end = try server.client.get("/lists/l/changes?since=2&wait=60")
            #expect(end.code == "list_not_found")
            try server.make(["l": draft(["b"])])
            let next = try server.client.get("/lists/l/changes?since=2&wait=60")
            #expect(next.json["changes"]?.array.map { $0["version"] } == [3])
        }
    }

    @Test(arguments: Setup.all)
    func aPollReturnsTheNextChangeOrTimesOut(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let empty = try server.client.get("/lists/l/changes?since=1&wait=1")
            #expect(empty.json == ["list": "l", "version": 1, "changes": [], "more": false])
            for version in 1...20 {
                let answers = Mutex<[APIResponse]>([])
                let group = DispatchGroup()
                for _ in 0..<4 {
                    let client = server.freshClient()
                    DispatchQueue.global().async(group: group) {
                        let path = "/lists/l/changes?since=\(version)&wait=60"
                        if let answer = try? client.get(path) {
                            answers.withLock { $0.append(answer) }
                        }
                    }
                }
                // All polls get this change, whether they arrived before or after it.
                _ = try server.client.post("/lists/l/tasks", #"{"title":"x"}"#)
                #expect(group.wait(timeout: .now() + 50) == .success)
                let versions = answers.withLock { answers in
                    answers.map { $0.json["changes"]?.array.compactMap { $0["version"]?.int } }
                }
                #expect(versions == Array(repeating: [version + 1], count: 4))
            }
        }
    }

    /// All connections that the server allows are polls. Those that end make room for others before
    /// the wait of the first poll ends.
    @Test func pollsOfDisconnectedClientsFreeTheirConnections() throws {
        let server = try ServerProcess(
            ["--port", "0", "--store", "memory", "--demo", "--max-connections", "20"])
        let poll = APIRequest(method: "GET", target: "/lists/demo/changes?since=1&wait=60")
        let first = try SocketClient.Connection(port: server.port)
        first.write(poll)
        do {
            let others = try (0..<19).map { _ in try SocketClient.Connection(port: server.port) }
            for other in others { other.write(poll) }
            // Usually, all polls wait by then. The result is the same for those that don't.
            usleep(100_000)
            withExtendedLifetime(others) {}
        }
        let clients = try (0..<19).map { _ in try SocketClient.Connection(port: server.port) }
        for client in clients {
            client.write(APIRequest(method: "GET", target: "/healthz"))
            #expect(try client.readAnswer().status == 200)
        }
        #expect(!first.hasData)
        server.send(signal: SIGTERM)
        #expect(try first.readAnswer().json["changes"] == [])
        #expect(try server.wait().exitCode == 0)
    }

    @Test(arguments: Setup.sockets)
    func aServerThatStopsCompletesItsPolls(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let client = server.freshClient()
            let group = DispatchGroup()
            let status = Mutex<Int?>(nil)
            let isSent = DispatchSemaphore(value: 0)
            DispatchQueue.global().async(group: group) {
                isSent.signal()
                let answer = try? client.get("/lists/l/changes?since=1&wait=60")
                status.withLock { $0 = answer?.status }
            }
            isSent.wait()
            // Wait for the poll to arrive. It may also arrive too late for a response.
            while try server.client.get("/healthz").status != 200 {}
            try server.reopen()
            #expect(group.wait(timeout: .now() + 50) == .success)
            #expect([200, nil].contains(status.withLock { $0 }))
        }
    }
}
