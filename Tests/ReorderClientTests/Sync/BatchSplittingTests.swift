import Testing

@testable import ReorderClient

/// How the client handles a batch that the server rejects as a whole.
@Suite struct BatchSplittingTests {
    private static let batch = MachineUnderTest.batch

    @Test func theStepsBeforeTheFaultyOneAreSentThenItIsFirst() throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1", "o2", "o3", "o4"])
        try client.refuse(Self.batch, status: 422, "invalid_body", pointer: "/steps/2/0/title")
        #expect(client.batch == ["o0", "o1"])
        try client.answerBatch()
        #expect(client.batch == ["o2", "o3", "o4"])
        try client.refuse(Self.batch, status: 422, "invalid_body", pointer: "/steps/0")
        #expect(client.refused.map(\.tasks) == [["o2"]])
        #expect(client.refused.map(\.code) == ["invalid_body"])
        #expect(client.batch == ["o3", "o4"])
        try client.answerBatch()
        #expect(client.machine.isSettled && client.refused.count == 1)
    }

    @Test(arguments: [413, 400, 422])
    func aRejectedBatchWithoutAPointerIsHalvedUntilOneStepIsLeft(status: Int) throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1", "o2", "o3", "o4"])
        var sizes: [Int] = []
        var done: [String] = []
        while let batch = client.batch {
            sizes.append(batch.count)
            if batch.contains("o3") {
                try client.refuse(Self.batch, status: status, "body_too_large")
            } else {
                done += batch
                try client.answerBatch()
            }
        }
        #expect(sizes == [5, 3, 2, 1, 1])
        #expect(done == ["o0", "o1", "o2", "o4"])
        #expect(client.refused.map(\.tasks) == [["o3"]])
        #expect(client.machine.isSettled)
    }

    /// A proxy's limit is smaller than the server's: one step is as small as it gets, and waits.
    @Test func aProxyThatRejectsTheSizeRefusesNothing() throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1", "o2"])
        var sizes: [Int] = []
        while let batch = client.batch {
            sizes.append(batch.count)
            try client.answer(Self.batch, status: 413, body: "<html>Too large</html>")
        }
        #expect(sizes == [3, 2, 1])
        #expect(client.refused.isEmpty && client.machine.status.pending == 3)
        client.pass(seconds: 1)
        #expect(client.batch == ["o0"])
        try client.answerBatch()
        #expect(client.batch == ["o1", "o2"])
    }

    @Test func aBatchIsSplitEvenIfThePointerIsPastItsEnd() throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1"])
        try client.refuse(Self.batch, status: 422, "invalid_body", pointer: "/steps/7")
        #expect(client.batch == ["o0"])
    }

    @Test func aRefusedOperationDoesNotAffectTheOthers() throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1", "o2"])
        try client.answer(
            Self.batch,
            body: #"{"version":4,"results":[{"status":201},{"status":409,"problem":"#
                + #"{"status":409,"code":"id_taken","detail":"No."}},{"status":201}]}"#)
        #expect(client.refused.map(\.tasks) == [["o1"]])
        #expect(client.refused.map(\.code) == ["id_taken"])
        // At once, although the changes have not arrived.
        #expect(client.machine.isSettled)
        #expect(client.machine.local?.displayed.tasks.map(\.id) == ["a", "b", "c", "o0", "o2"])
    }
}
