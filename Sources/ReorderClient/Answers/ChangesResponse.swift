import ReorderJSON

/// The body of the response to `GET …/changes`.
struct ChangesResponse {
    private(set) var changes: [ChangeDocument] = []
    /// Whether a change after these has a form that this version does not know.
    private(set) var hasUnknownChange = false

    /// - Throws: if it is not such a response.
    init(json: [UInt8]) throws {
        var reader = try JSONReader(answer: json)
        var isPage = false
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard case "changes" = name else { continue }
            isPage = true
            try reader.beginArray()
            while reader.nextElement() {
                let json = Array(reader.readRaw().utf8)
                guard !hasUnknownChange, let change = try? ChangeDocument(json: json) else {
                    hasUnknownChange = true
                    continue
                }
                changes.append(change)
            }
        }
        guard isPage else { throw reader.missingMember("changes") }
    }
}
