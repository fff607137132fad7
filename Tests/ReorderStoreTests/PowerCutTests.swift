import RandomRuns
import ReorderStore
import SimulatedDisk
import Testing

@testable import SQLiteStore

/// The file store on a simulated disk, with power cuts, killed processes, failing writes and syncs,
/// and a full disk. `DiskRun` checks what must hold.
@Suite
struct PowerCutTests {
    // MARK: Random runs

    /// Many short runs, because a run ends at its first failure.
    @Test func acknowledgedChangesRemainAfterAnyFault() throws {
        try repeated(percent: 80) { seed in
            let run = try DiskRun.random(seed: seed)
            #expect(run.actions >= 60)
        }
    }

    @Test func acknowledgedChangesRemainOnAFullDisk() throws {
        var refusedAppends = 0
        try repeated(percent: 20) { seed in
            refusedAppends += try DiskRun.filled(seed: seed).refusedAppends
        }
        // About every fourth run has none.
        if RandomRun.operations(2_400) >= 2_400 { #expect(refusedAppends > 0) }
    }

    private func repeated(percent: Int, _ run: (_ seed: UInt64) throws -> Void) throws {
        let count = max(1, RandomRun.operations(2_400, percent: percent) / 60)
        for number in 0..<UInt64(count) {
            let seed = RandomRun.seed &+ number
            do {
                try run(seed)
            } catch {
                Issue.record("seed \(seed): \(error)")
                break
            }
        }
    }

    // MARK: Each operation of a short run

    @Test func aPowerCutAtAnyOperationLosesNothing() throws {
        try expectSafe(.powerCut, everyOperation: 1)
    }

    /// A different quarter of the operations with each seed.
    @Test func aKillAtAnyOperationLosesNothing() throws {
        try expectSafe(.kill, everyOperation: 4)
    }

    /// Sweeps a quarter of that if the number of operations is limited.
    private func expectSafe(_ kind: SimulatedDisk.Stop, everyOperation step: Int) throws {
        let step = RandomRun.operations() < 200_000 ? 4 * step : step
        var number = 1 + Int(RandomRun.seed % UInt64(step))
        while true {
            let run: DiskRun
            do {
                run = try DiskRun.short(
                    kind, atOperation: number, seed: RandomRun.seed &+ UInt64(number))
            } catch {
                Issue.record("operation \(number), REORDERD_SEED=\(RandomRun.seed): \(error)")
                return
            }
            if run.restarts == 0 { break }
            number += step
        }
        #expect(number > 400)
    }

    /// A new store is killed while it is created, and the power fails while the next process opens it.
    @Test func aCreationThatIsInterruptedTwiceLeavesAUsableStore() throws {
        var generator = SeededGenerator(seed: RandomRun.seed)
        for _ in 0..<RandomRun.operations(20_000) / 100 {
            let seed = generator.next()
            let disk = SimulatedDisk(seed: seed)
            let (first, second) = (1 + generator.below(40), 1 + generator.below(80))
            for (kind, number) in [(SimulatedDisk.Stop.kill, first), (.powerCut, second)] {
                disk.stop(kind, atOperation: number)
                try? open(disk).close()
                disk.restart(after: kind)
            }
            do {
                let store = try open(disk)
                try store.append([.exists("a", 1, snapshot: true)])
                try store.close()
            } catch {
                Issue.record(
                    "REORDERD_SEED=\(RandomRun.seed), operations \(first) and \(second): \(error)")
                return
            }
        }
    }

    // MARK: Faults that lost acknowledged changes once

    /// The commit is in the log, but not synced. It may be stored, but what a reader has seen must
    /// remain.
    @Test func whatIsReadAfterAKillIsDurable() throws {
        var found: Set<Int> = []
        for number in 1...20 {
            let disk = SimulatedDisk(seed: UInt64(number))
            var store = try open(disk)
            try store.append([.exists("a", 1, snapshot: true)])
            disk.stop(.kill, atOperation: number)
            try? store.append([.exists("a", 2)])
            disk.restart(after: .kill)
            try? store.close()
            store = try open(disk)
            let version = try #require(try store.load("a")?.version)
            found.insert(version)
            disk.restart(after: .powerCut)
            try? store.close()
            store = try open(disk)
            try #expect(store.load("a")?.version == version, "operation \(number)")
            try store.close()
        }
        #expect(found == [1, 2])
    }

    /// After a failed sync, the operating system regards what it has not written as written.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func changesAfterAFailedSyncAndARestartAreDurable(seed: UInt64) throws {
        let disk = SimulatedDisk(seed: seed)
        var store = try open(disk)
        try store.append([.exists("a", 1, snapshot: true)])
        disk.fail(.sync)
        expectLost { () throws(StoreError) in try store.append([.exists("a", 2)]) }
        expectLost { () throws(StoreError) in try store.append([.exists("a", 2)]) }
        disk.restart(after: .kill)
        try? store.close()
        store = try open(disk)
        let version = try #require(try store.load("a")?.version)
        try store.append([.exists("a", version + 1)])
        disk.restart(after: .powerCut)
        try? store.close()
        store = try open(disk)
        try #expect(store.load("a")?.version == version + 1)
        try store.close()
    }

    /// Parts of the log may be missing on the disk.
    @Test func theLogIsNotCopiedAfterAFailedSync() throws {
        let disk = SimulatedDisk(seed: 1)
        var store: SQLiteListStore? = try open(disk)
        try store?.append([.exists("a", 1, snapshot: true)])
        disk.fail(.sync)
        expectLost { () throws(StoreError) in try store?.append([.exists("a", 2)]) }
        let sizes = disk.sizes
        try store?.close()
        store = nil
        #expect(disk.sizes == sizes)
    }

    /// SQLite ignores a failed sync in an automatic checkpoint. If another program's reader let an
    /// earlier checkpoint copy only a part of the log, that part can be lost.
    @Test(arguments: 1...30)
    func eachFailedSyncIsReported(number: Int) throws {
        let disk = SimulatedDisk(seed: 1)
        let store = try open(disk, logBytes: 30_000)
        try store.append([.exists("a", 1, snapshot: true)])
        disk.fail(.sync, number: number)
        // Each append has a sync of the log; some copy the log too.
        expectLost { () throws(StoreError) in
            for version in 2...32 { try store.append([.exists("a", version)]) }
        }
        #expect(disk.failures == 1)
        disk.restart(after: .kill)
        try? store.close()
    }

    private func open(_ disk: SimulatedDisk, logBytes: Int = 1 << 20) throws -> SQLiteListStore {
        try SQLiteListStore(path: DiskRun.path, readers: 1, logBytes: logBytes, files: disk)
    }

    private func expectLost(_ body: () throws(StoreError) -> Void) {
        do {
            try body()
            Issue.record("no error")
        } catch {
            if case .lost = error { return }
            Issue.record(error)
        }
    }
}
