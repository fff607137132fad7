/// A store that several processes use at the same time.
///
/// The contract of `ListStore` holds across all of them: `append` is conditional on the writes of
/// any process, and reads see every `append` that returned in any process before the read began.
package protocol SharedListStore: ListStore {
    /// Writes groups of commits and responses and makes them durable with one sync.
    ///
    /// Each group is written completely or not at all. A list is in at most one group.
    ///
    /// - Parameter whileUnknown: called repeatedly while the outcome of a commit is unknown.
    /// - Returns: for each group the reason why it was not written (`conflict` or `taskTaken`), or
    ///   nil if it was written.
    /// - Throws: if no group was written; `unknown` if the outcome can't be determined in time.
    func append(
        _ groups: [CommitGroup], whileUnknown: () -> Void
    ) throws(StoreError) -> [StoreError?]

    /// Returns the current versions of lists, and the changes since the versions that the caller
    /// has, with one query.
    ///
    /// With an empty array it only checks that the store is reachable.
    ///
    /// - Returns: no entry for a list that never existed.
    func listStates(of questions: [ListStateQuery]) throws(StoreError) -> [String: StoredListState]

    /// Returns the state of the tokens. Transfers a few bytes for any number of tokens.
    func tokenState() throws(StoreError) -> TokenState

    /// Calls `onNews` for other processes' commits, until the store is closed.
    ///
    /// Notifications may be repeated, reordered or lost. A notification may arrive before its
    /// version is durable; only a query returns the durable version.
    func listen(_ onNews: @escaping @Sendable (StoreNotification) -> Void)

    /// Calls `body` once, if the store went back to an earlier state, or has a new epoch. From then on,
    /// all calls throw `unavailable`: the server must open the store again, and drop what it knows.
    ///
    /// A read or an append that would follow from what is lost throws too. When `body` is called, the
    /// store has a new epoch.
    func whenRewound(_ body: @escaping @Sendable (StoreRewind) -> Void)

    /// The interval at which to poll for changes that were not notified, in seconds.
    var secondsBetweenPolls: Double { get }

    /// Whether the store is reachable, as far as known. While it is not, calls throw `unavailable`
    /// immediately.
    var isReachable: Bool { get }

    /// After this many seconds, calls no longer wait for an unreachable or stalled store, but
    /// throw. If a commit was sent, they throw `unknown`.
    func prepareToClose(inSeconds seconds: Double)
}

extension SharedListStore {
    package func whenRewound(_ body: @escaping @Sendable (StoreRewind) -> Void) {}
}

/// Commits and responses that become durable together or not at all.
package struct CommitGroup: Sendable {
    package var commits: [ListCommit]
    package var responses: [StoredResponse]

    package init(commits: [ListCommit], responses: [StoredResponse]) {
        self.commits = commits
        self.responses = responses
    }

    package var isEmpty: Bool { commits.isEmpty && responses.isEmpty }
}

/// A query for a list's current version.
package struct ListStateQuery: Sendable, Equatable {
    package var list: String
    /// The version that the caller has; nil if it has none and needs no changes.
    package var known: Int?

    package init(list: String, known: Int?) {
        self.list = list
        self.known = known
    }
}

/// A list's current version in a store.
package struct StoredListState: Sendable, Equatable {
    package var version: Int
    /// Whether the list exists at that version.
    package var exists: Bool
    /// The version and size of its newest snapshot, or 0.
    package var snapshotVersion: Int
    package var snapshotBytes: Int
    /// The changes from the known version to `version`, without gaps; empty if there are too many,
    /// or some were pruned.
    package var changes: [StoredChange]

    package init(
        version: Int, exists: Bool, snapshotVersion: Int, snapshotBytes: Int,
        changes: [StoredChange]
    ) {
        self.version = version
        self.exists = exists
        self.snapshotVersion = snapshotVersion
        self.snapshotBytes = snapshotBytes
        self.changes = changes
    }
}

/// A notification from a shared store.
package enum StoreNotification: Sendable, Equatable {
    /// A list has a new version.
    case changed(list: String, version: Int)
    /// A token was added or removed.
    case tokenChanged(id: String)
    /// Any tokens were added or removed.
    case tokensChanged
    /// Notifications may have been lost.
    case possiblyMissed
}
