import ReorderAuth
import ReorderJSON
import ReorderWebhooks

/// The body of a request that creates or changes a webhook.
struct WebhookBody {
    /// In normal form.
    private(set) var url: String?
    /// nil in a new webhook: all lists that the client may choose.
    private(set) var lists: [String]?
    private(set) var secret: WebhookSecret?
    /// The id of an event.
    private(set) var event: String?

    /// - Parameter members: the members that the body may have.
    init(
        from reader: inout JSONReader, _ members: [JSONName], allowsHTTP: Bool = false
    ) throws(JSONTypeError) {
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard members.contains(name) else {
                throw reader.unknownMember(allowed: members)
            }
            switch name {
            case "url": url = try Self.readURL(from: &reader, allowsHTTP: allowsHTTP)
            case "lists": lists = try Self.readPatterns(from: &reader)
            case "event": event = try reader.readString()
            default:
                guard let given = WebhookSecret(try reader.readString()) else {
                    throw reader.invalid(
                        "A secret must be whsec_ and 24 to 64 bytes in base64.")
                }
                secret = given
            }
        }
    }

    private static func readURL(
        from reader: inout JSONReader, allowsHTTP: Bool
    ) throws(JSONTypeError) -> String {
        let text = try reader.readString()
        do {
            return try WebhookURL.normal(text, allowsHTTP: allowsHTTP)
        } catch {
            throw reader.invalid(error.text)
        }
    }

    private static func readPatterns(
        from reader: inout JSONReader
    ) throws(JSONTypeError) -> [String] {
        var patterns: [String] = []
        try reader.beginArray()
        while reader.nextElement() {
            patterns.append(try reader.readString())
            if let fault = ListPatterns.fault(of: patterns) { throw reader.invalid(fault) }
        }
        if let fault = ListPatterns.fault(of: patterns) { throw reader.invalid(fault) }
        return patterns
    }
}
