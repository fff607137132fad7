import Foundation
import RandomRuns
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

@Suite struct OutboxTests {
    private static let records: [OutboxRecord] = [
        .client("me"), .document(Array(#"{"id":"l","title":"ä","version":1,"tasks":[]}"#.utf8)),
        .operation(Array(repeating: 7, count: 300)), .sent(count: 70_000, isInBase: true),
        .change([]), .settled(count: 1), .refused(Array("{}".utf8)), .allAcknowledged,
        .acknowledged("ö"), .answered("ü", version: 70_000_000_000), .unanswered(count: 2),
        .removed("é"), .discarded,
    ]

    @Test func aFileTruncatedAtAnyByteYieldsTheCompleteRecords() {
        var file = OutboxRecord.fileHeader
        var ends: [Int] = [file.count]
        for record in Self.records {
            file += record.bytes
            ends.append(file.count)
        }
        for length in 0...file.count {
            let (records, end) = OutboxRecord.read(Array(file.prefix(length)))
            let whole = ends.lastIndex { $0 <= length } ?? 0
            #expect(records == Array(Self.records.prefix(whole)), "cut at \(length)")
            #expect(end == (length < ends[0] ? 0 : ends[whole]), "cut at \(length)")
        }
    }

    @Test func readingStopsAtAFlippedBit() {
        var file = OutboxRecord.fileHeader
        for record in Self.records { file += record.bytes }
        for position in OutboxRecord.fileHeader.count..<file.count {
            var damaged = file
            damaged[position] ^= 0x10
            let (records, _) = OutboxRecord.read(damaged)
            #expect(records.count < Self.records.count, "byte \(position)")
            #expect(records == Array(Self.records.prefix(records.count)), "byte \(position)")
        }
    }

    /// A machine's storage, with its content after each of a few operations.
    private func history() throws -> (storage: MemoryStorage, states: [(end: Int, Snapshot)]) {
        let storage = MemoryStorage()
        var machine = try machine(storage)
        var states: [(end: Int, Snapshot)] = []
        func note() { states.append((storage.bytes.count, Snapshot(machine))) }
        note()
        machine.advance(to: 0)
        let json =
            #"{"id":"l","title":"","version":3,"tasks":[{"id":"a","title":""},{"id":"b","title":""}]}"#
        machine.receive(.head(status: 200, headers: [:]), of: 1, at: 0)
        machine.receive(.bytes(Array(json.utf8)), of: 1, at: 0)
        machine.receive(.end(isComplete: true), of: 1, at: 0)
        note()
        // Nothing is sent, so each operation is one record.
        machine.writing = .waiting(until: .infinity)
        for number in 0..<6 {
            let command = Command.create(
                TaskContent(id: "c\(number)", title: "é"), at: .init(after: "a"))
            #expect(try machine.perform([command], id: "o\(number)", at: 0) != nil)
            note()
        }
        return (storage, states)
    }

    private func machine(_ storage: MemoryStorage) throws -> SyncMachine {
        try SyncMachine(
            list: "l", storage: storage, newClient: "me", random: SeededGenerator(seed: 1))
    }

    private struct Snapshot: Equatable {
        var tasks: [TaskID]
        var pending: [String]
        var version: Int

        init(_ machine: SyncMachine) {
            tasks = machine.local?.displayed.tasks.map(\.id) ?? []
            pending = machine.local?.pending.map(\.id) ?? []
            version = machine.local?.version ?? 0
        }
    }

    @Test func aMachineRestartedFromAnyPrefixContinuesFromTheCompleteRecords() throws {
        let (storage, states) = try history()
        let file = storage.bytes
        for length in 0...file.count {
            let restored = try machine(MemoryStorage(Array(file.prefix(length))))
            let expected = states.last { $0.end <= length }?.1 ?? states[0].1
            #expect(Snapshot(restored) == expected, "cut at \(length)")
            // The next operation is appended after the complete records and survives another
            // restart.
            guard restored.local != nil else { continue }
            let second = MemoryStorage(Array(file.prefix(length)))
            var going = try machine(second)
            let next = TaskContent(id: "next", title: "")
            try going.perform([.create(next, at: Destination())], id: "next", at: 0)
            #expect(Snapshot(try machine(second)) == Snapshot(going), "cut at \(length)")
        }
    }

    @Test func anOperationThatCannotBeStoredIsNotApplied() throws {
        let (storage, _) = try history()
        var machine = try machine(storage)
        let before = Snapshot(machine)
        storage.isFull = true
        #expect(throws: ClientError.self) {
            try machine.perform([.delete("a")], id: "x", at: 0)
        }
        #expect(Snapshot(machine) == before)
        storage.isFull = false
        #expect(try machine.perform([.delete("a")], id: "x", at: 0) != nil)
        #expect(Snapshot(try self.machine(storage)) == Snapshot(machine))
    }

    @Test func aFileReturnsTheBytesWrittenToIt() throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "outbox-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try OutboxFile(url)
        try file.append([1, 2, 3])
        try file.append([4])
        try file.cut(to: 2)
        try file.append([5])
        try file.sync()
        #expect(try file.read() == [1, 2, 5])
        // The file is locked: two clients with one file would each send its operations.
        #expect(throws: DeviceFileError.self) { try OutboxFile(url) }
        try file.prepare([9])
        try file.append([6])
        try file.replace(keepingFrom: 3)
        try file.append([8])
        try file.sync()
        #expect(throws: DeviceFileError.self) { try OutboxFile(url) }
        try file.prepare([7])
        #expect(try openFiles(url) == 2)
        file.close(isWorthless: false)
        #expect(try openFiles(url) == 0)
        let again = try OutboxFile(url)
        #expect(try again.read() == [9, 6, 8])
        again.close(isWorthless: true)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    /// The number of this process's descriptors of a file, or of another one whose name begins like that.
    private func openFiles(_ url: URL) throws -> Int {
        let (manager, folder) = (FileManager.default, "/proc/self/fd/")
        return try manager.contentsOfDirectory(atPath: folder).count { name in
            let target = try? manager.destinationOfSymbolicLink(atPath: folder + name)
            return target?.hasPrefix(url.path) ?? false
        }
    }

    @Test func aFileOfMostlyHistoryIsRewritten() throws {
        let storage = MemoryStorage()
        var machine = try machine(storage)
        machine.begin(
            with: LocalList(
                base: ReorderableList(settings: ListSettings(title: "")),
                at: SyncPoint(version: 1)))
        machine.appendRecord(
            .document(ListDocument.json(id: "l", version: 1, of: .init(settings: .init(title: ""))))
        )
        for version in 2..<5_000 {
            let operation: ListOperation =
                version % 2 == 0
                ? .insert(
                    ListTask(
                        content: TaskContent(id: "t", title: String(repeating: "x", count: 200)),
                        placement: Placement(section: nil, parent: nil, position: 0, row: nil),
                        depth: 0, subtasks: 0))
                : .delete(task: "t")
            machine.take([
                ChangeDocument(version: version, at: Date(), client: nil, operations: [operation])
            ])
            for case .rewriteFile in machine.takeEffects() { machine.rewriteFile() }
        }
        #expect(machine.local?.version == 4_999)
        #expect(storage.bytes.count < 600_000)
        #expect(try self.machine(storage).local?.version == 4_999)
    }
}
