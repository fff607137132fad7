/// A statement, prepared on each connection at its first use there.
struct Statement: Sendable {
    let name: String
    let sql: String
    /// The table and the columns in which the statement inserts its parameters, if they can be copied there instead.
    let copyTarget: String?

    init(_ name: String, _ sql: String, copyTarget: String? = nil) {
        self.name = name
        self.sql = sql
        self.copyTarget = copyTarget
    }

    func callAsFunction(_ parameters: Parameter...) -> BoundStatement {
        BoundStatement(statement: self, parameters: parameters)
    }
}

/// A statement with its parameters.
struct BoundStatement {
    var statement: Statement
    var parameters: [Parameter]

    /// About the size of the parameters, without headers.
    var byteCount: Int { parameters.reduce(0) { $0 + $1.byteCount } }

    /// The number of values, with those in arrays. Each has a header of four bytes.
    var elementCount: Int { parameters.reduce(0) { $0 + $1.elementCount } }
}

extension Statement {
    // Each statement sees everything committed before it began, even after waiting for a lock.
    static let begin = Statement("begin", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    static let beginReading = Statement(
        "begin-reading", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    static let commit = Statement("commit", "COMMIT")
    static let rollback = Statement("rollback", "ROLLBACK")
}
