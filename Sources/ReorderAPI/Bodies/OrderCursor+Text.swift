import ReorderJSON
import ReorderService

/// The cursors of pages with `order`: the mark of the order, a colon, the JSON of the value in hexadecimal
/// digits, a colon, and the text of the ties. No other cursor has a colon. Clients must not interpret it.
extension OrderCursor {
    /// - Parameter folds: the list of folds; its id and `@` precede the text.
    func text(_ tags: EntityTags, of order: DataOrder, folds: String? = nil) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let hexadecimal = (key?.json ?? []).flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return (folds.map { $0 + "@" } ?? "") + order.mark + ":"
            + String(decoding: hexadecimal, as: UTF8.self) + ":" + (ties?.text(tags) ?? "")
    }

    /// Returns nil if the text has another form, or is of another order.
    init?(_ text: Substring, of order: DataOrder, _ tags: EntityTags) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == order.mark, let key = Self.bytes(parts[1]) else {
            return nil
        }
        self.init(key: nil, ties: nil)
        if !key.isEmpty {
            self.key = JSONScalar(json: key)
            guard self.key != nil, self.key != .null else { return nil }
        }
        if !parts[2].isEmpty {
            ties = SearchCursor(String(parts[2]), tags)
            guard ties?.cursor != nil else { return nil }
        }
    }

    private static func bytes(_ hexadecimal: Substring) -> [UInt8]? {
        let digits = Array(hexadecimal.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
