import ReorderJSON

/// The server's response to a batch.
struct BatchResponse: Sendable, Equatable {
    /// The version of the list that includes all results.
    var version: Int
    /// One for each operation of the batch: why it was refused; nil if it was not.
    var problems: [ServerProblem?] = []

    /// Reads a response with status 200. Unknown members are ignored.
    ///
    /// - Parameter count: the number of operations in the batch.
    /// - Throws: if it is not the response to such a batch.
    init(json: [UInt8], count: Int) throws {
        var reader = try JSONReader(answer: json)
        var version: Int?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version": version = try reader.readCount()
            case "results":
                try reader.beginArray()
                while reader.nextElement() { problems.append(try Self.problem(from: &reader)) }
            default: break
            }
        }
        guard let version else { throw reader.missingMember("version") }
        guard problems.count == count else { throw reader.missingMember("results") }
        self.version = version
    }

    /// Reads the result of one operation.
    private static func problem(from reader: inout JSONReader) throws -> ServerProblem? {
        var status = 0
        var problem: ServerProblem?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "status": status = try reader.readInt()
            case "problem": problem = try ServerProblem(from: &reader)
            default: break
            }
        }
        guard problem != nil || 200..<300 ~= status else { throw reader.missingMember("problem") }
        return problem
    }
}
