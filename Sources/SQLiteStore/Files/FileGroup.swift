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
    var lacksLog: Bool { isAlone && (try? read(FileUse.read)) == .open }

    static func missingLog(of path: String) -> StoreError {
        .corrupt(
            place: path,
            reason: "its log, \(path)-wal, is missing: the file was copied while a server used it, "
                + "so its newest changes may be missing. Make copies with \"reorderd backup\". To use "
                + "this copy as it is, run \"reorderd migrate --new-epoch --store file:\(path)\"")
    }

    /// Refuses a file that was copied over a store's file whose log is still there.
    ///
    /// - Parameter openings: those of the mark (`DurabilityMark.openings`).
    func check(openings: [Int]?) throws(StoreError) {
        guard let openings, let opening, !openings.contains(opening) else { return }
        throw .refused(
            reason: "\(path) was copied here, but \(path)-mark belongs to the file that was here "
                + "before, and so does \(path)-wal if it was not copied too. Move the copy (with "
                + "its -wal) to another place and run \"reorderd restore COPY --to \(path)\"")
    }

    /// The opening in the file; 0 if an earlier version wrote the file, and nil if it can't be read.
    ///
    /// After a crash, a part of the log may be in the file. That changes neither the place of the
    /// opening nor the names of tables: see `DurabilityMark.forgetOpening`.
    private var opening: Int? {
        try? read { database in
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            return version < SQLiteSchema.openingVersion
                ? 0 : try Int.fetchOne(database, sql: "SELECT opening FROM origin")
        }
    }

    /// Reads the file without its log.
    ///
    /// - Returns: nil if the file is empty or missing.
    private func read<Value>(_ body: (Database) throws -> Value?) throws -> Value? {
        guard files.size(of: path) ?? 0 > 0 else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        let name = files.databaseName(path, isImmutable: true)
        let queue = try DatabaseQueue(path: name, configuration: configuration)
        defer { try? queue.close() }
        return try queue.inDatabase(body)
    }
}
