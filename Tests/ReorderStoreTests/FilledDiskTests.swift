import GRDB
import ReorderStore
import SimulatedDisk
import Testing

@testable import SQLiteStore

/// The store itself has filled the disk.
@Suite struct FilledDiskTests {
    /// A change and a snapshot of a list take 1 % of the disk each.
    private static let listBytes = 40_000

    private func open(_ disk: SimulatedDisk) throws -> SQLiteListStore {
        let store = try SQLiteListStore(path: DiskRun.path, readers: 1, files: disk)
        _ = try store.prepareToServe()
        return store
    }

    private func create(
        _ list: String, bytes: Int = listBytes, in store: SQLiteListStore
    ) throws(StoreError) {
        let bytes = [UInt8](repeating: 7, count: bytes)
        try store.append([
            ListCommit(
                list: list, version: 1, at: 0, change: bytes, snapshot: bytes,
                stateAfter: .exists(title: "", count: 1, open: 0),
                insertedTasks: ["task of \(list)"])
        ])
    }

    /// Creates lists until the disk is full.
    private func fill(_ store: SQLiteListStore) throws -> [String] {
        var lists: [String] = []
        var refusals = 0
        // A refused append can make space for the next one.
        while refusals < 5 {
            let list = "list-\(lists.count)"
            do throws(StoreError) {
                try create(list, in: store)
                lists.append(list)
                refusals = 0
            } catch {
                guard case .unavailable = error else { throw error }
                refusals += 1
            }
            try #require(lists.count < 1_000, "the disk does not fill")
        }
        return lists
    }

    @Test(arguments: [SimulatedDisk.Stop.kill, .powerCut, nil], 1...3 as ClosedRange<UInt64>)
    func listsCanBeReadAndDeletedAfterARestart(stop: SimulatedDisk.Stop?, seed: UInt64) throws {
        let disk = SimulatedDisk(seed: seed)
        disk.setCapacity(8 << 20)
        var store = try open(disk)
        let lists = try fill(store)
        #expect(lists.count > 20)
        if let stop {
            disk.restart(after: stop)
            try? store.close()
        } else {
            try store.close()
        }
        store = try open(disk)
        for list in lists {
            let content = try #require(try store.load(list)?.content)
            #expect(content.snapshot.count == Self.listBytes)
        }
        // Half of the lists make room for an eighth: their changes remain until they are pruned.
        let deleted = lists.prefix(lists.count / 2)
        for list in deleted {
            // The service's probe, which tells whether the store accepts content again, can be in the same append.
            let key = StoredResponseKey(.list, of: ".", "probe-\(list)")
            let probe = StoredResponse(key: key, at: 0, expires: 1, bytes: [])
            try store.append([.deleted(list, 2)], responses: [probe])
        }
        for number in 0..<(deleted.count / 4) { try create("new-\(number)", in: store) }
        while try store.pruneChanges(olderThan: .max, keepingLast: 1, limit: 256) {}
        for number in 0..<(deleted.count / 4) { try create("newer-\(number)", in: store) }
        try store.close()
    }

    /// Without the reserve, nothing could be deleted later.
    @Test func contentDoesNotUseTheReserve() throws {
        let disk = SimulatedDisk(seed: 1)
        disk.setCapacity(8 << 20)
        let store = try open(disk)
        try create("a", in: store)
        // The log can be emptied, and then there is space for the reserve, or for the next list.
        let left = store.reserve.byteCount / 4 + (64 << 10)
        disk.setOtherBytes((disk.space(in: SimulatedDisk.directory)?.free ?? 0) - left)
        #expect(throws: StoreError.self) { try create("b", bytes: left, in: store) }
        #expect(store.reserve.isHeld)
        try store.append([.deleted("a", 2)])
        try create("b", in: store)
        try store.close()
    }

    /// Opening a file can need space: here, the name of its first epoch is written.
    @Test func aStoreIsOpenedOnAFullDisk() throws {
        let disk = SimulatedDisk(seed: 1)
        disk.setCapacity(8 << 20)
        try open(disk).close()
        let queue = try DatabaseQueue(path: disk.databaseName(DiskRun.path))
        try queue.inDatabase { try $0.execute(sql: "UPDATE origin SET epoch = NULL") }
        try queue.close()
        disk.setOtherBytes(disk.space(in: SimulatedDisk.directory)?.free ?? 0)
        let store = try open(disk)
        let epoch = store.epoch
        try store.close()
        try #expect(open(disk).epoch == epoch)
    }

    /// The retention worker goes on when other programs have filled the disk.
    @Test func expiredResponsesAreRemovedAndTheTimeIsKept() throws {
        let disk = SimulatedDisk(seed: 1)
        disk.setCapacity(8 << 20)
        var store = try open(disk)
        let responses = (0..<600).map { number in
            StoredResponse(
                key: StoredResponseKey(.list, of: "a", "\(number)"), at: 0, expires: 1,
                bytes: [UInt8](repeating: 7, count: 2_000))
        }
        for response in responses { try store.append([], responses: [response]) }
        // The next log is empty, and can't grow.
        try store.close()
        store = try open(disk)
        disk.setOtherBytes(disk.space(in: SimulatedDisk.directory)?.free ?? 0)
        try store.keep(trustedTime: 2)
        while try store.removeResponses(expiredAt: 2, limit: 256) {}
        try #expect(store.responses(to: responses.map(\.key)).isEmpty)
        try store.close()
        store = try open(disk)
        #expect(store.trustedTime == 2)
        try store.close()
    }
}
