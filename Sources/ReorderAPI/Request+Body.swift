import MicroHTTP
import ReorderJSON

extension Request {
    /// The body, as validated JSON.
    func json() throws(Problem) -> JSONText {
        try checkMediaType()
        do {
            return try JSONText(checking: body, maximumDepth: FormLimits.nesting)
        } catch {
            throw Problem(error)
        }
    }

    /// Decodes the body with a form's initializer.
    func read<Form>(
        _ form: (inout JSONReader) throws(JSONTypeError) -> Form
    ) throws(Problem) -> Form {
        var reader = JSONReader(try json())
        do {
            return try form(&reader)
        } catch {
            throw Problem(error)
        }
    }

    /// Checks that the media type is `application/json`. For PATCH, a merge patch is accepted too.
    /// A body without a type is also accepted.
    private func checkMediaType() throws(Problem) {
        guard headers.bodyCoding != .unsupported else {
            var problem = Problem(
                .unsupportedMediaType,
                "The body must be compressed with gzip, or not compressed: Content-Encoding must be "
                    + "gzip, or absent.")
            problem.acceptedCoding = "gzip"
            throw problem
        }
        // Fast path: most clients send exactly this.
        guard !headers.hasOnly("content-type", "application/json"),
            let field = headers["Content-Type"]
        else { return }
        let accepted =
            method == .patch
            ? ["application/merge-patch+json", "application/json"] : ["application/json"]
        let parts = field.split(separator: ";").map { $0.trimmingASCIISpaces().lowercased() }
        let isUTF8 = parts.dropFirst().allSatisfy { part in
            !part.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains(part)
        }
        guard parts.first.map(accepted.contains) ?? false, isUTF8 else {
            throw Problem(
                .unsupportedMediaType,
                "The body must be \(accepted.joined(separator: " or ")), in UTF-8.")
        }
    }

    /// The maximum length of `Client-Id` in bytes. It is stored with each change.
    static let maximumClientIDBytes = 128

    /// Checks the header fields that the API uses.
    func checkFields() throws(Problem) {
        guard (clientID?.utf8.count ?? 0) <= Self.maximumClientIDBytes else {
            throw Problem(
                .badRequest, "Client-Id must have at most \(Self.maximumClientIDBytes) bytes.")
        }
        guard method != .get, method != .head else { return }
        try checkIfMatch()
    }

    /// Checks that the entity tags in `If-Match` are in quotes. Otherwise they would never match,
    /// and the client would not learn the reason.
    private func checkIfMatch() throws(Problem) {
        guard headers["If-Match"] != nil else { return }
        let tags = EntityTagList.tags(in: headers.all("If-Match").joined(separator: ","))
        let isMalformed =
            tags.isEmpty
            || tags != ["*"]
                && tags.contains { tag in
                    let quoted = (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag).utf8
                    let quote = UInt8(ascii: "\"")
                    return quoted.count < 2 || quoted.first != quote || quoted.last != quote
                }
        guard !isMalformed else {
            throw Problem(
                .badRequest,
                "If-Match must be * or entity tags in quotes, as in ETag, for example \"7\".")
        }
    }

    /// The value of `Client-Id`.
    var clientID: String? { headers["Client-Id"] }
}

extension Substring {
    func trimmingASCIISpaces() -> Substring {
        var part = self
        while part.first == " " || part.first == "\t" { part.removeFirst() }
        while part.last == " " || part.last == "\t" { part.removeLast() }
        return part
    }
}
