import ReorderAuth
import ReorderEngine
import ReorderService
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

    /// A phone with a table view, whose requests are recorded, and a tablet.
    private func twoDevices(of server: ServerUnderTest) async throws -> (
        network: RecordingTransport, list: LiveList, pad: LiveList, display: RowDisplay
    ) {
        let network = RecordingTransport(server.transport)
        let list = try await open(server.client("phone", over: network))
        let pad = try await open(server.client("pad"))
        return (network, list, pad, display(list))
    }

    @Test func othersSeeTheRowUntilItIsDropped() async throws {
        try await withServer { server in
            let (network, list, pad, display) = try await twoDevices(of: server)
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

    @Test func othersSeeWhoDrags() async throws {
        let line = try TokenLine(
            name: "Anna", digest: TokenDigest(of: Array("one".utf8)),
            grants: [GrantForm(.write, nil)])
        let control = AccessControl(tokens: try TokenTable(line.json))
        try await withServer(access: control, overSockets: true) { server in
            let network = TokenTransport(transport: server.transport) { "one" }
            let phone = display(try await open(server.client("phone", over: network)))
            let pad = try await open(server.client("pad", over: network))
            #expect(phone.lift("a", leavesBlank: true))
            try await eventually { pad.row("a")?.draggedBy == "Anna" }
            #expect(display(pad).row("a")?.draggedBy == "Anna" && pad.row("b")?.draggedBy == nil)
            phone.cancel()
            try await eventually { pad.row("a")?.isDraggedByOthers == false }
            #expect(pad.row("a")?.draggedBy == nil)
        }
    }

    @Test func othersSeeThatADragIsCancelled() async throws {
        try await withServer { server in
            let (network, _, pad, display) = try await twoDevices(of: server)
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
            let (_, _, pad, display) = try await twoDevices(of: server)
            #expect(display.lift("a", leavesBlank: true))
            try await eventually { pad.row("a")?.isDraggedByOthers == true }
            let drag = try #require(pad.synced?.runner.read { $0.drags.keys.first })
            _ = await pad.client.answer(
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
