import GRDB
import SimulatedDisk
import SQLiteStore
import Testing

/// The simulated disk itself: it loses what a disk may lose, and keeps what it must keep.
@Suite
struct SimulatedDiskTests {
    private static let path = SimulatedDisk.directory + "/file"

    private func write(_ text: String, to disk: SimulatedDisk) throws {
        let file = try disk.open(Self.path, mode: 0o600)
        let isWritten = Array(text.utf8).withUnsafeBytes { file.write($0) }
        try #require(isWritten)
    }

    private func read(_ count: Int, from disk: SimulatedDisk) throws -> String? {
        guard disk.size(of: Self.path) == count else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let file = try disk.open(Self.path, mode: 0o600)
        let isRead = bytes.withUnsafeMutableBytes { file.read(into: $0) }
        return isRead ? String(decoding: bytes, as: UTF8.self) : nil
    }

    @Test func aPowerCutKeepsSyncedContentAndMayKeepOrLoseTheRest() throws {
        var found: Set<String?> = []
        for seed in 0..<100 as Range<UInt64> {
            let disk = SimulatedDisk(seed: seed)
            try write("old", to: disk)
            try disk.rewrite(Self.path)
            try disk.syncDirectory(SimulatedDisk.directory)
            try write("new", to: disk)
            try #expect(read(3, from: disk) == "new")
            disk.restart(after: .powerCut)
            found.insert(try read(3, from: disk))
        }
        #expect(found == ["old", "new"])
    }

    @Test func aNameIsLostUntilItsDirectoryIsSynced() throws {
        var found: Set<Bool> = []
        for seed in 0..<100 as Range<UInt64> {
            let disk = SimulatedDisk(seed: seed)
            try write("old", to: disk)
            try disk.rewrite(Self.path)
            disk.restart(after: .powerCut)
            found.insert(disk.size(of: Self.path) != nil)
        }
        #expect(found == [true, false])
    }

    @Test func aLongWriteCanBeTorn() throws {
        let torn = try (0..<100 as Range<UInt64>).contains { seed in
            let disk = SimulatedDisk(seed: seed)
            try write(String(repeating: "a", count: 4_096), to: disk)
            try disk.rewrite(Self.path)
            try disk.syncDirectory(SimulatedDisk.directory)
            try write(String(repeating: "b", count: 4_096), to: disk)
            disk.restart(after: .powerCut)
            let text = try #require(try read(4_096, from: disk))
            // Each sector is old or new.
            let ends = stride(from: 511, to: 4_096, by: 512)
            let sectors = ends.map { Array(text.utf8)[($0 - 511)...$0] }
            try #require(sectors.allSatisfy { Set($0).count == 1 })
            return Set(text).count == 2
        }
        #expect(torn)
    }

    @Test func aKillLosesNothingButInvalidatesOpenFiles() throws {
        let disk = SimulatedDisk(seed: 1)
        let file = try disk.open(Self.path, mode: 0o600)
        #expect([1, 2].withUnsafeBytes { file.write($0) })
        disk.restart(after: .kill)
        #expect(disk.size(of: Self.path) == 16)
        #expect(![1, 2].withUnsafeBytes { file.write($0) })
    }

    @Test func aFullDiskRefusesToGrow() throws {
        let disk = SimulatedDisk(seed: 1)
        disk.setCapacity(8_192)
        let file = try disk.open(Self.path, mode: 0o600)
        #expect(!file.allocate(8_193))
        #expect(file.allocate(8_192))
        disk.setOtherBytes(4_096)
        try #expect(!disk.open(Self.path + "2", mode: 0o600).allocate(1))
    }

    @Test func theSameSeedGivesTheSameRun() throws {
        let runs = try (0..<2).map { _ in try DiskRun.random(seed: 7, actions: 30) }
        #expect(runs[0].story == runs[1].story)
        #expect(runs[0].disk.operations == runs[1].disk.operations)
    }
}
