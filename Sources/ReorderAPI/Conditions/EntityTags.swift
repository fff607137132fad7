import MicroHTTP
import ReorderJSON
import ReorderService
import ReorderStore

/// Identifies a list's content: strong entity tags (RFC 9110) and resume tokens.
///
/// A token is a list's version, `-` and the store's epoch, because in another epoch the list can reach
/// the same version with different content. A list's tag is the token in quotes. A task's tag also
/// has `@` and the id of the task's list, because the task can be moved into another list that is at
/// the same version.
struct EntityTags: Sendable {
    /// The store's epoch.
    let epoch: String
    /// The part of a token after the version.
    let suffix: String
    /// The part of a list's tag after the version.
    private let end: String

    init(epoch: String) {
        self.epoch = epoch
        suffix = "-\(epoch)"
        end = suffix + "\""
    }

    /// The token for a list at a version.
    func token(_ version: Int) -> String { String(version) + suffix }

    func list(_ version: Int) -> String {
        // In one step, because each response to a write has a tag, and joined strings take three times as
        // long.
        let capacity = 1 + JSONWriter.maximumDigits + end.utf8.count
        return String(unsafeUninitializedCapacity: capacity) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            var next = start
            next.write(UInt8(ascii: "\""))
            next.write(version)
            var end = end
            end.withUTF8 { next.write($0) }
            return next - start
        }
    }

    /// - Parameters:
    ///   - version: the version of the list that contains the task.
    ///   - list: the id of that list.
    func task(_ version: Int, in list: String) -> String { "\"\(token(version))@\(list)\"" }

    /// A tag of a list as one person with folds sees it. It is no precondition for writes.
    ///
    /// - Parameters:
    ///   - foldsVersion: the version of the list of folds.
    ///   - folds: the id of the list of folds.
    func list(_ version: Int, foldsVersion: Int, of folds: String) -> String {
        "\"\(token(version))/\(foldsVersion)@\(folds)\""
    }

    /// Returns the version in a token, or nil if the token is malformed. The version in a token of
    /// another epoch is not in this list's history. Then this returns `Int.max`, which no list reaches.
    ///
    /// - Parameter mayLackEpoch: whether a version alone is a token too, of an unknown epoch.
    func version(ofToken token: Substring, mayLackEpoch: Bool = false) -> Int? {
        let digits = token.prefix { $0 != "-" }
        guard let version = Self.number(digits.utf8) else { return nil }
        let rest = token[digits.endIndex...]
        // Version 0 is the empty list, which is the same in every epoch.
        if rest == suffix || (version == 0 && rest.isEmpty) { return version }
        return (rest.isEmpty && mayLackEpoch) || Self.isEpochSuffix(rest) ? .max : nil
    }

    /// Returns the version in a list's tag, or nil if the tag is malformed or of another epoch.
    ///
    /// - Parameter suffixCount: the bytes of the coding's suffix in the tag.
    func version(
        ofListTag tag: some BidirectionalCollection<UInt8>, suffixCount: Int = 0
    ) -> Int? {
        let quote = UInt8(ascii: "\"")
        guard tag.count > 2, tag.first == quote, tag.last == quote else { return nil }
        let text = tag.dropFirst().dropLast(1 + suffixCount)
        let digits = text.prefix { (0x30...0x39).contains($0) }
        guard digits.first != UInt8(ascii: "0"),
            text[digits.endIndex...].elementsEqual(suffix.utf8)
        else { return nil }
        return Self.number(digits)
    }

    /// Returns the version and the coding in a list's tag, or nil like `version(ofListTag:)`.
    func seenForm(ofListTag tag: UnsafeBufferPointer<UInt8>) -> SeenVersions.Form? {
        let coding = ContentCoding(ofTag: tag)
        guard let version = version(ofListTag: tag, suffixCount: coding.tagSuffixCount) else {
            return nil
        }
        return SeenVersions.Form(version: version, coding: coding)
    }

    /// Returns the version in the tag of a list or a task, or nil if the tag is malformed or of
    /// another epoch.
    func seenVersion(ofTag tag: Substring) -> SeenVersion? {
        guard let at = tag.firstIndex(of: "@"), tag.last == "\"" else {
            return version(ofListTag: tag.utf8).map { SeenVersion($0) }
        }
        let list = tag[tag.index(after: at)...].dropLast()
        guard let version = version(ofListTag: (tag[..<at] + "\"").utf8) else { return nil }
        return SeenVersion(version, of: String(list))
    }

    /// Whether the text is `-` and the name of an epoch.
    fileprivate static func isEpochSuffix(_ text: Substring) -> Bool {
        text.first == "-" && text.utf8.count == StoreEpoch.nameLength + 1
            && text.utf8.dropFirst().allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
            }
    }

    fileprivate static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var number = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeNow) = tens.addingReportingOverflow(Int(digit - 0x30))
            guard !isTooLarge, !isTooLargeNow else { return nil }
            number = sum
        }
        return number
    }
}

extension JSONReader {
    /// Reads a version as a number, or with its epoch, as in an entity tag without its quotes.
    mutating func readVersion() throws(JSONTypeError) -> RequestedVersion {
        guard peek == .string else { return RequestedVersion(try readCount()) }
        let token = try readString()
        let digits = token.prefix { $0 != "-" }
        let rest = token[digits.endIndex...]
        guard let number = EntityTags.number(digits.utf8), EntityTags.isEpochSuffix(rest) else {
            throw invalid(
                "The version must be a number, or a version, \"-\" and the document's epoch.")
        }
        return RequestedVersion(number, epoch: String(rest.dropFirst()))
    }
}

extension Request {
    /// The precondition of a write, from `If-Match`. Weak tags never match (strong comparison).
    /// Without `If-Match`, the precondition comes from `If-None-Match: *`. Other values of that
    /// field do not apply to writes.
    func precondition(_ tags: EntityTags) -> Precondition {
        guard headers["If-Match"] != nil || headers["If-None-Match"] != nil else { return .none }
        let fields = headers.all("If-Match")
        guard !fields.isEmpty else {
            return EntityTagList.tags(in: headers.all("If-None-Match").joined(separator: ","))
                == ["*"]
                ? .absent : .none
        }
        let sent = EntityTagList.tags(in: fields.joined(separator: ","))
        if sent == ["*"] { return .exists }
        // The tag of a compressed response is a precondition on the same version.
        return .versions(sent.compactMap { tags.seenVersion(ofTag: ContentCoding.identityTag($0)) })
    }

    /// The versions of a list that the client has, from `If-None-Match` (weak comparison).
    func seenVersions(_ tags: EntityTags) -> SeenVersions {
        // Fast path: most clients send exactly one tag.
        let only = headers.withOnly("if-none-match") { tags.seenForm(ofListTag: $0) }
        if let only { return .one(only) }
        guard let sent = seenTags else { return .none }
        if sent.contains("*") { return .all }
        return .some(
            sent.compactMap { tag in
                var tag = tag
                return tag.withUTF8 { tags.seenForm(ofListTag: $0) }
            })
    }
}

/// The versions of a list that a client has.
enum SeenVersions: Sendable {
    /// A version in the coding that the client has received.
    struct Form: Sendable, Hashable {
        var version: Int
        var coding: ContentCoding
    }

    case none
    case one(Form)
    case some([Form])
    /// `*`: any version.
    case all

    /// The coding in which the client has the version; nil if it does not have it. A compressed form
    /// counts only if the request accepts it, because a cache may ask for another client.
    ///
    /// - Parameter accepted: as in `Request.coding`.
    func coding(of version: Int, accepting accepted: ContentCoding?) -> ContentCoding? {
        let accepted = accepted ?? .identity
        switch self {
        case .none: return nil
        case .one(let form):
            guard form.version == version, form.coding == .identity || form.coding == accepted
            else { return nil }
            return form.coding
        case .some(let forms):
            return [.identity, accepted].first {
                forms.contains(Form(version: version, coding: $0))
            }
        case .all: return accepted
        }
    }
}
