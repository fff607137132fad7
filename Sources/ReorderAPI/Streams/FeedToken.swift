import ReorderJSON

/// The place of a client in the feed of all lists: the value of `since` and `Last-Event-ID`.
///
/// Clients must not interpret it. It is `p` and a position, with the store's epoch like the token of
/// a list. If the client is receiving the lists that have changed, `.`, the first position of such
/// a change, `.` and the last list that was sent follow.
enum FeedToken: Sendable, Equatable {
    /// All changes up to this position were sent.
    case at(Int)
    /// The client gets the lists that have changed at position `from` or later, in the order of
    /// their ids, and then the changes after `end`. All lists up to `list` were sent.
    case lists(from: Int, end: Int, after: String?)

    /// The text; nil if the client has received nothing of this epoch, or of the lists, yet.
    func text(_ tags: EntityTags) -> String? {
        switch self {
        case .at(.max): nil
        case .at(let position): "p" + tags.token(position)
        case .lists(let from, let end, let list):
            list.map { "p\(tags.token(end)).\(from).\($0)" }
        }
    }

    /// Returns nil if the text has another form. The position in a text of another epoch is
    /// `Int.max`, so that the client gets all lists.
    ///
    /// - Parameter mayLackEpoch: whether a text without an epoch counts as one of another epoch.
    init?(_ text: Substring, _ tags: EntityTags, mayLackEpoch: Bool = false) {
        guard text.first == "p" else { return nil }
        let parts = text.dropFirst().split(
            separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard let end = tags.version(ofToken: parts[0], mayLackEpoch: mayLackEpoch) else {
            return nil
        }
        switch parts.count {
        case 1: self = .at(end)
        case 3:
            guard let from = Int(parts[1]), from >= 0, Identifier.isValid(String(parts[2])) else {
                return nil
            }
            self = end == .max ? .at(end) : .lists(from: from, end: end, after: String(parts[2]))
        default: return nil
        }
    }
}
