import MicroHTTP
import ReorderJSON

extension Request {
    /// The body, as validated JSON.
    ///
    /// - Parameters:
    ///   - otherType: a media type that the resource also accepts, for the text of the problem.
    ///   - isOptional: whether no body is the same as `{}`.
    func json(
        alsoAccepting otherType: String? = nil, isOptional: Bool = false
    ) throws(Problem) -> JSONText {
        let isMissing = isOptional && body.isEmpty
        if !isMissing { try checkJSONType(alsoAccepting: otherType) }
        do {
            return try JSONText(
                checking: isMissing ? Array("{}".utf8) : body, maximumDepth: FormLimits.nesting)
        } catch {
            throw Problem(error)
        }
    }

    /// Decodes the body with a form's initializer. The parameters are those of `json`.
    func read<Form: ~Copyable>(
        alsoAccepting otherType: String? = nil, isOptional: Bool = false,
        _ form: (inout JSONReader) throws(JSONTypeError) -> Form
    ) throws(Problem) -> Form {
        var reader = JSONReader(try json(alsoAccepting: otherType, isOptional: isOptional))
        do {
            return try form(&reader)
        } catch {
            throw Problem(error)
        }
    }

    /// Like `read`, for a request that needs no body. Nil if it has none, or `{}`, which is the same.
    func readIfGiven<Form>(
        _ form: (inout JSONReader) throws(JSONTypeError) -> Form
    ) throws(Problem) -> Form? {
        guard !body.isEmpty else { return nil }
        let isEmpty = try read { reader throws(JSONTypeError) in
            try reader.beginObject()
            return reader.nextMember() == nil
        }
        return isEmpty ? nil : try read(form)
    }

    /// Checks that a request whose body has no members has none, or `{}`.
    func checkEmptyBody() throws(Problem) {
        try readIfGiven { reader throws(JSONTypeError) in
            try reader.beginObject()
            if reader.nextMember() != nil { throw reader.unknownMember() }
        }
    }

    /// Checks that the media type is `application/json`. For PATCH, a merge patch is accepted too.
    /// A body without a type is also accepted.
    private func checkJSONType(alsoAccepting otherType: String?) throws(Problem) {
        // Fast path: most clients send exactly this.
        guard headers.hasOtherType, let field = headers["Content-Type"] else { return }
        let accepted =
            method == .patch
            ? ["application/merge-patch+json", "application/json"] : ["application/json"]
        guard Self.isType(field, among: accepted) else {
            throw Problem(accepting: accepted + (otherType.map { [$0] } ?? []))
        }
    }

    /// Checks the parameters of a body's media type.
    ///
    /// - Parameter types: the media types that the resource accepts.
    func checkMediaType(_ types: [String]) throws(Problem) {
        guard let field = headers["Content-Type"], Self.isType(field, among: types) else {
            throw Problem(accepting: types)
        }
    }

    /// Whether the value of a `Content-Type` is one of these types, in UTF-8.
    private static func isType(_ field: String, among types: [String]) -> Bool {
        let parts = field.split(separator: ";").map { $0.trimmingBlanks().lowercased() }
        let isUTF8 = parts.dropFirst().allSatisfy { part in
            !part.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains(part)
        }
        return (parts.first.map(types.contains) ?? false) && isUTF8
    }

    /// The maximum length of `Client-Id` in bytes. It is stored with each change.
    static let maximumClientIDBytes = 128

    /// Checks the header fields that the API uses.
    func checkFields() throws(Problem) {
        guard (clientID?.utf8.count ?? 0) <= Self.maximumClientIDBytes else {
            throw Problem(
                .badRequest, "Client-Id must have at most \(Self.maximumClientIDBytes) bytes.")
        }
        if !method.isRead { try checkIfMatch() }
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
                "If-Match must be * or entity tags in quotes, as in ETag, for example \"7-0123456789ab\"."
            )
        }
    }

    /// The value of `Client-Id`.
    var clientID: String? { headers["Client-Id"] }
}

extension Problem {
    fileprivate init(accepting types: [String]) {
        self.init(
            .unsupportedMediaType, "The body must be \(types.joined(separator: " or ")), in UTF-8.")
    }
}
