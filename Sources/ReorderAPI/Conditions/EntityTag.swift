import MicroHTTP
import ReorderService

/// Entity tags (RFC 9110): a list's is its version in quotes, and strong.
enum EntityTag {
    static func of(_ version: Int) -> String { "\"" + String(version) + "\"" }

    /// The tags of an `If-Match` or `If-None-Match` field, each as it was written.
    ///
    /// A comma inside quotes belongs to the tag.
    static func list(_ field: String) -> [Substring] {
        var tags: [Substring] = []
        var rest = Substring(field)
        while let start = rest.firstIndex(where: { $0 != " " && $0 != "\t" && $0 != "," }) {
            var isQuoted = false
            let end =
                rest[start...].firstIndex { character in
                    if character == "\"" { isQuoted.toggle() }
                    return character == "," && !isQuoted
                } ?? rest.endIndex
            var tag = rest[start..<end]
            while tag.last == " " || tag.last == "\t" { tag.removeLast() }
            tags.append(tag)
            rest = rest[end...]
        }
        return tags
    }

    /// The version that a strong tag of this server names.
    static func version(of characters: some BidirectionalCollection<UInt8>) -> Int? {
        let quote = UInt8(ascii: "\"")
        guard characters.count > 2, characters.first == quote, characters.last == quote else {
            return nil
        }
        let digits = characters.dropFirst().dropLast()
        guard digits.first != UInt8(ascii: "0") else { return nil }
        var version = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (tens, isTooLarge) = version.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeNow) = tens.addingReportingOverflow(Int(digit - 0x30))
            guard !isTooLarge, !isTooLargeNow else { return nil }
            version = sum
        }
        return version
    }
}

extension Request {
    /// What `If-Match` asks for, and without it `If-None-Match: *`, the only use that a write has for
    /// that field. Weak tags never match (strong comparison).
    var precondition: Precondition {
        guard headers["If-Match"] != nil || headers["If-None-Match"] != nil else { return .none }
        let fields = headers.all("If-Match")
        guard !fields.isEmpty else {
            return EntityTag.list(headers.all("If-None-Match").joined(separator: ",")) == ["*"]
                ? .absent : .none
        }
        let tags = EntityTag.list(fields.joined(separator: ","))
        if tags == ["*"] { return .exists }
        return .versions(tags.compactMap { EntityTag.version(of: $0.utf8) })
    }

    /// Whether `If-None-Match` says that the client has this version already.
    func hasSeen(version: Int) -> Bool { seenVersions.contains(version) }

    /// What `If-None-Match` says that the client has already (weak comparison).
    var seenVersions: SeenVersions {
        // Nearly every client sends the one tag that it was given.
        let only = headers.withOnly("if-none-match") { EntityTag.version(of: $0) }
        if let only { return .one(only) }
        let fields = headers.all("If-None-Match")
        guard !fields.isEmpty else { return .none }
        let tags = EntityTag.list(fields.joined(separator: ","))
        if tags.contains("*") { return .all }
        return .some(
            tags.compactMap { tag in
                EntityTag.version(of: (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag).utf8)
            })
    }
}

/// The versions of a list that a client has.
enum SeenVersions: Sendable {
    case none
    case one(Int)
    case some([Int])
    /// `*`: whichever there is.
    case all

    func contains(_ version: Int) -> Bool {
        switch self {
        case .none: false
        case .one(let seen): seen == version
        case .some(let versions): versions.contains(version)
        case .all: true
        }
    }
}
