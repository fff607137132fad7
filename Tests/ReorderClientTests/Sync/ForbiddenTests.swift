import ReorderEngine
import Testing

@testable import ReorderClient

/// A token that the server does not accept for changes: everything waits for another one.
@Suite struct ForbiddenTests {
    @Test(arguments: [(401, "unauthorized"), (403, "forbidden"), (403, "something_new")])
    func theOperationsWaitForAnotherToken(status: Int, code: String) throws {
        var client = try MachineUnderTest()
        try client.openStream()
        client.make(["x", "y"])
        let detail = "The token's scope does not include write."
        try client.refuse(MachineUnderTest.batch, status: status, code, detail)
        #expect(client.refused.isEmpty)
        let state = client.machine.status
        #expect(state.connection == .unauthorized && state.pending == 2)
        #expect(state.problem == .response(status: status, code: code, detail: detail))
        #expect(client.machine.local?.displayed.tasks.map(\.id) == ["a", "b", "c", "x", "y"])
        // Reading goes on, and does not hide it.
        try client.receive(
            "change",
            #"{"version":4,"at":"2025-01-01T00:00:00Z","ops":[{"op":"delete","task":"a"}]}"#)
        #expect(client.machine.status.connection == .unauthorized)
        client.update { $0.retryNow(at: $1) }
        #expect(client.batch == ["x", "y"])
        try client.answerBatch()
        let after = client.machine.status
        #expect(after.connection == .online && after.pending == 0 && after.problem == nil)
    }

    /// For example the page of a hotel's network.
    @Test func aResponseOfAnotherServerRefusesNothing() throws {
        var client = try MachineUnderTest()
        try client.openStream()
        client.make(["x"])
        try client.answer(MachineUnderTest.batch, status: 403, body: "<html>Pay first</html>")
        #expect(client.refused.isEmpty && client.machine.status.connection == .online)
        #expect(client.machine.local?.waiting.count == 1)
    }
}
