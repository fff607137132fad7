import Foundation
import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// Buffers that grow in place: a copy for each piece or operation would make the work quadratic.
@Suite struct CopiedBytesTests {
    /// Adds pieces, and counts how often the buffer has another address afterwards.
    private func moves(_ pieces: Int, _ add: (Int) throws -> UnsafeRawPointer?) rethrows -> Int {
        var last: UnsafeRawPointer?
        var moves = 0
        for piece in 0..<pieces {
            let address = try add(piece)
            if address != last { moves += 1 }
            last = address
        }
        return moves
    }

    private func address(_ bytes: [some Any]) -> UnsafeRawPointer? {
        bytes.withUnsafeBytes { $0.baseAddress }
    }

    private func machine() throws -> SyncMachine {
        var machine = try SyncMachine(
            list: "l", storage: MemoryStorage(), newClient: "me",
            random: SeededGenerator(seed: 1))
        machine.advance(to: 0)
        return machine
    }

    private func machineWithList() throws -> SyncMachine {
        var machine = try machine()
        machine.receive(.head(status: 200, headers: [:]), of: 1, at: 0)
        let json = #"{"id":"l","title":"","version":3,"tasks":[{"id":"a","title":""}]}"#
        machine.receive(.bytes(Array(json.utf8)), of: 1, at: 0)
        machine.receive(.end(isComplete: true), of: 1, at: 0)
        return machine
    }

    @Test func aDocumentGrowsInPlace() throws {
        var machine = try machine()
        machine.receive(.head(status: 200, headers: [:]), of: 1, at: 0)
        let count = moves(2_000) { _ in
            machine.receive(.bytes(Array(repeating: 0x20, count: 512)), of: 1, at: 0)
            guard let active = machine.reading.active else { return nil }
            return address(active.answer.body)
        }
        #expect(count < 50)
    }

    @Test func anEventGrowsInPlace() throws {
        var machine = try machineWithList()
        machine.receive(
            .head(status: 200, headers: ["content-type": "text/event-stream"]), of: 2, at: 0)
        let count = moves(2_000) { _ in
            machine.receive(.bytes(Array(repeating: 0x20, count: 512)), of: 2, at: 0)
            guard let parser = machine.reading.active?.parser else { return nil }
            return address(parser.line)
        }
        #expect(count < 50)
    }

    @Test func theResponseToABatchGrowsInPlace() throws {
        var machine = try machineWithList()
        _ = try machine.perform([.delete("a")], id: "o", at: 0)
        machine.receive(.head(status: 200, headers: [:]), of: 3, at: 0)
        let count = moves(2_000) { _ in
            machine.receive(.bytes(Array(repeating: 0x20, count: 512)), of: 3, at: 0)
            guard let active = machine.writing.active else { return nil }
            return address(active.answer.body)
        }
        #expect(count < 50)
    }

    @Test func pendingOperationsGrowInPlace() throws {
        var machine = try machineWithList()
        machine.writing = .waiting(until: .infinity)
        let count = try moves(2_000) { number in
            _ = try machine.perform(
                [.update("a", TaskChanges(title: "\(number)"))], id: "\(number)", at: 0)
            return machine.local.flatMap { address($0.pending) }
        }
        #expect(count < 50)
    }

    /// The state as of the last launch, in a file of a list of this size.
    @Test func theFirstChangesAfterALaunchAreAppended() throws {
        let storage = MemoryStorage()
        let title = String(repeating: "x", count: 1_000)
        let tasks = (0..<2_000).map { #"{"id":"t\#($0)","title":"\#(title)"}"# }
        let json = #"{"id":"l","title":"","version":3,"tasks":[\#(tasks.joined(separator: ","))]}"#
        var machine = try SyncMachine(
            list: "l", storage: storage, newClient: "me", random: SeededGenerator(seed: 1))
        machine.advance(to: 0)
        machine.receive(.head(status: 200, headers: [:]), of: 1, at: 0)
        machine.receive(.bytes(Array(json.utf8)), of: 1, at: 0)
        machine.receive(.end(isComplete: true), of: 1, at: 0)
        let size = storage.bytes.count
        // Once written as received, not twice.
        #expect(size < json.utf8.count + 1_000)
        let start = storage.bytes
        machine = try SyncMachine(
            list: "l", storage: storage, newClient: "me", random: SeededGenerator(seed: 1))
        machine.advance(to: 0)
        for number in 0..<3 {
            _ = try machine.perform([.delete("t\(number)")], id: "o\(number)", at: 0)
        }
        let isAppended = storage.bytes.starts(with: start)
        #expect(isAppended)
        #expect(storage.bytes.count < size + 2_000)
    }
}
