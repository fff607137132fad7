import ReorderStore

/// The epoch of the stores of tests, so that tests can write entity tags.
package let testEpoch = "0123456789ab"

/// A store that passes its calls to another one. A store of a test conforms to it, and implements
/// only the calls that it changes.
package protocol ForwardingStore: ListStore {
    /// The store that a call goes to. Called once for each call that is passed on.
    ///
    /// - Throws: the error of the call.
    func destination() throws(StoreError) -> any ListStore
}

extension ForwardingStore {
    package func load(_ list: String) throws(StoreError) -> LoadedList? {
        try destination().load(list)
    }

    package func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        try destination().append(commits, responses: responses, beforeVisible: beforeVisible)
    }

    package func responses(to keys: [StoredResponseKey]) throws(StoreError) -> [StoredResponseKey:
        StoredResponse]
    {
        try destination().responses(to: keys)
    }

    package func lists(containing tasks: [String]) throws(StoreError) -> [String: String] {
        try destination().lists(containing: tasks)
    }

    package func summaries(after list: String?, limit: Int) throws(StoreError) -> [IndexedList] {
        try destination().summaries(after: list, limit: limit)
    }

    package func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?
    {
        try destination().changes(of: list, after: version, limit: limit)
    }

    package func prunedVersion(of list: String) throws(StoreError) -> Int {
        try destination().prunedVersion(of: list)
    }

    package func journal(
        after position: Int, limit: Int
    ) throws(StoreError) -> [JournalEntry]? {
        try destination().journal(after: position, limit: limit)
    }

    package func lastPosition() throws(StoreError) -> Int { try destination().lastPosition() }

    package func heads(after list: String?, limit: Int) throws(StoreError) -> [ListHead] {
        try destination().heads(after: list, limit: limit)
    }

    package func deletedLists(after list: String?, limit: Int) throws(StoreError) -> [BinEntry] {
        try destination().deletedLists(after: list, limit: limit)
    }

    package func deletedList(_ list: String, withContent: Bool) throws(StoreError) -> BinEntry? {
        try destination().deletedList(list, withContent: withContent)
    }

    package func pruneBin(deletedBefore time: Int64, limit: Int) throws(StoreError) -> Bool {
        try destination().pruneBin(deletedBefore: time, limit: limit)
    }

    package func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try destination().snapshots(of: list)
    }

    package func pruneChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        try destination().pruneChanges(
            olderThan: time, orFrom: future, keepingLast: keepingLast, limit: limit)
    }

    package func removeResponses(expiredAt time: Int64, limit: Int) throws(StoreError) -> Bool {
        try destination().removeResponses(expiredAt: time, limit: limit)
    }

    package func tokens(_ query: TokenQuery) throws(StoreError) -> [StoredToken] {
        try destination().tokens(query)
    }

    package func addToken(_ token: StoredToken) throws(StoreError) -> Bool {
        try destination().addToken(token)
    }

    package func removeTokens(_ ids: [String]) throws(StoreError) {
        try destination().removeTokens(ids)
    }

    /// A call of `destination` could throw.
    package var epoch: String { testEpoch }

    /// Does nothing: the other store can have more users.
    package func close() throws(StoreError) {}
}
