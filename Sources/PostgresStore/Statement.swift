/// A statement, prepared on each connection when it is first used there.
struct Statement: Sendable {
    let name: String
    let sql: String

    init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }

    func callAsFunction(_ parameters: Parameter...) -> Call {
        Call(statement: self, parameters: parameters)
    }
}

/// A statement with its values.
struct Call {
    var statement: Statement
    var parameters: [Parameter]
}

extension Statement {
    // Statements see what was committed before each of them began, so also after waiting for a lock.
    static let begin = Statement("begin", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    static let beginReading = Statement(
        "begin-reading", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    static let commit = Statement("commit", "COMMIT")
    static let rollback = Statement("rollback", "ROLLBACK")
}
