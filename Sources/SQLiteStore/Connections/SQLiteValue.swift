import GRDBSQLite

/// A value that SQLite stores. GRDB's own conversions end a text at U+0000.
typealias SQLiteValue = SQLiteArgument & SQLiteColumn

protocol SQLiteArgument {
    /// Binds the value, or a copy of its bytes.
    ///
    /// - Parameter index: the parameter's number, from 1.
    /// - Returns: SQLite's result code.
    func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32
}

protocol SQLiteColumn {
    /// Reads a column of the current row.
    ///
    /// - Parameter column: its number, from 0.
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Self
}

extension Int: SQLiteValue {
    func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }

    static func read(_ statement: OpaquePointer, _ column: Int32) -> Int {
        Int(sqlite3_column_int64(statement, column))
    }
}

extension Int64: SQLiteValue {
    func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self)
    }

    static func read(_ statement: OpaquePointer, _ column: Int32) -> Int64 {
        sqlite3_column_int64(statement, column)
    }
}

extension Bool: SQLiteValue {
    func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }

    static func read(_ statement: OpaquePointer, _ column: Int32) -> Bool {
        sqlite3_column_int64(statement, column) != 0
    }
}

extension String: SQLiteValue {
    func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                // SQLite treats a null pointer as NULL.
                guard let start = characters.baseAddress else {
                    return sqlite3_bind_text(statement, index, "", 0, copied)
                }
                return sqlite3_bind_text64(
                    statement, index, start, UInt64(characters.count), copied, UInt8(SQLITE_UTF8))
            }
        }
    }

    static func read(_ statement: OpaquePointer, _ column: Int32) -> String {
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension [UInt8]: SQLiteColumn {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, column))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension Optional: SQLiteArgument where Wrapped: SQLiteArgument {
    func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
        self?.bind(statement, index) ?? sqlite3_bind_null(statement, index)
    }
}

extension Optional: SQLiteColumn where Wrapped: SQLiteColumn {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Wrapped? {
        sqlite3_column_type(statement, column) == SQLITE_NULL
            ? nil : Wrapped.read(statement, column)
    }
}

/// SQLITE_TRANSIENT, a macro that Swift does not import.
private var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
