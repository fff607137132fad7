import ReorderStore

/// Prevents a second process (and a second store in this process) from opening the same file.
///
/// It is a `flock` on a separate file beside the database, and one on the database. The kernel
/// releases both when the process ends for any reason.
///
/// - The separate file keeps its name if the database is replaced by another file. It is never
///   removed: otherwise another process could lock a file that no longer has a name.
/// - The lock on the database also covers its other names (hard links). Its descriptor stays open as
///   long as SQLite uses the database: closing it would release SQLite's own locks.
final class StoreLock: Sendable {
    private let locked: [any StoreFile]

    /// - Parameter hasDatabase: whether the database is locked too, and created if it does not exist.
    init(
        databasePath: String, hasDatabase: Bool = true, in files: any FileSystem
    ) throws(StoreError) {
        var locked: [any StoreFile] = []
        do throws(FileError) {
            for path in [databasePath + ".lock"] + (hasDatabase ? [databasePath] : []) {
                let file = try files.open(path, mode: 0o644, like: databasePath)
                guard try file.lock() else {
                    throw FileError(description: "\(databasePath) is in use by another process")
                }
                locked.append(file)
            }
        } catch {
            throw .refused(reason: error.description)
        }
        self.locked = locked
    }

    func release() { for file in locked { file.close() } }
}
