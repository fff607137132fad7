import Foundation
import SQLiteStore
import Testing

/// The files that a store and its backups write.
@Suite struct BackupFileTests {
    /// A backup is as private as its source.
    @Test(arguments: [0o600, 0o640])
    func aBackupHasThePermissionsOfItsSource(mode: Int) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("store.db").path
            let store = try SQLiteListStore(path: path)
            defer { try? store.close() }
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            try SQLiteBackup.copy(from: path, to: path + ".copy") { _, _ in }
            let attributes = try FileManager.default.attributesOfItem(atPath: path + ".copy")
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
    }

    /// After a failed sync, the kernel may consider data written that is not on the disk.
    @Test func aFileIsWrittenAgain() throws {
        try withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("file")
            let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
            try bytes.write(to: file)
            let past = Date(timeIntervalSince1970: 1_000_000)
            try FileManager.default.setAttributes(
                [.modificationDate: past], ofItemAtPath: file.path)
            try POSIXFileSystem().rewrite(file.path)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.modificationDate] as? Date != past)
            #expect(try Data(contentsOf: file) == bytes)
        }
    }
}
