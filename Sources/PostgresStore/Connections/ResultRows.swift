import CPostgres

/// The result of a statement, in PostgreSQL's binary format.
final class ResultRows {
    private let result: OpaquePointer

    /// Takes ownership of the result.
    init(_ result: OpaquePointer) {
        self.result = result
    }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    var indices: Range<Int> { 0..<count }

    /// The number of rows that the statement changed.
    var changedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// The command tag, for example COMMIT.
    var tag: String { String(cString: PQcmdStatus(result)) }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// The value of a column of type bigint; 0 if it is null.
    func int(_ row: Int, _ column: Int) -> Int {
        guard let value = value(row, column), value.count == 8 else { return 0 }
        return Int(Int64(bigEndian: value.loadUnaligned(as: Int64.self)))
    }

    func bool(_ row: Int, _ column: Int) -> Bool { value(row, column)?.first == 1 }

    func text(_ row: Int, _ column: Int) -> String {
        value(row, column).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] { value(row, column).map(Array.init) ?? [] }

    private func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        guard !isNull(row, column), let start = PQgetvalue(result, Int32(row), Int32(column))
        else { return nil }
        let count = Int(PQgetlength(result, Int32(row), Int32(column)))
        return UnsafeRawBufferPointer(start: start, count: count)
    }
}
