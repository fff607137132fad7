/// Where lists are kept: for each list a snapshot at some version and the changes after it.
///
/// A store knows nothing of ordering: a change and a snapshot are bytes to it. What it promises:
///
/// - **Durable.** When `append` returns, everything given to it survives a crash of the process and
///   of the machine (the memory store: survives nothing, and says so).
/// - **All or none.** `append` writes every commit and every answer it is given, or, where it throws,
///   none of them.
/// - **Conditional.** A commit of version v is written only where the list's last version is v − 1
///   (v = 1: where there never was such a list). Otherwise `append` throws `conflict`; so it does
///   where a commit without a snapshot builds on a list that is not there.
/// - **No version twice.** A deleted list's last version is kept; the same id used again counts on.
/// - **Task ids are unique** over all lists: inserting one that another list holds throws
///   `taskTaken`; inserting one that the list itself holds, or deleting one that it does not, does
///   nothing. Within one `append`, commits take effect in the order of the array; within one commit,
///   the tasks it deletes are free before those it inserts are looked at.
/// - **Reads see every `append` that returned** before the read began.
/// - **Two snapshots.** The newest snapshot of a list and the one before it are kept, and every
///   change after the older one: so it can be proved that a snapshot and the changes after it are
///   the next snapshot. A list that is deleted has none; made again, it begins with one.
/// - **History ends somewhere.** Only `forgetChanges` removes changes. Versions, lists, snapshots
///   and tasks stay as they are.
/// - **An answer is kept once.** Writing one whose key has another that had not expired by the new
///   one's `at` throws `conflict` for its owner; one that had expired is replaced. Answers belong to
///   the name of a list or task, not to what has it: there need be none, and what becomes of it
///   leaves its answers as they are. Only `removeAnswers` removes them.
///
/// Ids are ASCII. All calls block and may come from any thread; `append` comes from one thread at a
/// time, and so do `forgetChanges` and `removeAnswers`, which may be another.
package protocol ListStore: Sendable {
    /// Whether `append` waits for nothing, neither a device nor another process: then whichever thread
    /// has something to write calls it. False where a store does not say.
    var isImmediate: Bool { get }

    /// Names the past that the versions belong to; `nil` as long as the store was never restored from
    /// a backup. A version says which content a list has only together with it: after a restore,
    /// lists reach versions again that they had before. Does not change while the store is open.
    var epoch: String? { get }

    /// A time that has come, in milliseconds since 1970, as far as the store knows one without the
    /// clock of this machine; `nil` where it does not. What it was when the store was opened.
    var latestTime: Int64? { get }

    /// The newest snapshot of a list and every change after it, oldest first.
    ///
    /// - Returns: `nil` where there never was such a list; `content: nil` where it was deleted.
    func load(_ list: String) throws(StoreError) -> StoredList?

    /// Writes all commits and answers and makes them durable with one sync, or throws and writes none.
    func append(_ commits: [ListCommit], answers: [StoredAnswer]) throws(StoreError)

    /// The answers that are kept to these; keys without one are absent.
    ///
    /// Whether one still counts the caller has to look: expired ones may be there or not.
    func answers(to keys: [AnswerKey]) throws(StoreError) -> [AnswerKey: StoredAnswer]

    /// The lists that hold these tasks; ids that no list holds are absent.
    func lists(holding tasks: [String]) throws(StoreError) -> [String: String]

    /// The lists that exist, in ascending order of their ids' UTF-8 bytes.
    ///
    /// - Parameters:
    ///   - list: only those after this id; `nil` from the first.
    ///   - limit: at most so many, at least 1.
    func summaries(after list: String?, limit: Int) throws(StoreError) -> [ListSummary]

    /// The changes of a list after a version, oldest first, at most `limit`.
    ///
    /// A deletion is a change too, and the changes before it stay until they are forgotten.
    ///
    /// - Returns: `nil` where some change after `version` is no longer kept; none where there never
    ///   was such a list, or `version` is the last one or later.
    func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?

    /// The snapshots that are kept of a list, oldest first: two, or one where there was no second.
    ///
    /// - Returns: none where there is no such list, or it is deleted.
    func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot]

    /// Removes some of the changes that are no longer to be kept.
    ///
    /// A change goes where it was decided before `time`, or at `future` or later, is not among the last `keepingLast` of its
    /// list, is not after the older one of the list's snapshots, is not the list's last change, and
    /// where all changes of the list before it go too: so what is kept has no gaps, also where the
    /// clock was set back. One from the future does not hold up those after it: the clock was wrong when
    /// it was decided. From then on `changes` answers `nil` for the versions before it.
    ///
    /// One call is one short piece of the work: it looks at a bounded number of lists. The calls up
    /// to one that answers `false` are a pass; after it everything is gone that was to go when the
    /// pass began. The next call begins the next pass.
    ///
    /// What is to be kept is not read again in each pass: a pass costs a look at each list, and
    /// what goes.
    ///
    /// - Parameters:
    ///   - time: in milliseconds since 1970; `.max` where age keeps nothing.
    ///   - future: in milliseconds since 1970; `.max` where all times are believed.
    ///   - keepingLast: how many of a list's last changes stay however old they are, at least 0.
    ///   - limit: at most so many changes go, at least 1.
    /// - Returns: whether the pass goes on.
    /// - Throws: what `append` throws for the store as a whole; or `corrupt` for a list, at which
    ///   the next call does not look again in this pass.
    func forgetChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool

    /// Removes some of the answers that expired at a time or before.
    ///
    /// One call is one short piece of the work. The calls up to one that answers `false` are a pass;
    /// after it all are gone that had expired when the pass began.
    ///
    /// - Parameters:
    ///   - time: in milliseconds since 1970.
    ///   - limit: at most so many go, at least 1.
    /// - Returns: whether the pass goes on.
    func removeAnswers(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool

    /// What the store takes where it keeps things, in bytes; `nil` where that is not known. May be asked
    /// for any time, costs little, and throws nothing away.
    var sizeBytes: Int? { get }

    /// Ends all work and releases the store; no call may follow.
    func close() throws(StoreError)
}

extension ListStore {
    package var isImmediate: Bool { false }
    package var epoch: String? { nil }
    package var latestTime: Int64? { nil }
    package var sizeBytes: Int? { nil }

    /// Forgets changes by times that are all believed.
    package func forgetChanges(
        olderThan time: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        try forgetChanges(olderThan: time, orFrom: .max, keepingLast: keepingLast, limit: limit)
    }

    /// Writes commits without answers.
    package func append(_ commits: [ListCommit]) throws(StoreError) {
        try append(commits, answers: [])
    }
}
