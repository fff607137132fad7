import MicroHTTP
import ReorderAuth
import ReorderService
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderAPI

/// Streams of the feed that send the same events share the bytes of one rendering.
@Suite struct SharedFeedTests {
    /// Streams of the feed of one server, before the change that the test makes.
    private final class Streams {
        let router: Router
        private let bell = Bell()
        private var watch: (any Sendable)?
        private var sources: [any EventSource] = []

        init(_ router: Router) { self.router = router }

        /// Opens a stream, and reads its greeting.
        func open(_ query: String = "", token: String) throws {
            let fields = TestTokens.field(token)
            var headers = HeaderFields()
            for (name, value) in fields { headers.add(name, value) }
            let response = router.respond(
                to: Request(method: .get, target: "/events\(query)", headers: headers))
            let stream = try #require(response.stream)
            if watch == nil { watch = stream.topic.watch(onNews: bell.wake) }
            sources.append(stream.source)
            _ = try next(sources.count - 1)
        }

        /// The next piece of each stream.
        func pieces() throws -> [EventBytes] {
            try sources.indices.map(next)
        }

        private func next(_ index: Int) throws -> EventBytes {
            while true {
                switch sources[index].next(bell) {
                case .bytes(let bytes): return bytes
                case .nothing: try bell.wait()
                case .end: throw StreamEnded()
                }
            }
        }

        private struct StreamEnded: Error {}
    }

    private func withStreams(_ body: (Streams, InProcessClient) throws -> Void) throws {
        let service = ListService.quiet(MemoryListStore(epoch: testEpoch))
        let router = ReorderAPI(service: service, access: try TestTokens.control()).makeRouter()
        let client = InProcessClient(router: router)
        for list in ["l", "other"] {
            let answer = try client.put(
                "/lists/\(list)", draft(["\(list)-a"]), TestTokens.field("write"))
            #expect(answer.status == 201)
        }
        try body(Streams(router), client)
        try service.stopIdle()
    }

    @Test func streamsOfDifferentTokensShareAChange() throws {
        try withStreams { streams, client throws in
            for token in ["read", "write", "read:mine*,l", "purge:mine*,l"] {
                for query in ["", "?lists=l", "?prefix=l"] { try streams.open(query, token: token) }
            }
            let title = String(repeating: "x", count: 1_000)
            for count in 2...4 {
                _ = try client.post(
                    "/lists/l/tasks", #"{"title":"\#(title)"}"#, TestTokens.field("write"))
                let pieces = try streams.pieces()
                #expect(pieces.allSatisfy { $0 === pieces[0] })
                let text = String(decoding: pieces[0].text, as: UTF8.self)
                #expect(text.contains(title) && text.contains(#""version":\#(count)"#))
            }
        }
    }

    /// The bytes differ if one client may not learn the id of the other list.
    @Test func onlyClientsWithTheSameViewOfATransferShareIt() throws {
        try withStreams { streams, client throws in
            for token in ["read", "read:mine*,l", "write", "admin:mine*,l"] {
                try streams.open("?lists=l", token: token)
            }
            _ = try client.post(
                "/lists/l/move", #"{"task":"l-a","toList":"other"}"#, TestTokens.field("write"))
            let pieces = try streams.pieces()
            #expect(pieces[0] === pieces[2] && pieces[1] === pieces[3])
            let texts = pieces.map { String(decoding: $0.text, as: UTF8.self) }
            #expect(texts[0].contains(#""toList":"other""#) && !texts[1].contains("other"))
        }
    }

    /// The ids of the events differ if a stream has other lists, too.
    @Test func streamsOfDifferentListsGetTheirOwnEvents() throws {
        try withStreams { streams, client throws in
            try streams.open("?lists=l", token: "read")
            try streams.open("", token: "read")
            try streams.open("?lists=l,other", token: "write")
            _ = try client.post(
                "/lists/l/move", #"{"task":"l-a","toList":"other"}"#, TestTokens.field("write"))
            let pieces = try streams.pieces()
            #expect(pieces[0] !== pieces[1] && pieces[1] === pieces[2])
            #expect(pieces[0].text.count < pieces[1].text.count)
        }
    }
}
