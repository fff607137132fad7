import GRDB
import ReorderStore

/// Finds stores whose files do not belong together. SQLite opens them without an error, and then shows
/// a mixture of old and new content.
struct FileGroup {
    let path: String
    let files: any FileSystem
    /// Whether neither a log nor a mark is beside the file.
    private let isAlone: Bool

    /// Call it before the files are opened or created.
    ///
    /// - Throws: `refused` if there is a log without its file. SQLite would delete it.
    init(path: String, in files: any FileSystem) throws(StoreError) {
        self.path = path
        self.files = files
        let logSize = files.size(of: path + "-wal")
        // An opening that was refused can leave an empty mark.
        isAlone = logSize == nil && files.size(of: path + "-mark") ?? 0 == 0
        guard files.size(of: path) != nil || logSize ?? 0 == 0 else { throw missingFile }
    }

    /// Refuses the copy of a file in use, if its log was not copied.
    func expectLog() throws(StoreError) {
        guard isAlone, (try? read(FileUse.read)) == .open else { return }
        let remedy =
            files.hasOtherNames(path)
            ? "the file has other names (hard links). Use the name that has the log beside it; "
                + "\"find FOLDER -samefile \(path)\" prints the names"
            : "the file was copied or renamed while a server used it. Give it its former name, "
                + "beside its log, or use it without its newest changes after \"reorderd migrate "
                + "--new-epoch --store file:\(path)\""
        throw .corrupt(place: path, reason: "its log, \(path)-wal, is missing: \(remedy)")
    }

    /// Refuses a file that was copied over a store's file whose log is still there, and a log whose
    /// file is missing. SQLite would delete such a log.
    func check(_ mark: DurabilityMark.Content) throws(StoreError) {
        if files.size(of: path) ?? 0 == 0, mark.change ?? 0 > 0 { throw missingFile }
        guard let openings = mark.openings, let opening, !openings.contains(opening) else { return }
        throw .refused(
            reason:
                "\(path) was copied here, but \(path)-mark and \(path)-wal belong to the file that "
                + "was here before. Run \"reorderd restore ORIGINAL --to \(path)\" with the file "
                + "that was copied, because a server that used the copy has damaged it")
    }

    private var missingFile: StoreError {
        .refused(
            reason:
                "\(path) is missing or empty, but its log, \(path)-wal, or \(path)-mark is here. "
                + "Give the file its former name, or run \"reorderd restore BACKUP --to \(path)\"")
    }

    /// The opening in the file; 0 if an earlier version wrote the file, and nil if it can't be read.
    ///
    /// After a crash, a part of the log may be in the file. That does not change the names of tables: see
    /// `SQLiteListStore.compact`. But of the page with the opening, a power cut can leave some sectors as they were before. If the row
    /// is at another place there, SQLite reads a row without values, and the opening is the column's default, 0.
    private var opening: Int? {
        try? read { sql in
            guard try sql.value("PRAGMA user_version") ?? 0 >= SQLiteSchema.openingVersion else {
                return 0
            }
            let opening: Int? = try sql.value("SELECT opening FROM origin")
            return opening == 0 ? nil : opening
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
