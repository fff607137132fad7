import Testing

@testable import ReorderClient

/// How the client handles a batch that the server rejects as a whole.
@Suite struct BatchSplittingTests {
    private func problem(_ code: String, pointer: String? = nil) -> String {
        let pointer = pointer.map { #","pointer":"\#($0)""# } ?? ""
        return #"{"code":"\#(code)","detail":"No."\#(pointer)}"#
    }

    @Test func theOperationsBeforeTheFaultyOneAreSentThenItIsFirst() throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1", "o2", "o3", "o4"])
        try client.answer(
            MachineUnderTest.batch, status: 422,
            body: problem("invalid_body", pointer: "/ops/2/title"))
        #expect(client.batch == ["o0", "o1"])
        try client.answerBatch()
        #expect(client.batch == ["o2", "o3", "o4"])
        try client.answer(
            MachineUnderTest.batch, status: 422, body: problem("invalid_body", pointer: "/ops/0"))
        #expect(client.refused.map(\.tasks) == [["o2"]])
        #expect(client.refused.map(\.code) == ["invalid_body"])
        #expect(client.batch == ["o3", "o4"])
        try client.answerBatch()
        #expect(client.machine.local?.pending.isEmpty == true)
        #expect(client.refused.count == 1)
    }

    @Test(arguments: [413, 400, 415, 422])
    func aRejectedBatchWithoutAPointerIsHalvedUntilOneOperationIsLeft(status: Int) throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1", "o2", "o3", "o4"])
        var sizes: [Int] = []
        var done: [String] = []
        while let batch = client.batch {
            sizes.append(batch.count)
            if batch.contains("o3") {
                try client.answer(
                    MachineUnderTest.batch, status: status, body: problem("body_too_large"))
            } else {
                done += batch
                try client.answerBatch()
            }
        }
        #expect(sizes == [5, 2, 3, 1, 2, 1, 1])
        #expect(done == ["o0", "o1", "o2", "o4"])
        #expect(client.refused.map(\.tasks) == [["o3"]])
        #expect(client.machine.local?.pending.isEmpty == true)
    }

    @Test func aBatchIsSplitEvenIfThePointerIsPastItsEnd() throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1"])
        try client.answer(
            MachineUnderTest.batch, status: 422, body: problem("invalid_body", pointer: "/ops/7"))
        #expect(client.batch == ["o0"])
    }

    @Test func aDeletedListRefusesTheWholeBatch() throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1"])
        try client.answer(
            MachineUnderTest.batch, status: 404, body: problem("list_not_found"))
        #expect(client.refused.map(\.code) == ["list_not_found", "list_not_found"])
        #expect(client.machine.local?.pending.isEmpty == true)
        #expect(client.request("/lists/l") != nil)
    }

    @Test func aRefusedOperationDoesNotAffectTheOthers() throws {
        var client = try MachineUnderTest()
        client.make(["o0", "o1", "o2"])
        try client.answer(
            MachineUnderTest.batch,
            body: #"{"version":3,"results":[{"status":201},{"status":409,"problem":"#
                + problem("id_taken") + #"},{"status":201}]}"#)
        #expect(client.refused.map(\.tasks) == [["o1"]])
        #expect(client.refused.map(\.code) == ["id_taken"])
        #expect(client.machine.local?.pending.isEmpty == true)
    }
}
