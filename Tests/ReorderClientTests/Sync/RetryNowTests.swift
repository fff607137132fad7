import ReorderEngine
import Testing

@testable import ReorderClient

/// `retryNow`, which apps call when the network has changed or they come to the foreground.
@Suite struct RetryNowTests {
    private let events = "/lists/l/events"
    private let hello = "retry: 500\nevent: hello\nid: 3\ndata: {}\n\n"

    /// A client with an open stream that was quiet for some seconds, as between two heartbeats.
    private func afterQuietSeconds(_ seconds: Double) throws -> (MachineUnderTest, request: Int) {
        var client = try MachineUnderTest()
        try client.openStream()
        let id = try #require(client.requests.first { $0.request.target == events }).id
        client.update { $0.receive(.bytes(Array(hello.utf8)), of: id, at: $1) }
        client.pass(seconds: seconds)
        #expect(client.machine.connection == .online)
        return (client, id)
    }

    @Test func aQuietStreamIsReplacedAtOnce() throws {
        var (client, id) = try afterQuietSeconds(10)
        client.update { $0.retryNow(at: $1) }
        client.pass(seconds: 0.5)
        let new = try #require(client.requests.first { $0.request.target == events })
        #expect(new.id != id && client.requests.count == 1)
    }

    @Test func aStreamThatIsHeardInTimeStays() throws {
        var (client, id) = try afterQuietSeconds(0.1)
        client.update { $0.retryNow(at: $1) }
        client.update { $0.receive(.bytes(Array(": \n\n".utf8)), of: id, at: $1) }
        client.pass(seconds: 10)
        #expect(client.requests.map(\.id) == [id])
    }

    @Test func aStreamThatIsNotHeardInTimeIsReplaced() throws {
        var (client, id) = try afterQuietSeconds(0.1)
        client.update { $0.retryNow(at: $1) }
        client.pass(seconds: 3)
        let new = try #require(client.requests.first { $0.request.target == events })
        #expect(new.id != id)
    }

    @Test func aBatchWithoutAResponseIsSentAgain() throws {
        var (client, _) = try afterQuietSeconds(0)
        client.make(["x"])
        client.pass(seconds: 5)
        let first = try #require(client.requests.last).id
        #expect(client.batch == ["x"])
        client.update { $0.retryNow(at: $1) }
        client.pass(seconds: 1)
        #expect(client.batch == ["x"])
        #expect(client.requests.last?.id != first)
    }

    /// A slow download: bytes arrive all the time.
    @Test func aDocumentThatArrivesSlowlyIsNotCancelled() throws {
        var client = try MachineUnderTest()
        let stream = try #require(client.requests.first { $0.request.target == events }).id
        try client.openStream()
        client.update {
            $0.receive(.bytes(Array("event: refetch\ndata: {}\n\n".utf8)), of: stream, at: $1)
        }
        let id = try #require(client.requests.first { $0.request.target == "/lists/l" }).id
        client.update { $0.receive(.head(status: 200, headers: [:]), of: id, at: $1) }
        for _ in 0..<100 {
            client.pass(seconds: 1)
            client.update { $0.receive(.bytes([0x20]), of: id, at: $1) }
            client.update { $0.retryNow(at: $1) }
        }
        #expect(client.requests.map(\.id) == [id])
    }
}
