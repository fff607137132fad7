import CPostgres
import Dispatch

extension PostgresConnection {
    /// Inserts rows with COPY. They are sent in pieces, because libpq keeps a statement in memory twice, with all its
    /// parameters.
    ///
    /// - Parameter call: has a parameter for each column, with an element for each row.
    func copy(_ call: BoundStatement) throws(PostgresError) -> ResultRows {
        // A pipeline can't have a COPY.
        try check(PQexitPipelineMode(connection))
        let result = Result { () throws(PostgresError) in try send(call) }
        try check(PQenterPipelineMode(connection))
        if case .failure(let error) = result, !error.endsConnection { try rollBack() }
        return try result.get()
    }

    private func send(_ call: BoundStatement) throws(PostgresError) -> ResultRows {
        let deadline =
            DispatchTime.now() + timeoutSeconds + Self.addedSeconds(bytes: call.byteCount)
        let sql = "COPY \(call.statement.copyTarget ?? "") FROM STDIN (FORMAT binary)"
        try check(PQsendQuery(connection, sql))
        try flush(until: deadline)
        if let results = try results(until: deadline) { return results }
        try put(Self.header, until: deadline)
        for row in 0..<(call.parameters.first?.count ?? 0) {
            var head: [UInt8] = []
            head.append(bigEndian: Int16(call.parameters.count))
            for parameter in call.parameters {
                let value = parameter.value(row)
                head.append(bigEndian: Int32(value.count))
                try put(head, until: deadline)
                try put(value, until: deadline)
                head = []
            }
        }
        try put([0xFF, 0xFF], until: deadline)
        try check(PQputCopyEnd(connection, nil))
        try flush(until: deadline)
        guard let results = try results(until: deadline) else {
            throw .disconnected(reason: "COPY did not end")
        }
        return results
    }

    private static let header =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

    private func put(_ bytes: [UInt8], until deadline: DispatchTime) throws(PostgresError) {
        for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
            let piece = bytes[start..<min(start + Self.pieceBytes, bytes.count)]
            try check(
                piece.withUnsafeBytes { piece in
                    PQputCopyData(
                        connection, piece.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(piece.count))
                })
            try flush(until: deadline)
        }
    }

    private static let pieceBytes = 256 << 10

    /// The results of a COPY; nil if the server waits for data.
    private func results(until deadline: DispatchTime) throws(PostgresError) -> ResultRows? {
        var failure: PostgresError?
        var rows: ResultRows?
        while let result = try next(until: deadline) {
            switch PQresultStatus(result) {
            case PGRES_COPY_IN:
                PQclear(result)
                return nil
            case PGRES_COMMAND_OK: rows = ResultRows(result)
            default:
                failure = failure ?? refusal(result)
                PQclear(result)
            }
        }
        if let failure { throw failure }
        guard let rows else { throw .disconnected(reason: "COPY has no result") }
        return rows
    }
}

extension BoundStatement {
    /// Whether the parameters are sent with COPY, because they are large.
    var isCopied: Bool { statement.copyTarget != nil && byteCount > 1 << 20 }
}

extension Parameter {
    /// The number of elements.
    fileprivate var count: Int {
        switch self {
        case .int, .bytes, .text: 1
        case .ints(let values): values.count
        case .texts(let values): values.count
        case .byteArrays(let values): values.count
        }
    }

    /// An element, in PostgreSQL's binary format.
    fileprivate func value(_ index: Int) -> [UInt8] {
        switch self {
        case .byteArrays(let values): return values[index] ?? []
        case .texts(let values): return Array(values[index].utf8)
        case .ints(let values):
            var bytes: [UInt8] = []
            bytes.append(bigEndian: Int64(values[index]))
            return bytes
        case .int, .bytes, .text:
            var bytes: [UInt8] = []
            append(to: &bytes)
            return bytes
        }
    }
}
