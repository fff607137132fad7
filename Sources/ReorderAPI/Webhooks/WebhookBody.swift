import ReorderAuth
import ReorderJSON
import ReorderWebhooks

/// The body of a request that creates a webhook.
struct WebhookBody {
    let url: String
    /// nil: all lists that the client may choose.
    let lists: [String]?
    let secret: WebhookSecret

    init(from reader: inout JSONReader, allowsHTTP: Bool) throws(JSONTypeError) {
        var url: String?
        var lists: [String]?
        var secret = WebhookSecret()
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "url":
                let text = try reader.readString()
                if let fault = WebhookURL.fault(of: text, allowsHTTP: allowsHTTP) {
                    throw reader.invalid(fault)
                }
                url = text
            case "lists":
                lists = try Self.readPatterns(from: &reader)
            case "secret":
                guard let given = WebhookSecret(try reader.readString()) else {
                    throw reader.invalid(
                        "A secret must be whsec_ and 24 to 64 bytes in base64.")
                }
                secret = given
            default: throw reader.unknownMember(allowed: ["url", "lists", "secret"])
            }
        }
        guard let url else { throw reader.missingMember("url") }
        (self.url, self.lists, self.secret) = (url, lists, secret)
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
