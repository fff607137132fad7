/// The use of a store's file, in the column `is_backup` of `origin`.
enum FileUse: Int {
    /// No server uses the file, or one of an earlier version does.
    case closed = 0
    /// The file is a backup that no server has used yet.
    case backup = 1
    /// A server uses the file, or did until it crashed: the file needs its log.
    case open = 2

    static func read(_ sql: Statements) throws -> FileUse? {
        try sql.value("SELECT is_backup FROM origin").flatMap(Self.init)
    }
}
