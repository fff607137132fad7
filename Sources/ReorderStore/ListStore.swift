/// Stores lists: for each list a snapshot at some version, and the changes after it.
///
/// A store does not interpret changes and snapshots; they are bytes. Its contract:
///
/// - **Durable.** When `append` returns, its commits and responses survive a crash of the process
///   and of the machine. (The memory store is not durable.)
/// - **Atomic.** `append` writes all commits and responses; if it throws, it writes none.
/// - **Conditional.** A commit of version v is written only if the list's last version is v − 1
///   (for v = 1: if the list never existed). Otherwise `append` throws `conflict`. It also throws
///   `conflict` if a commit without a snapshot is for a list that does not exist.
/// - **Versions are not reused.** A deleted list's last version is kept; if the id is used again,
///   versions continue after it.
/// - **Task ids are unique** across all lists. Inserting a task that is in another list throws
///   `taskTaken`. Inserting a task that is in the list already, or deleting a task that is not in
///   it, does nothing. The commits of one `append` take effect in order; within a commit, deletions
///   take effect before insertions.
/// - **Reads see every `append` that returned** before the read began.
/// - **Two snapshots.** A store keeps the newest two snapshots of a list and all changes after the
///   older one, so that `reorderd check` can verify that the older snapshot and the changes after
///   it give the newer snapshot. A deleted list has no snapshots, unless it is in the bin; if it is
///   created again, it starts with one.
/// - **Bin.** A commit with `binned` deletes the list and its tasks, and keeps its snapshots. The next
///   commit for the list removes them. So a list in the bin never exists, and its last version is the
///   deletion.
/// - **Retention.** Only `pruneChanges` removes changes. It does not affect versions, lists,
///   snapshots and tasks.
/// - **Former lists are hidden.** When a list is deleted without the bin, leaves the bin without being
///   restored, or gets the id of a deleted list, the earlier changes of this id are hidden at once, also from
///   reads that begin later with an earlier version: `changes` and `prunedVersion` treat them as pruned, and
///   in `journal` they have no bytes. A deletion itself is hidden when its list is created again. The
///   bytes stay in the store until they are pruned.
/// - **Positions.** The changes of all lists have the positions 1, 2, 3 … in the order in which they
///   become visible: a read that sees a change also sees all changes with earlier positions. The
///   versions of a list have ascending positions. The changes of an append that throws have none.
/// - **Stored responses are unique.** Writing a response throws `conflict` if the store has a
///   response with the same key that is not expired at the new response's `at`. An expired response
///   is replaced. A response refers to a list or task by id only: the list or task need not exist,
///   and its deletion does not affect its responses. Only `removeResponses` removes responses.
///
/// - **Tokens** have no position in the journal. A token of a list is removed with its list, atomically.
///
/// Ids are ASCII. All calls block and may come from any thread. Concurrent calls of `append` must
/// be for different lists, and for different keys of responses. The result is as if they ran one
/// after the other. Only one thread at a time may call `pruneChanges` or `removeResponses`, and
/// only one thread at a time `tidy`.
package protocol ListStore: AnyObject, Sendable {
    /// The name of the store's epoch. A version identifies a list's content only together with its
    /// epoch: in a new store, and after a restore, lists reach versions again that they had before.
    /// So each new store begins an epoch, and so does each restored one. Constant while the store is
    /// open.
    var epoch: String { get }

    /// A time that has certainly passed, in milliseconds since 1970, taken from the store rather
    /// than from this machine's clock; nil if unknown. It is read when the store is opened.
    var latestTime: Int64? { get }

    /// The time that the last call of `keep` has stored; nil if there was none. It is read when the store is
    /// opened.
    var trustedTime: Int64? { get }

    /// Stores the time by which something has expired, in milliseconds since 1970, durably. Unlike
    /// `latestTime`, it does not depend on timestamps, which a wrong clock can have made.
    func keep(trustedTime: Int64) throws(StoreError)

    /// The store's own time, in milliseconds since 1970: of a database, which all its servers have; nil if
    /// the store has no clock.
    func currentTime() throws(StoreError) -> Int64?

    /// Loads the newest snapshot of a list and all changes after it, oldest first.
    ///
    /// - Returns: nil if the list never existed; `content: nil` if it was deleted.
    func load(_ list: String) throws(StoreError) -> LoadedList?

    /// Writes all commits and responses and makes them durable with one sync, or throws and writes
    /// none.
    ///
    /// - Parameter beforeVisible: called before reads can see any of it, but not much earlier.
    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError)

    /// Completes, in small steps, the work that large appends and removals have left. It does not
    /// affect the results of reads. Other calls wait for at most one step.
    ///
    /// - Parameter goesOn: called before each step; false ends this call. The next call continues.
    func tidy(while goesOn: () -> Bool) throws(StoreError)

    /// Returns the responses stored under these keys; keys without a response are absent.
    ///
    /// The result may include expired responses: the caller checks `expires`.
    func responses(to keys: [StoredResponseKey]) throws(StoreError) -> [StoredResponseKey:
        StoredResponse]

    /// Returns the lists that contain these tasks; tasks that are in no list are absent.
    func lists(containing tasks: [String]) throws(StoreError) -> [String: String]

    /// Returns the existing lists, in ascending order of their ids' UTF-8 bytes.
    ///
    /// - Parameters:
    ///   - list: returns only lists after this id; nil means from the first.
    ///   - limit: the maximum number of lists, at least 1.
    func summaries(after list: String?, limit: Int) throws(StoreError) -> [IndexedList]

    /// Returns the changes of a list after a version, oldest first, at most `limit`.
    ///
    /// A deletion is a change too, and the changes before it are kept until they are pruned.
    ///
    /// - Returns: nil if a change after `version` was pruned or is hidden; an empty array if the list never
    ///   existed or `version` is not below its last version.
    func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?

    /// Returns the version after which all changes of a list are stored and not hidden; 0 if that is none,
    /// or the list never existed.
    func prunedVersion(of list: String) throws(StoreError) -> Int

    /// Returns the changes of all lists after a position, in the order of their positions, at most
    /// `limit`.
    ///
    /// - Parameter position: 0 means from the first change that has a position.
    /// - Returns: nil if a change after `position` was pruned, or no change has this position.
    func journal(after position: Int, limit: Int) throws(StoreError) -> [JournalEntry]?

    /// The position of the last change; 0 if no change has a position.
    func lastPosition() throws(StoreError) -> Int

    /// Returns the last changes of the lists that ever existed, in ascending order of the lists'
    /// ids. Like `summaries`, but with deleted lists.
    func heads(after list: String?, limit: Int) throws(StoreError) -> [ListHead]

    /// Returns the lists in the bin, in ascending order of their ids' UTF-8 bytes.
    ///
    /// - Parameters:
    ///   - list: returns only lists after this id; nil means from the first.
    ///   - limit: the maximum number of lists, at least 1.
    func deletedLists(after list: String?, limit: Int) throws(StoreError) -> [BinEntry]

    /// Returns a list in the bin; nil if it is not there.
    func deletedList(_ list: String, withContent: Bool) throws(StoreError) -> BinEntry?

    /// Removes some of the lists that were deleted before a time from the bin.
    ///
    /// Each call does a bounded amount of work. The calls up to one that returns `false` form a
    /// pass, which removes all lists that had expired when it began.
    ///
    /// - Parameters:
    ///   - time: in milliseconds since 1970; `.max` removes all.
    ///   - limit: the maximum number of lists to remove, at least 1.
    /// - Returns: whether the pass is unfinished.
    func pruneBin(deletedBefore time: Int64, limit: Int) throws(StoreError) -> Bool

    /// Returns the one or two stored snapshots of a list, oldest first.
    ///
    /// - Returns: an empty array if the list does not exist, or is deleted and not in the bin.
    func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot]

    /// Like `snapshots`, but without those that are not valid.
    func validSnapshots(of list: String) throws(StoreError) -> [StoredSnapshot]

    /// Prunes some of the changes beyond the retention limits.
    ///
    /// A change is pruned if all of these hold: it was decided before `time`, or at `future` or
    /// later; it is not among the last `keepingLast` of its list; it is not after the older one of
    /// the list's snapshots; it is not the list's last change; and all earlier changes of the list
    /// are pruned too. The retained changes therefore have no gaps, even if the clock was set back.
    /// A change with a time of `future` or later does not keep later changes from being pruned,
    /// because the clock was wrong when it was decided. When a change is pruned, `changes` returns
    /// nil for the versions before it.
    ///
    /// Each call does a bounded amount of work and looks at a bounded number of lists. The calls up
    /// to one that returns `false` form a pass, which prunes all changes that were beyond the
    /// limits when it began. The next call begins the next pass.
    ///
    /// A pass does not read changes that are retained: its cost is proportional to the number of
    /// lists and of pruned changes.
    ///
    /// - Parameters:
    ///   - time: in milliseconds since 1970; `.max` if age does not retain changes.
    ///   - future: in milliseconds since 1970; `.max` if all times are trusted.
    ///   - keepingLast: the number of a list's last changes to retain at any age, at least 0.
    ///   - limit: the maximum number of changes to prune, at least 1.
    /// - Returns: whether the pass is unfinished.
    /// - Throws: the errors that `append` throws; or `corrupt` if a list's data is invalid. Later
    ///   calls of the pass skip that list.
    func pruneChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool

    /// Removes some of the responses that had expired at a time.
    ///
    /// Each call does a bounded amount of work. The calls up to one that returns `false` form a
    /// pass, which removes all responses that had expired when it began.
    ///
    /// - Parameters:
    ///   - time: in milliseconds since 1970.
    ///   - limit: the maximum number of responses to remove, at least 1.
    /// - Returns: whether the pass is unfinished.
    func removeResponses(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool

    /// Returns some tokens, in ascending order of their ids. Complexity: O(result), for any number of tokens.
    func tokens(_ query: TokenQuery) throws(StoreError) -> [StoredToken]

    /// Adds a token, durably. Adding it again does nothing.
    ///
    /// - Returns: false if the token is of a list that does not exist; then it is not added.
    /// - Throws: `conflict` if another token has its id.
    func addToken(_ token: StoredToken) throws(StoreError) -> Bool

    /// Removes tokens, durably; ids without a token are ignored.
    func removeTokens(_ ids: [String]) throws(StoreError)

    /// Finds out whether the store's files are still those that it opened. It is cheap enough for every few
    /// seconds.
    ///
    /// - Throws: `refused` if they were renamed or overwritten. Then the store must not be used any more,
    ///   nor closed.
    func checkFiles() throws(StoreError)

    /// What the store uses now. It is cheap to read at any time.
    var usage: StoreUsage { get }

    /// Completes all work and releases the store. No call may follow.
    func close() throws(StoreError)
}

extension ListStore {
    /// All tokens, in ascending order of their ids. Tokens that are added or removed meanwhile may be missing.
    package func tokens() throws(StoreError) -> [StoredToken] {
        var all: [StoredToken] = []
        while true {
            let page = try tokens(.page(after: all.last?.id, limit: 1_000))
            all += page
            guard page.count == 1_000 else { return all }
        }
    }

    package var latestTime: Int64? { nil }
    package var trustedTime: Int64? { nil }
    package func keep(trustedTime: Int64) throws(StoreError) {}
    package func currentTime() throws(StoreError) -> Int64? { nil }
    package var usage: StoreUsage { StoreUsage() }
    package func checkFiles() throws(StoreError) {}
    package func validSnapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try snapshots(of: list)
    }
    package func tidy(while goesOn: () -> Bool) throws(StoreError) {}

    package func append(_ commits: [ListCommit], responses: [StoredResponse]) throws(StoreError) {
        try append(commits, responses: responses) {}
    }

    /// The last change of a list, which may have deleted it; nil if it never existed.
    package func head(of list: String) throws(StoreError) -> ListHead? {
        // No id is between this text and the list's id: `~` is the greatest character in ids.
        let end: [UInt8] = list.utf8.last.map { [$0 - 1, 0x7F] } ?? []
        let before = String(decoding: list.utf8.dropLast() + end, as: UTF8.self)
        return try heads(after: before, limit: 1).first { $0.list == list }
    }

    /// Prunes changes; all times are trusted.
    package func pruneChanges(
        olderThan time: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        try pruneChanges(olderThan: time, orFrom: .max, keepingLast: keepingLast, limit: limit)
    }

    /// Writes commits without responses.
    package func append(_ commits: [ListCommit]) throws(StoreError) {
        try append(commits, responses: [])
    }
}
