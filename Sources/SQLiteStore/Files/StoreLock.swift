import ReorderStore

/// Prevents a second process (and a second store in this process) from opening the same file.
///
/// It is a `flock` on a separate file beside the database. The kernel releases it when the process
/// ends for any reason. The file is separate because closing a second descriptor of the database
/// would release SQLite's own locks. It is never removed: otherwise another process could lock a
/// file that no longer has a name.
final class StoreLock: Sendable {
    private let file: any StoreFile

    init(databasePath: String, in files: any FileSystem) throws(StoreError) {
        do throws(FileError) {
            file = try files.open(databasePath + ".lock", mode: 0o644)
            if try file.lock() { return }
        } catch {
            throw .refused(reason: error.description)
        }
        throw .refused(reason: "\(databasePath) is in use by another process")
    }

    func release() { file.close() }
}
