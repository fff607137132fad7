extension PostgresConnection {
    var past: PastCheck { server.past }

    /// Checks that the database has the past that the store has seen.
    ///
    /// - Parameters:
    ///   - rows: the answer to the question.
    ///   - sees: see `PastCheck.loss`.
    func check(
        _ rows: ResultRows, _ question: PastCheck.Question, sees: Bool
    ) throws(PostgresError) {
        let loss = try past.loss(in: rows, to: question, sees: sees, over: self)
        guard let loss else { return }
        try rollBack()
        throw server.lose(loss)
    }
}
