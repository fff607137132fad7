import GRDBSQLite
import Synchronization

/// Presents a disk to SQLite as a VFS with a name of its own.
///
/// It behaves like SQLite's VFS for Unix with its default settings. In particular, the first sync of
/// each handle of a journal or log also syncs the directory, whether the file was new or not
/// (`unixOpen`, `isNewJrnl`).
///
/// `@unchecked Sendable`: `vfs` is changed only before it is registered.
final class SimulatedVFS: @unchecked Sendable {
    let name: String
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>
    private let cName: UnsafeMutablePointer<CChar>

    private static let count = Atomic<Int>(0)

    init() {
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        name = "simulated-\(number)"
        let characters = name.utf8CString
        cName = UnsafeMutablePointer<CChar>.allocate(capacity: characters.count)
        for (index, character) in characters.enumerated() { cName[index] = character }
        vfs = .allocate(capacity: 1)
        vfs.initialize(to: sqlite3_vfs())
    }

    /// - Parameter disk: not retained. It must outlive all connections to it.
    func register(_ disk: SimulatedDisk) {
        vfs.pointee.iVersion = 1
        vfs.pointee.szOsFile = SimulatedHandle.byteCount
        vfs.pointee.mxPathname = 512
        vfs.pointee.zName = UnsafePointer(cName)
        vfs.pointee.pAppData = Unmanaged.passUnretained(disk).toOpaque()
        Self.setFunctions(of: &vfs.pointee)
        sqlite3_vfs_register(vfs, 0)
    }

    func unregister() { sqlite3_vfs_unregister(vfs) }

    deinit {
        vfs.deallocate()
        cName.deallocate()
    }

    private static func setFunctions(of vfs: inout sqlite3_vfs) {
        vfs.xOpen = { vfs, name, file, flags, outFlags in
            guard let file, let disk = disk(of: vfs) else { return SQLITE_CANTOPEN }
            file.pointee.pMethods = nil
            return result(failed: SQLITE_CANTOPEN) {
                let creates = flags & SQLITE_OPEN_CREATE != 0
                let inode = try disk.open(name.map { String(cString: $0) }, creates: creates)
                let isLog = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0
                SimulatedHandle(disk, inode, syncsDirectory: creates && isLog).store(in: file)
                outFlags?.pointee = flags
                return SQLITE_OK
            }
        }
        vfs.xDelete = { vfs, name, syncsDirectory in
            guard let name, let disk = disk(of: vfs) else { return SQLITE_IOERR }
            return result(failed: SQLiteCode.deleteFailed) {
                try disk.remove(named: String(cString: name))
                if syncsDirectory != 0 { try disk.syncNames() }
                return SQLITE_OK
            }
        }
        vfs.xAccess = { vfs, name, flags, found in
            guard let name, let disk = disk(of: vfs) else { return SQLITE_IOERR }
            return result(failed: SQLITE_IOERR) {
                // An empty file is reported as missing.
                let size = try disk.size(named: String(cString: name)) ?? 0
                found?.pointee = size > 0 ? 1 : 0
                return SQLITE_OK
            }
        }
        vfs.xFullPathname = { _, name, capacity, full in
            guard let name, let full else { return SQLITE_CANTOPEN }
            var index = 0
            while index < capacity {
                full[index] = name[index]
                if name[index] == 0 { return SQLITE_OK }
                index += 1
            }
            return SQLITE_CANTOPEN
        }
        vfs.xRandomness = { _, count, bytes in
            for index in 0..<Int(count) { bytes?[index] = 7 }
            return count
        }
        vfs.xSleep = { _, microseconds in microseconds }
        vfs.xCurrentTime = { _, days in
            days?.pointee = 2_460_000.5
            return SQLITE_OK
        }
        vfs.xGetLastError = { _, _, _ in 0 }
    }
}

/// Extended result codes, which Swift does not import.
enum SQLiteCode {
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let writeFailed = SQLITE_IOERR | 3 << 8
    static let syncFailed = SQLITE_IOERR | 4 << 8
    static let truncateFailed = SQLITE_IOERR | 6 << 8
    static let deleteFailed = SQLITE_IOERR | 10 << 8
    static let deleteMissing = SQLITE_IOERR | 23 << 8
}

private func disk(of vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedDisk? {
    guard let data = vfs?.pointee.pAppData else { return nil }
    return Unmanaged<SimulatedDisk>.fromOpaque(data).takeUnretainedValue()
}

/// Converts the disk's failures to result codes.
///
/// - Parameter failed: the code of the operation's own failure.
func result(failed: Int32, _ body: () throws -> Int32) -> Int32 {
    do {
        return try body()
    } catch SimulatedDisk.Failure.full {
        return SQLITE_FULL
    } catch SimulatedDisk.Failure.failed {
        return failed
    } catch SimulatedDisk.Failure.noSuchFile {
        return failed == SQLiteCode.deleteFailed ? SQLiteCode.deleteMissing : SQLITE_CANTOPEN
    } catch {
        return SQLITE_IOERR
    }
}
