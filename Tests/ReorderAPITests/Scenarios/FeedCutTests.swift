import Foundation
import MicroHTTP
import PostgresTesting
import RandomRuns
import ReorderService
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderAPI

/// Feeds whose connections break at any byte.
@Suite struct FeedCutTests {
    /// A client that reads a feed as a browser's `EventSource` does, over connections that break.
    private struct Follower {
        let query: String
        /// The id of the last complete block.
        var lastID = ""
        /// The versions of each list, in the order in which they arrived.
        var versions: [String: [Int]] = [:]
        var blocksWithOnlyAnID = 0
        /// All bytes that were received.
        var bytes: [UInt8] = []
        /// The lists that a `refetch` named.
        var refetched: Set<String> = []

        /// Opens the stream and reads until it has nothing more to send, or the connection breaks.
        ///
        /// - Parameters:
        ///   - cut: the number of bytes after which the connection breaks.
        ///   - isComplete: whether the client has everything. Until then it waits.
        mutating func read(
            _ router: Router, cutAfter cut: Int, until isComplete: (Follower) -> Bool
        ) throws {
            let response = router.respond(
                to: Request(
                    method: .get, target: "/events\(query)",
                    headers: lastID.isEmpty ? [:] : ["Last-Event-ID": lastID]))
            let stream = try #require(response.stream)
            var source = stream.source
            let bell = Bell()
            let watch: any Sendable = stream.topic.watch(onNews: bell.wake)
            defer { withExtendedLifetime(watch) {} }
            var text: [UInt8] = []
            while true {
                switch source.next(bell) {
                case .bytes(let piece):
                    #expect(piece.text.count < 100_000)
                    text += piece.text
                    let isCut = text.count > cut
                    try take(String(decoding: text.prefix(cut), as: UTF8.self))
                    bytes += text.prefix(cut)
                    if isCut { return }
                    text = []
                case .nothing:
                    if isComplete(self) { return }
                    try bell.wait()
                case .end: throw StreamEnded()
                }
            }
        }

        /// Handles the complete blocks.
        private mutating func take(_ text: String) throws {
            let blocks = text.components(separatedBy: "\n\n").dropLast()
            for block in blocks {
                var (id, data, name) = (String?.none, String?.none, "")
                for line in block.split(separator: "\n") {
                    let value = String(line.drop { $0 != ":" }.dropFirst(2))
                    if line.hasPrefix("id: ") { id = value }
                    if line.hasPrefix("data: ") { data = value }
                    if line.hasPrefix("event: ") { name = value }
                }
                if let id { lastID = id }
                guard let data else {
                    blocksWithOnlyAnID += 1
                    continue
                }
                let json = try JSONValue(json: Array(data.utf8))
                guard let list = json["list"]?.string else { continue }
                if name == "refetch" { refetched.insert(list) }
                guard let change = json["change"] else { continue }
                let isCreation = change["kind"] == "created"
                #expect((name == "created") == isCreation, "\(block)")
                #expect((name == "deleted") == (change["kind"] == "deleted"), "\(block)")
                versions[list, default: []].append(try #require(change["version"]?.int))
            }
        }

        private struct StreamEnded: Error {}
    }

    /// Servers that share a store.
    private func withServers(
        _ kind: Setup.Store, _ body: ([Router], [any ListStore]) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "reorderd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stores = try kind.open(in: folder, MemoryListStore(epoch: testEpoch))
        let services = stores.map { ListService.quiet($0) }
        try body(services.map { ReorderAPI(service: $0).makeRouter() }, stores)
        for service in services { try service.stopIdle() }
        try kind.remove(folder)
    }

    private func send(
        _ router: Router, _ method: HTTPMethod, _ target: String, _ body: String = ""
    ) -> Response {
        router.respond(
            to: Request(
                method: method, target: target,
                headers: body.isEmpty ? [:] : ["Content-Type": "application/json"],
                body: Array(body.utf8)))
    }

    static let kinds: [Setup.Store] =
        PostgresCluster.isTested ? [.twoServers] : [.memory, .file]

    /// Lists are created, changed, deleted and restored, while the stream breaks 1,000 times at
    /// random bytes. Each version of each list arrives exactly once, and in order.
    @Test(arguments: kinds)
    func aFeedCutAThousandTimesMissesAndRepeatsNothing(kind: Setup.Store) throws {
        var random = SeededGenerator(seed: 42)
        try withServers(kind) { routers, stores in
            var (all, some) = (Follower(query: ""), Follower(query: "?lists=l1,l3"))
            try all.read(routers[0], cutAfter: .max) { _ in true }
            try some.read(routers[0], cutAfter: .max) { _ in true }
            for round in 0..<1_000 {
                let router = routers.randomElement(using: &random) ?? routers[0]
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    let list = "l\(Int.random(in: 0..<5, using: &random))"
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0: _ = send(router, .delete, "/lists/\(list)")
                    case 1...2:
                        if send(router, .post, "/lists/\(list)/restore").status == 404 {
                            _ = send(router, .put, "/lists/\(list)", #"{"title":"x"}"#)
                        }
                    default:
                        _ = send(router, .post, "/lists/\(list)/tasks", #"{"title":"\#(round)"}"#)
                    }
                }
                let reader = routers.randomElement(using: &random) ?? routers[0]
                let cut = Int.random(in: 0..<1_500, using: &random)
                if round % 2 == 0 {
                    try all.read(reader, cutAfter: cut) { _ in true }
                } else {
                    try some.read(reader, cutAfter: cut) { _ in true }
                }
            }
            let heads = try stores[0].heads(after: nil, limit: 10)
            #expect(heads.count == 5)
            for (follower, lists) in [
                (all, heads), (some, heads.filter { ["l1", "l3"].contains($0.list) }),
            ] {
                var follower = follower
                try follower.read(routers[0], cutAfter: .max) { follower in
                    lists.allSatisfy { follower.versions[$0.list]?.last == $0.version }
                }
                #expect(follower.refetched.isEmpty)
                #expect(follower.versions.count == lists.count)
                for list in lists {
                    #expect(follower.versions[list.list] == Array(1...list.version))
                }
            }
        }
    }

    /// A stream whose lists are quiet gets ids, so that a reconnect does not read all changes of the
    /// other lists again.
    @Test func aQuietFeedGetsIdsWithoutEvents() throws {
        try withServers(.memory) { routers, _ in
            let router = routers[0]
            _ = send(router, .put, "/lists/l", #"{"title":"x","tasks":[{"id":"a","title":"a"}]}"#)
            var follower = Follower(query: "?lists=quiet")
            try follower.read(router, cutAfter: .max) { _ in true }
            #expect(follower.lastID == "p\(versionToken(1))")
            for number in 1...2_500 {
                _ = send(router, .patch, "/tasks/a", #"{"title":"\#(number)"}"#)
            }
            try follower.read(router, cutAfter: .max) { $0.blocksWithOnlyAnID == 2 }
            #expect(follower.versions.isEmpty)
            let position = try #require(Int(follower.lastID.dropFirst().prefix { $0 != "-" }))
            #expect(follower.lastID == "p\(versionToken(position))")
            #expect((2_001...2_501).contains(position))
        }
    }
}
