import ReorderJSON

/// The server's response to a batch.
struct BatchResponse: Sendable, Equatable {
    /// The version of the list that includes all results.
    var version: Int
    /// The refused operations, by index in the batch.
    var refusals: [Int: ServerProblem]

    init(version: Int, refusals: [Int: ServerProblem]) {
        self.version = version
        self.refusals = refusals
    }

    /// Reads a response with status 200. Unknown members are ignored.
    init(json: [UInt8]) throws {
        var reader = JSONReader(try JSONText(checking: json, maximumDepth: 24))
        var version: Int?
        refusals = [:]
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version": version = try reader.readCount()
            case "results":
                var index = 0
                try reader.beginArray()
                while reader.nextElement() {
                    refusals[index] = try ServerProblem(inResult: &reader)
                    index += 1
                }
            default: break
            }
        }
        guard let version else { throw reader.missingMember("version") }
        self.version = version
    }
}

/// The members of a problem document that the client uses.
struct ServerProblem: Sendable, Equatable {
    var code = ""
    var detail = ""
    /// The place of the error in the request's body.
    var pointer: String?

    init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Reads a response's body; all members stay empty if it is not a problem document.
    init(json: [UInt8]) {
        guard let text = try? JSONText(checking: json, maximumDepth: 24) else { return }
        var reader = JSONReader(text)
        if let problem = try? ServerProblem(from: &reader) { self = problem }
    }

    private init(from reader: inout JSONReader) throws {
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "code": code = try reader.readString()
            case "detail": detail = try reader.readString()
            case "pointer": pointer = try reader.readString()
            default: break
            }
        }
    }

    /// Reads the result of one operation of a batch; nil if it succeeded.
    fileprivate init?(inResult reader: inout JSONReader) throws {
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
        guard !(200..<300).contains(status) else { return nil }
        self = problem ?? ServerProblem(code: "", detail: "Status \(status).")
    }
}
