import GRDB

/// Executes the statements of one connection, each of which is prepared when it is first used. Like
/// the connection, it is used by one thread at a time.
///
/// A statement must not be executed again while its rows are being read.
final class Statements {
    typealias Row = PreparedStatement

    let database: Database
    /// The statements, at places that follow from the addresses of their texts, which are constant. A
    /// dictionary takes longer. The module has fewer statements than there are places.
    @exclusivity(unchecked)
    private var prepared = [(text: UnsafePointer<UInt8>, statement: PreparedStatement)?](
        repeating: nil, count: 256)

    init(_ database: Database) { self.database = database }

    /// - Parameter body: the last argument, if it is a body. It is not copied.
    /// - Returns: the number of rows that an INSERT, UPDATE or DELETE has changed.
    @discardableResult
    func execute<each Argument: SQLiteArgument>(
        _ sql: StaticString, _ arguments: repeat each Argument, body: [UInt8]? = nil
    ) throws -> Int {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(repeat each arguments)
        return try finish(statement, body: body)
    }

    /// Like `execute`, with integers. The statements of each append cost less in this way.
    @discardableResult @inline(__always)
    func execute(
        _ sql: StaticString, integers: Int..., body: [UInt8]? = nil
    ) throws -> Int {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(integers: integers)
        return try finish(statement, body: body)
    }

    private func finish(_ statement: PreparedStatement, body: [UInt8]?) throws -> Int {
        guard let body else {
            while try statement.step() {}
            return statement.changedRows
        }
        return try body.withUnsafeBytes { bytes in
            try statement.bindLast(bytes)
            while try statement.step() {}
            return statement.changedRows
        }
    }

    /// Calls `body` with each row until it returns false.
    func forEach<each Argument: SQLiteArgument>(
        _ sql: StaticString, _ arguments: repeat each Argument, row: (Row) throws -> Bool
    ) throws {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(repeat each arguments)
        while try statement.step(), try row(statement) {}
    }

    func all<each Argument: SQLiteArgument, Value>(
        _ sql: StaticString, _ arguments: repeat each Argument, row: (Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(sql, repeat each arguments) {
            values.append(try row($0))
            return true
        }
        return values
    }

    /// The first row; nil if there is none.
    func first<each Argument: SQLiteArgument, Value>(
        _ sql: StaticString, _ arguments: repeat each Argument, row: (Row) throws -> Value
    ) throws -> Value? {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(repeat each arguments)
        return try statement.step() ? try row(statement) : nil
    }

    /// The first row's first column; nil if it is NULL, or if there is no row.
    func value<each Argument: SQLiteArgument, Value: SQLiteColumn>(
        _ sql: StaticString, _ arguments: repeat each Argument
    ) throws -> Value? {
        try first(sql, repeat each arguments) { $0[0] as Value? } ?? nil
    }

    /// The journal's last row, or 0.
    func lastChange() throws -> Int { try value("SELECT max(change) FROM journal") ?? 0 }

    /// Runs in a transaction, all or nothing.
    func inTransaction<Value>(
        _ begin: StaticString = "BEGIN IMMEDIATE", _ body: () throws -> Value
    ) throws -> Value {
        if database.isInsideTransaction {
            // An earlier rollback failed too.
            try database.rollback()
        }
        try execute(begin)
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // SQLite may have rolled back already. If it can't roll back now, the next call tries
            // again.
            try? database.rollback()
            throw error
        }
    }

    private func statement(_ sql: StaticString) throws -> PreparedStatement {
        var place = Int(bitPattern: sql.utf8Start) >> 4 & 255
        while let known = prepared[place] {
            if known.text == sql.utf8Start { return known.statement }
            place = (place + 1) & 255
        }
        let new = try PreparedStatement(database, sql.description)
        prepared[place] = (sql.utf8Start, new)
        return new
    }
}
