import RandomRuns
import Testing

@testable import ReorderEngine

@Suite struct IDKeyTests {
    private func key(_ id: String) -> IDKey { Array(id.utf8).withUnsafeBufferPointer { IDKey($0) } }

    private let uuid = "018f3c5e-7b1a-7c3d-9e2f-0123456789ab"

    @Test func aUUIDIsKeptWholeInEitherCase() {
        #expect(key(uuid).isWholeID)
        #expect(key(uuid.uppercased()).isWholeID)
        #expect(key(uuid) == key(uuid))
        #expect(key(uuid) != key(uuid.uppercased()))
        #expect(key(uuid).hash != key(uuid.uppercased()).hash)
    }

    @Test(arguments: [
        "", "milk", "018f3c5e-7b1a-7c3d-9e2f-0123456789a", "018f3c5e-7b1a-7c3d-9e2f-0123456789abc",
        // Of both cases, of another variant, with another dash, and with what is no digit.
        "018f3c5e-7b1a-7c3d-9e2f-0123456789aB", "018f3c5e-7b1a-7c3d-1e2f-0123456789ab",
        "018f3c5e-7b1a-7c3d-ce2f-0123456789ab", "00000000-0000-0000-0000-000000000000",
        "018f3c5e_7b1a-7c3d-9e2f-0123456789ab", "018f3c5e-7b1a-7c3d-9e2f0-123456789ab",
        "018f3c5e-7b1a-7c3d-9e2f-0123456789ag", "018f3c5e-7b1a-7c3d-9e2f-0123456789a:",
        "018f3c5e-7b1a-7c3d-9e2f-0123456789a/", "018f3c5e-7b1a-7c3d-9e2f-0123456789a@",
        "018F3C5E-7B1A-7C3D-9E2F-0123456789AG", "018f3c5e-7b1a-7c3d-9e2f-01234567é9a",
    ])
    func ofAnyOtherIdAHashIsKept(id: String) {
        #expect(!key(id).isWholeID)
        #expect(key(id) == key(id))
    }

    /// Each character alone decides whether two ids are the same.
    @Test func uuidsThatDifferInOneCharacterHaveOtherKeys() {
        var ids: [String] = [uuid]
        for place in Array(uuid).indices where Array(uuid)[place] != "-" {
            for digit in "0123456789abcdef" {
                var characters = Array(uuid)
                characters[place] = digit
                ids.append(String(characters))
            }
        }
        let all = Set(ids)
        #expect(all.count == 1 + 32 * 15)
        let keys = all.map(key)
        for (index, one) in keys.enumerated() {
            #expect(!keys[..<index].contains(one))
        }
    }

    @Test func aTableTellsIdsOfAllFormsApart() {
        var random = SeededGenerator(seed: RandomRun.seed)
        let hex = Array("0123456789abcdef")
        var ids: Set<String> = []
        while ids.count < 3_000 {
            let digits = String((0..<36).map { _ in hex[Int.random(in: 0..<16, using: &random)] })
            var characters = Array(digits)
            for place in [8, 13, 18, 23] { characters[place] = "-" }
            let id = String(characters)
            ids.formUnion([id, id.uppercased(), String(id.dropLast()), "t\(ids.count)"])
        }
        var table = TaskTable()
        for (index, id) in ids.enumerated() {
            table.insert(
                NodeID(index: UInt32(index)), id: id, title: "", data: nil, done: false,
                locked: false)
        }
        #expect(table.checkInvariants() == nil)
        for (index, id) in ids.enumerated() {
            #expect(table.node(for: id) == NodeID(index: UInt32(index)), "seed \(RandomRun.seed)")
            if index % 2 == 0 { table.remove(NodeID(index: UInt32(index))) }
        }
        for (index, id) in ids.enumerated() {
            let expected = index % 2 == 0 ? nil : NodeID(index: UInt32(index))
            #expect(table.node(for: id) == expected, "seed \(RandomRun.seed)")
        }
        #expect(table.checkInvariants() == nil)
    }
}
