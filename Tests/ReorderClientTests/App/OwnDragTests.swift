import ReorderEngine
import Synchronization
import Testing

@testable import ReorderClient

/// What other people see of the drags in a table view of this device.
@MainActor @Suite struct OwnDragTests {
    private func open(_ client: ReorderClient) async throws -> LiveList {
        let list = ReorderStore(client: client).list("l")
        try await eventually { list.isLoaded && list.phase == .online }
        return list
    }

    private func display(_ list: LiveList) -> RowDisplay {
        let display = RowDisplay(list)
        display.start { _ in }
        return display
    }

    @Test func othersSeeTheRowUntilItIsDropped() async throws {
        try await withServer { server in
            let network = RecordingTransport(server.transport)
            let list = try await open(server.client("phone", over: network))
            let pad = try await open(server.client("pad"))
            let display = display(list)
            #expect(display.lift("a", leavesBlank: true))
            try await eventually { pad.row("a")?.isDraggedByOthers == true }
            #expect(list.row("a")?.isDraggedByOthers == false)
            display.hover(at: RowPath(row: 2, section: 0), deeper: 0)
            try await eventually {
                network.sent.contains {
                    $0.hasPrefix("PATCH /drags/") && $0.contains(#""after":"c""#)
                }
            }
            display.drop()
            try await eventually {
                pad.rows.map(\.id) == ["b", "c", "a"]
                    && !pad.rows.contains(where: \.isDraggedByOthers)
            }
            #expect(network.hasSent("DELETE /drags/"))
        }
    }

    @Test func othersSeeThatADragIsCancelled() async throws {
        try await withServer { server in
            let network = RecordingTransport(server.transport)
            let list = try await open(server.client("phone", over: network))
            let pad = try await open(server.client("pad"))
            let display = display(list)
            #expect(display.lift("b", leavesBlank: false))
            try await eventually { pad.row("b")?.isDraggedByOthers == true }
            display.cancel()
            // Not only after the server's time limit.
            try await eventually { network.hasSent("DELETE /drags/") }
            try await eventually { pad.row("b")?.isDraggedByOthers == false }
            #expect(pad.rows.map(\.id) == ["a", "b", "c"])
        }
    }

    /// A finger rests for so long that the server ends the drag.
    @Test func aDragThatHasEndedBeginsAgain() async throws {
        try await withServer { server in
            let network = RecordingTransport(server.transport)
            let list = try await open(server.client("phone", over: network))
            let pad = try await open(server.client("pad"))
            let display = display(list)
            #expect(display.lift("a", leavesBlank: true))
            try await eventually { pad.row("a")?.isDraggedByOthers == true }
            let drag = try #require(pad.synced?.runner.read { $0.drags.keys.first })
            _ = try await pad.client.response(
                to: ClientRequest(method: "DELETE", target: "/drags/\(drag)"))
            try await eventually { pad.row("a")?.isDraggedByOthers == false }
            display.hover(at: RowPath(row: 1, section: 0), deeper: 0)
            try await eventually { pad.row("a")?.isDraggedByOthers == true }
            display.cancel()
            try await eventually { pad.row("a")?.isDraggedByOthers == false }
        }
    }

    @Test func aDragWithoutANetworkIsADragLikeAnyOther() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let list = try await open(server.client(over: network))
            network.isCut = true
            let display = display(list)
            #expect(display.lift("a", leavesBlank: true))
            display.hover(at: RowPath(row: 2, section: 0), deeper: 0)
            #expect(display.drop() && list.rows.map(\.id) == ["b", "c", "a"])
            #expect(list.notice == nil && list.waitingCount == 1)
        }
    }
}

/// A network that remembers the requests.
private final class RecordingTransport: Transport {
    private let base: any Transport
    private let requests = Mutex<[String]>([])

    init(_ base: any Transport) { self.base = base }

    /// The requests: method, target and body.
    var sent: [String] { requests.withLock(\.self) }

    func hasSent(_ start: String) -> Bool { sent.contains { $0.hasPrefix(start) } }

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        let body = String(decoding: request.body, as: UTF8.self)
        requests.withLock { $0.append("\(request.method) \(request.target) \(body)") }
        return base.start(request, handler)
    }
}
