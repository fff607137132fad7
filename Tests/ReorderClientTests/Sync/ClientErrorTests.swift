import Foundation
import ReorderEngine
import Testing

@testable import ReorderClient

/// What an app learns if something does not work.
@Suite struct ClientErrorTests {
    @Test func errorsHaveSentences() {
        let errors: [ClientError] = [
            .refused(.locked), .invalid("An id must be short."), .queueFull, .storage("Full."),
            .unreachable, .listNotFound, .unauthorized, .closed, .cancelled,
        ]
        for error in errors {
            let text = (error as any Error).localizedDescription
            #expect(text.hasSuffix(".") && !text.contains("error 0"), "\(text)")
        }
        #expect(Set(errors.map(\.localizedDescription)).count == errors.count)
    }

    /// A network whose requests never end.
    private struct SilentNetwork: Transport {
        func start(
            _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
        ) -> @Sendable () -> Void {
            return {}
        }
    }

    @Test func aCancelledCallThrowsCancelled() async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = ReorderClient(storage: folder, transport: SilentNetwork())
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await client.list("l") }, { _ = try await client.lists() },
        ]
        for call in calls {
            let task = Task { try await call() }
            task.cancel()
            await #expect(throws: ClientError.cancelled) { try await task.value }
        }
    }

    @Test func theStatusHasTheReasonAndTheTimeOfTheLastContact() throws {
        var client = try MachineUnderTest()
        #expect(client.machine.status.problem == nil)
        #expect(client.machine.heardAt == 0)
        client.pass(seconds: 5)
        try client.refuse("/lists/l/events", status: 503, "overloaded", "Try again later.")
        #expect(
            client.machine.status.problem
                == .response(status: 503, code: "overloaded", detail: "Try again later."))
        client.pass(seconds: 1)
        try client.cut("/lists/l/events")
        #expect(client.machine.status.problem == .noResponse)
        client.pass(seconds: 2)
        try client.openStream()
        #expect(client.machine.status.problem == nil)
        let id = try #require(client.requests.first).id
        client.update { $0.receive(.bytes(Array(": \n\n".utf8)), of: id, at: $1) }
        #expect(client.machine.heardAt == client.now)
    }

    @Test func aMissingListLeavesNoFile() async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = ScriptedServer()
        server.answer("/lists/none", .problem(404, "list_not_found"))
        let client = ReorderClient(storage: folder, transport: server)
        await #expect(throws: ClientError.listNotFound) { try await client.list("none") }
        try await client.list("l").close()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        // And perhaps its excerpt.
        #expect(files.contains("l.reorder") && files.allSatisfy { $0.hasPrefix("l.reorder") })
    }

    /// The notifications of Apple's systems, by name.
    @Test func theForegroundIsSignalled() async throws {
        let center = NotificationCenter()
        let received = Lock<[ClientSignals.Signal]>([])
        var signals: ClientSignals? = ClientSignals(center: center) { signal in
            received.withLock { $0.append(signal) }
        }
        for name in [ClientSignals.background[0]] + ClientSignals.foreground {
            center.post(name: Notification.Name(name), object: nil)
        }
        let foreground = ClientSignals.foreground.map { _ in ClientSignals.Signal.foreground }
        #expect(received.withLock { $0 } == [.background] + foreground)
        withExtendedLifetime(signals) {}
        signals = nil
        center.post(name: Notification.Name(ClientSignals.foreground[0]), object: nil)
        #expect(received.withLock { $0.count } == foreground.count + 1)
    }
}
