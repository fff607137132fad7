import MicroHTTP
import ReorderAuth
import ReorderJSON
import ReorderService
import ReorderStore
import ReorderWebhooks

/// The lists that a feed has: those that the request names, as far as the client may read them.
struct FeedSelection: Sendable {
    private let lists: ListPatterns
    /// The lists that the client may read.
    private let allowed: ListPatterns
    /// A link does not show its list's changes up to this version.
    private let historyAfter: Int
    /// The same lists as ranges of ids; nil for all lists.
    let ranges: [ListIDRange]?

    private init(_ lists: ListPatterns, of allowed: ListPatterns, _ request: Request) {
        self.lists = lists
        self.allowed = allowed
        historyAfter = request.historyAfter
        ranges = lists.ranges(after: nil)
    }

    /// Whether the client gets a change.
    func contains(_ entry: JournalEntry) -> Bool {
        lists.allow(entry.list) && !entry.isHidden && entry.change.version > historyAfter
    }

    /// The event of a change of one of these lists. If the change moves tasks to or from a list that
    /// the client may not read, it does not name that list.
    ///
    /// - Parameter epoch: the store's epoch.
    func event(_ entry: JournalEntry, epoch: String) -> FeedEvent {
        FeedEvent(entry, epoch: epoch, naming: allowed == .all ? nil : { allowed.allow($0) })
    }

    /// Whether the event of a change leaves out the id of another list.
    func hidesOtherList(of entry: JournalEntry) -> Bool {
        guard allowed != .all,
            let other = ChangeDocument.otherList(ofJSON: entry.change.bytes)
        else { return false }
        return !allowed.allow(other)
    }

    /// Reads the parameters `lists` and `prefix`.
    ///
    /// - Throws: if the client may not read a list that `lists` names.
    init(_ request: Request) throws(Problem) {
        let allowed = request.readableLists
        switch (request.query["lists"], request.query["prefix"]) {
        case (nil, nil): self.init(allowed, of: allowed, request)
        case (_?, _?):
            throw Problem(.invalidQuery, "Send either lists or prefix, not both.")
        case (let names?, nil):
            let names = names.split(separator: ",", omittingEmptySubsequences: false).map(
                String.init)
            guard names.allSatisfy(Identifier.isValid), let lists = ListPatterns(names) else {
                throw Problem(
                    .invalidQuery,
                    "The parameter lists must be 1 to \(ListPatterns.maximumCount) ids of lists, "
                        + "separated by commas.")
            }
            if let list = names.first(where: { !allowed.allow($0) }) {
                throw Problem(ServiceError.listForbidden(list))
            }
            self.init(lists, of: allowed, request)
        case (nil, let prefix?):
            guard !prefix.isEmpty, let lists = ListPatterns([prefix + "*"]) else {
                throw Problem(.invalidQuery, "The parameter prefix must be the start of an id.")
            }
            self.init(allowed.intersection(lists), of: allowed, request)
        }
    }
}
