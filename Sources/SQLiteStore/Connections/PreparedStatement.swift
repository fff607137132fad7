import GRDB
import GRDBSQLite

/// A statement of one connection, and the row at which it is.
///
/// GRDB opens the connection and prepares the statement; binding and stepping call SQLite directly.
/// GRDB's own functions box each argument, which costs more than SQLite needs for a row of the
/// journal. They also stop the process if a binding fails, for example of a blob beyond SQLite's
/// limit. Only this file and `SQLiteValue` call SQLite's C interface.
struct PreparedStatement {
    /// Owns `handle`.
    private let statement: Statement
    private let handle: OpaquePointer

    init(_ database: Database, _ sql: String) throws {
        statement = try database.makeStatement(sql: sql)
        handle = statement.sqliteStatement
    }

    /// Binds the arguments, in the order of the parameters.
    func bind<each Argument: SQLiteArgument>(_ arguments: repeat each Argument) throws {
        var index: Int32 = 0
        repeat try bind(each arguments, after: &index)
    }

    @inline(__always)
    func bind(integers: [Int]) throws {
        for (index, integer) in integers.enumerated() {
            let code = sqlite3_bind_int64(handle, Int32(index + 1), Int64(integer))
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    private func bind(_ argument: some SQLiteArgument, after index: inout Int32) throws {
        index += 1
        let code = argument.bind(handle, index)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Binds the last argument without a copy: the bytes must be valid while the statement is executed.
    func bindLast(_ bytes: UnsafeRawBufferPointer) throws {
        let index = sqlite3_bind_parameter_count(handle)
        let code =
            // SQLite treats a null pointer as NULL.
            bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
        guard code == SQLITE_OK else { throw failure(code) }
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

    /// Makes the statement ready to execute again. Necessary before the transaction ends.
    func reset() {
        // The result repeats the error of the last step.
        sqlite3_reset(handle)
    }

    /// A column of the current row, numbered from 0.
    subscript<Value: SQLiteColumn>(column: Int32) -> Value { Value.read(handle, column) }

    /// The number of rows changed by the connection's last statement.
    var changedRows: Int { Int(sqlite3_changes(sqlite3_db_handle(handle))) }

    private func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))
    }
}
