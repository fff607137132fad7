/// A content coding of a response (RFC 9110, section 8.4.1).
///
/// The same data has a strong entity tag for each coding: `"7"`, and `"7+gzip"` if it is
/// compressed. Tags of applications must not end in `+gzip`.
package enum ContentCoding: Sendable, Hashable {
    case identity, gzip

    private static let suffix = "+gzip\""

    /// The tag of this form of a response.
    package func tag(_ tag: String) -> String {
        self == .gzip && tag.hasSuffix("\"") ? tag.dropLast() + Self.suffix : tag
    }

    /// The coding that a tag is of.
    package init(ofTag tag: UnsafeBufferPointer<UInt8>) {
        let suffix: StaticString = "+gzip\""
        let start = tag.count - suffix.utf8CodeUnitCount
        self =
            start > 0 && UnsafeBufferPointer(rebasing: tag[start...]).equals(suffix)
            ? .gzip : .identity
    }

    /// The tag of the identity form that belongs to a tag.
    package static func identityTag(_ tag: Substring) -> Substring {
        tag.hasSuffix(suffix) ? tag.dropLast(suffix.count) + "\"" : tag
    }

    /// The number of bytes that this coding adds to a tag.
    package var tagSuffixCount: Int { self == .gzip ? Self.suffix.utf8.count - 1 : 0 }

    /// Chooses the coding of the response. It is gzip if the client accepts it, and does not prefer
    /// the identity form.
    ///
    /// - Parameter field: the value of `Accept-Encoding`. Malformed elements are ignored.
    init(accepted field: UnsafeBufferPointer<UInt8>) {
        /// Weights in thousandths.
        var gzip: Int?
        var others: Int?
        var identity = 0
        var rest = field[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
            let element = rest[..<end]
            rest = rest[end...].dropFirst()
            let nameEnd = element.firstIndex(of: UInt8(ascii: ";")) ?? element.endIndex
            let name = UnsafeBufferPointer(rebasing: element[..<nameEnd].trimmed)
            guard let weight = Self.weight(element[nameEnd...]) else { continue }
            if name.equalsIgnoringCase("gzip") || name.equalsIgnoringCase("x-gzip") {
                gzip = max(gzip ?? 0, weight)
            } else if name.equalsIgnoringCase("identity") {
                identity = weight
            } else if name.equals("*") {
                others = weight
            }
        }
        let weight = gzip ?? others ?? 0
        self = weight > 0 && weight >= identity ? .gzip : .identity
    }

    /// The weight in the parameters of an element, in thousandths; nil if it is malformed.
    private static func weight(_ parameters: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard !parameters.isEmpty else { return 1_000 }
        let text = parameters.dropFirst().trimmed
        guard text.count >= 3, text.count <= 7, lowercased(text[text.startIndex]) == 0x71,
            text[text.startIndex + 1] == UInt8(ascii: "=")
        else { return nil }
        let digits = text.dropFirst(2)
        var weight = 0
        for (index, digit) in digits.enumerated() {
            if index == 1 {
                guard digit == UInt8(ascii: ".") else { return nil }
                continue
            }
            guard (0x30...0x39).contains(digit) else { return nil }
            weight = weight * 10 + Int(digit - 0x30)
        }
        for _ in max(digits.count, 2)..<5 { weight *= 10 }
        return weight <= 1_000 ? weight : nil
    }
}

extension RequestHead {
    /// The coding to send, from `Accept-Encoding`. Complexity: O(1) without this field.
    var acceptedCoding: ContentCoding {
        guard contains("accept-encoding") else { return .identity }
        if let coding = withOnly("accept-encoding", { ContentCoding(accepted: $0) }) {
            return coding
        }
        let joined = Array(all("accept-encoding").joined(separator: ",").utf8)
        return joined.withUnsafeBufferPointer { ContentCoding(accepted: $0) }
    }

    /// Whether `Content-Encoding` says more than `identity`. Complexity: O(1) without this field.
    var hasCodedBody: Bool {
        guard contains("content-encoding") else { return false }
        let isIdentity = withOnly("content-encoding") {
            $0.isEmpty || $0.equalsIgnoringCase("identity")
        }
        return isIdentity != true
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// Without the white space around it.
    var trimmed: Self {
        var part = self
        while let first = part.first, first == 0x20 || first == 0x09 { part = part.dropFirst() }
        while let last = part.last, last == 0x20 || last == 0x09 { part = part.dropLast() }
        return part
    }
}
