import GRDB
import ReorderStore

/// Finds stores whose files do not belong together. SQLite opens them without an error, and then shows
/// a mixture of old and new content.
struct FileGroup {
    let path: String
    let files: any FileSystem
    /// Whether neither a log nor a mark is beside the file.
    let isAlone: Bool

    /// Call it before the files are opened.
    init(path: String, in files: any FileSystem) {
        self.path = path
        self.files = files
        isAlone = ["-wal", "-mark"].allSatisfy { files.size(of: path + $0) == nil }
    }

    /// Whether the file is a copy of a store in use, but its log was not copied.
    var lacksLog: Bool { isAlone && use(isImmutable: true) == .open }

    static func missingLog(of path: String) -> StoreError {
        .corrupt(
            place: path,
            reason: "its log, \(path)-wal, is missing: the file was copied while a server used it, "
                + "so its newest changes may be missing. Make copies with \"reorderd backup\". To use "
                + "this copy as it is, run \"reorderd migrate --new-epoch --store file:\(path)\"")
    }

    /// Refuses a backup that was copied over a store's file whose log is still there.
    ///
    /// - Parameter hasLog: whether the log or the mark has content.
    func checkLog(_ hasLog: Bool) throws(StoreError) {
        guard hasLog, use(isImmutable: true) == .backup else { return }
        // If a server has just begun the epoch of a restored backup, this is in the file's own log.
        guard use(isImmutable: false) ?? .backup == .backup else { return }
        throw .refused(
            reason: "\(path) is a backup, but \(path)-wal, -shm and -mark belong to the file that "
                + "was here before. Move these three files away, or copy the backup to another place "
                + "and run \"reorderd restore BACKUP --to \(path)\"")
    }

    /// The file's use; nil if it can't be read.
    private func use(isImmutable: Bool) -> FileUse? {
        guard files.size(of: path) ?? 0 > 0 else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        let name = files.databaseName(path, isImmutable: isImmutable)
        guard let queue = try? DatabaseQueue(path: name, configuration: configuration) else {
            return nil
        }
        defer { try? queue.close() }
        return try? queue.inDatabase { try FileUse.read($0) }
    }
}
