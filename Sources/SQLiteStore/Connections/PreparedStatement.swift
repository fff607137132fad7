import GRDB
import GRDBSQLite

/// A statement of one connection, prepared once and executed often.
///
/// GRDB opens the connection and prepares the statement; binding and stepping call SQLite directly.
/// GRDB's own functions box each argument, which costs more than SQLite needs for a row of the
/// journal. They also stop the process if a binding fails, for example of a blob beyond SQLite's
/// limit. Only this file of the module calls SQLite's C interface.
///
/// Like its connection, it is used by one thread at a time. After it returned a row, it must be
/// `reset` before the transaction ends.
struct PreparedStatement {
    /// Owns `handle`.
    private let statement: Statement
    private let handle: OpaquePointer

    init(_ database: Database, _ sql: String) throws {
        statement = try database.makeStatement(sql: sql)
        handle = statement.sqliteStatement
    }

    // MARK: Arguments, numbered from 1

    func bind(_ value: Int?, at index: Int32) throws {
        guard let value else { return try check(sqlite3_bind_null(handle, index)) }
        try check(sqlite3_bind_int64(handle, index, Int64(value)))
    }

    /// Binds a copy.
    func bind(_ value: String?, at index: Int32) throws {
        guard var value else { return try check(sqlite3_bind_null(handle, index)) }
        let code = value.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                // SQLite treats a null pointer as NULL.
                guard let start = characters.baseAddress else {
                    return sqlite3_bind_text(handle, index, "", 0, Self.copied)
                }
                return sqlite3_bind_text64(
                    handle, index, start, UInt64(characters.count), Self.copied,
                    UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import.
    private static var copied: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    // MARK: Execution

    /// Executes a statement that returns no rows, and resets it.
    func execute() throws {
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE else {
            let error = failure(code)
            sqlite3_reset(handle)
            throw error
        }
        sqlite3_reset(handle)
    }

    /// Like `execute()`, with these bytes as an argument. They are bound without a copy, until the
    /// call returns.
    func execute(_ bytes: [UInt8], at index: Int32) throws {
        try bytes.withUnsafeBytes { buffer in
            if let start = buffer.baseAddress, !buffer.isEmpty {
                try check(sqlite3_bind_blob64(handle, index, start, UInt64(buffer.count), nil))
            } else {
                // A null pointer would be bound as NULL.
                try check(sqlite3_bind_zeroblob(handle, index, 0))
            }
            defer { sqlite3_bind_null(handle, index) }
            try execute()
        }
    }

    /// The number of rows changed by the connection's last statement.
    var changedRows: Int {
        Int(sqlite3_changes(sqlite3_db_handle(handle)))
    }

    /// Advances to the next row; returns false after the last one.
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(code)
        }
    }

    /// Makes the statement ready to execute again; its arguments are kept.
    func reset() {
        // The result repeats the error of the last step.
        sqlite3_reset(handle)
    }

    // MARK: Columns of the current row, numbered from 0

    func integer(_ column: Int32) -> Int {
        Int(sqlite3_column_int64(handle, column))
    }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    // MARK: Errors

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
    }
}
