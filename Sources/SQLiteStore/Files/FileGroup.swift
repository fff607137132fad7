import GRDB
import ReorderStore

/// Finds stores whose files do not belong together. SQLite opens them without an error, and then shows
/// a mixture of old and new content.
struct FileGroup {
    let path: String
    let files: any FileSystem
    /// Whether neither a log nor a mark is beside the file.
    let isAlone: Bool

    /// Call it before the files are opened or created.
    ///
    /// - Throws: `refused` if there is a log without its file. SQLite would delete it.
    init(path: String, in files: any FileSystem) throws(StoreError) {
        self.path = path
        self.files = files
        let logSize = files.size(of: path + "-wal")
        // An opening that was refused can leave an empty mark.
        isAlone = logSize == nil && files.size(of: path + "-mark") ?? 0 == 0
        guard files.size(of: path) != nil || logSize ?? 0 == 0 else { throw Self.missingFile(path) }
    }

    /// Whether the file is a copy of a store in use, but its log was not copied.
    var lacksLog: Bool { isAlone && (try? read(FileUse.read)) == .open }

    /// - Returns: the reason to refuse a file that lacks its log.
    var missingLog: StoreError {
        let remedy =
            files.hasOtherNames(path)
            ? "the file has other names (hard links), and its log is beside the name that a server "
                + "used. Give that name to the server: \"find FOLDER -samefile \(path)\" prints the "
                + "names in a folder. If it was renamed, give it its former name, beside its log. Only if "
                + "the log is lost, make a copy of the file, and use that"
            : "the file was copied or renamed while a server used it, so its newest changes may be "
                + "missing. If it was renamed, give it its former name, beside its log. Make copies "
                + "with \"reorderd backup\". To use this file without the missing changes, run "
                + "\"reorderd migrate --new-epoch --store file:\(path)\""
        return .corrupt(place: path, reason: "its log, \(path)-wal, is missing: \(remedy)")
    }

    /// Refuses a file that was copied over a store's file whose log is still there, and a log whose
    /// file is missing. SQLite would delete such a log.
    ///
    /// - Parameters:
    ///   - change: the last durable change (`DurabilityMark.change`).
    ///   - openings: those of the mark (`DurabilityMark.openings`).
    func check(change: Int?, openings: [Int]?) throws(StoreError) {
        if files.size(of: path) ?? 0 == 0, change ?? 0 > 0 { throw Self.missingFile(path) }
        guard let openings, let opening, !openings.contains(opening) else { return }
        throw .refused(
            reason:
                "\(path) was copied here, but \(path)-mark, and \(path)-wal unless it was copied "
                + "too, belong to the file that was here before. Run \"reorderd restore ORIGINAL --to "
                + "\(path)\" with the file that was copied: a server that used the copy has damaged "
                + "it. If there is no original because the file was renamed, and no server has used "
                + "it here, move it alone to another place and restore it from there")
    }

    private static func missingFile(_ path: String) -> StoreError {
        .refused(
            reason:
                "\(path) is missing or empty, but its log, \(path)-wal, or \(path)-mark is here. If "
                + "the file was renamed, give it its former name. To use a backup, run \"reorderd "
                + "restore BACKUP --to \(path)\". To begin a new store, move these files away too")
    }

    /// The opening in the file; 0 if an earlier version wrote the file, and nil if it can't be read.
    ///
    /// After a crash, a part of the log may be in the file. That changes neither the place of the
    /// opening nor the names of tables: see `DurabilityMark.forgetOpening`.
    private var opening: Int? {
        try? read { sql in
            try sql.value("PRAGMA user_version") ?? 0 < SQLiteSchema.openingVersion
                ? 0 : sql.value("SELECT opening FROM origin")
        }
    }

    /// Reads the file without its log.
    ///
    /// - Returns: nil if the file is empty or missing.
    private func read<Value>(_ body: (Statements) throws -> Value?) throws -> Value? {
        guard files.size(of: path) ?? 0 > 0 else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        let name = files.databaseName(path, isImmutable: true)
        let queue = try DatabaseQueue(path: name, configuration: configuration)
        defer { try? queue.close() }
        return try queue.inDatabase { try body(Statements($0)) }
    }
}
