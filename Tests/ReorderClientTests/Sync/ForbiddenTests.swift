import ReorderEngine
import Testing

@testable import ReorderClient

/// Batches to which the server responds with 403.
@Suite struct ForbiddenTests {
    private let problem =
        #"{"code":"forbidden","detail":"The token's scope does not include write."}"#

    @Test func aTokenThatMayOnlyReadRefusesTheOperations() throws {
        var client = try MachineUnderTest()
        client.make(["x", "y"])
        try client.answer(MachineUnderTest.batch, status: 403, body: problem)
        #expect(client.refused.map(\.code) == ["forbidden", "forbidden"])
        #expect(client.refused.first?.detail == "The token's scope does not include write.")
        #expect(client.machine.local?.pending.isEmpty == true)
        #expect(client.machine.local?.displayed.tasks.map(\.id) == ["a", "b", "c"])
        #expect(client.machine.connection != .unauthorized)
    }

    /// For example the page of a hotel's network.
    @Test func aResponseOfAnotherServerRefusesNothing() throws {
        var client = try MachineUnderTest()
        client.make(["x"])
        try client.answer(MachineUnderTest.batch, status: 403, body: "<html>Pay first</html>")
        #expect(client.refused.isEmpty)
        #expect(client.machine.local?.pending.count == 1)
    }
}
