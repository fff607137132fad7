import ReorderStore

/// The payload of `NOTIFY`, with which servers notify one another of commits: lists and their
/// versions.
enum CommitNotification {
    static let channel = "reorderd"

    /// The payload after a change of any tokens, by an earlier version. It is one word, and other payloads are pairs.
    private static let tokensChanged = "tokens"
    /// Before the id of the token that was added or removed. An earlier version does not know such a payload, and reads
    /// all tokens.
    static let tokenPrefix = "tokens:"

    /// PostgreSQL's limit is 7,999 bytes.
    private static let maximumBytes = 7_900

    /// `list version list version …`
    static func payloads(_ lists: [(id: String, version: Int)]) -> [String] {
        var payloads: [String] = []
        var last = ""
        for list in lists {
            let part = "\(list.id) \(list.version)"
            if !last.isEmpty, last.utf8.count + part.utf8.count >= maximumBytes {
                payloads.append(last)
                last = ""
            }
            last += last.isEmpty ? part : " \(part)"
        }
        return payloads + [last]
    }

    static func news(_ payload: String) -> [StoreNotification] {
        if payload == tokensChanged { return [.tokensChanged] }
        let parts = payload.split(separator: " ")
        if parts.count == 1, payload.hasPrefix(tokenPrefix) {
            return [.tokenChanged(id: String(payload.dropFirst(tokenPrefix.count)))]
        }
        guard parts.count.isMultiple(of: 2) else { return [.possiblyMissed] }
        return stride(from: 0, to: parts.count, by: 2).map { place in
            guard let version = Int(parts[place + 1]) else { return .possiblyMissed }
            return .changed(list: String(parts[place]), version: version)
        }
    }
}
