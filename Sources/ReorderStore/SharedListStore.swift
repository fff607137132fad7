/// A store that other processes write too, at the same time.
///
/// What `ListStore` promises holds for all of them together: `append` is conditional on what any of
/// them wrote, and reads see every `append` that returned in any of them before the read began.
package protocol SharedListStore: ListStore {
    /// Writes groups of commits and answers and makes all that is written durable with one sync.
    ///
    /// Each group is written as a whole or not at all. Lists do not stand in two groups.
    ///
    /// - Parameter whileUnknown: called again and again while it is not known how a commit ended.
    /// - Returns: for each group why it was not written, which may be `conflict` or `taskTaken`; `nil`
    ///   where it was.
    /// - Throws: where none was written; `unknown` where that can't be found out in time.
    func append(
        _ groups: [CommitGroup], whileUnknown: () -> Void
    ) throws(StoreError) -> [StoreError?]

    /// Where lists stand, and what somebody who has an earlier version needs: one look for all.
    ///
    /// Asked of no list it tells whether the store is there.
    ///
    /// - Returns: none for a list that never was.
    func standings(of questions: [StandingQuestion]) throws(StoreError) -> [String: ListStanding]

    /// Has others' commits told from now on, until the store is closed.
    ///
    /// What is told may come twice, out of order, or not at all; whether it is durable a look tells.
    func listen(_ onNews: @escaping @Sendable (StoreNews) -> Void)

    /// After how many seconds to look for what was not told.
    var secondsBetweenLooks: Double { get }

    /// Whether the store can be reached, as far as is known: where it can't, calls throw
    /// `unavailable` at once, until it can be again.
    var isReachable: Bool { get }

    /// After so many seconds calls no longer wait for a store that is away, or stands still, and throw:
    /// `unknown` where something was sent to be committed.
    func prepareToClose(inSeconds seconds: Double)
}

/// Commits and answers that become durable together or not at all.
package struct CommitGroup: Sendable, Equatable {
    package var commits: [ListCommit]
    package var answers: [StoredAnswer]

    package init(commits: [ListCommit], answers: [StoredAnswer]) {
        self.commits = commits
        self.answers = answers
    }
}

/// The wish to know where a list stands.
package struct StandingQuestion: Sendable, Equatable {
    package var list: String
    /// The version that whoever asks has; `nil`: none, and no changes are wanted.
    package var known: Int?

    package init(list: String, known: Int?) {
        self.list = list
        self.known = known
    }
}

/// Where a list stands in a store.
package struct ListStanding: Sendable, Equatable {
    package var version: Int
    /// Whether the list exists at that version.
    package var exists: Bool
    /// The version and the size of its newest snapshot; 0 where there is none.
    package var snapshotVersion: Int
    package var snapshotBytes: Int
    /// The changes from the known version to `version`, without gaps; none where they are too many,
    /// or no longer kept.
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

/// What a shared store tells by itself.
package enum StoreNews: Sendable, Equatable {
    /// A list has a new version.
    case changed(list: String, version: Int)
    /// Something may have been missed.
    case unsure
}
