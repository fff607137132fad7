import ReorderStore

/// The reads that both stores have. Each store decides on which connection they run.
protocol PostgresReader: ListStore {
    func read<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value
}

extension PostgresReader {
    package func currentTime() throws(StoreError) -> Int64? {
        try read { connection throws(PostgresError) in
            try PostgresSchema.currentTime(connection)
        }
    }

    package func load(_ list: String) throws(StoreError) -> LoadedList? {
        try read { connection throws(PostgresError) in
            try PostgresJournalReader.load(list, over: connection)
        }
    }

    package func responses(
        to keys: [StoredResponseKey]
    ) throws(StoreError) -> [StoredResponseKey: StoredResponse] {
        try read { connection throws(PostgresError) in
            StoredResponseTable.responses(try connection.read([StoredResponseTable.find(keys)])[0])
        }
    }

    package func lists(containing tasks: [String]) throws(StoreError) -> [String: String] {
        try read { connection throws(PostgresError) in
            try PostgresJournalReader.holders(of: tasks, over: connection)
        }
    }

    package func summaries(after list: String?, limit: Int) throws(StoreError) -> [IndexedList] {
        try read { connection throws(PostgresError) in
            try PostgresJournalReader.summaries(after: list, limit: limit, over: connection)
        }
    }

    package func changes(of list: String, after version: Int, limit: Int)
        throws(StoreError) -> [StoredChange]?
    {
        try read { connection throws(PostgresError) in
            try PostgresJournalReader.changes(
                of: list, after: version, limit: limit, over: connection)
        }
    }

    package func prunedVersion(of list: String) throws(StoreError) -> Int {
        try read { connection throws(PostgresError) in
            try PostgresJournalReader.prunedVersion(of: list, over: connection)
        }
    }

    package func journal(
        after position: Int, limit: Int
    ) throws(StoreError) -> [JournalEntry]? {
        try read { connection throws(PostgresError) in
            try PostgresPositionReader.entries(after: position, limit: limit, over: connection)
        }
    }

    package func lastPosition() throws(StoreError) -> Int {
        try read { connection throws(PostgresError) in
            try PostgresPositionReader.lastPosition(over: connection)
        }
    }

    package func heads(after list: String?, limit: Int) throws(StoreError) -> [ListHead] {
        try read { connection throws(PostgresError) in
            try PostgresPositionReader.heads(after: list, limit: limit, over: connection)
        }
    }

    package func deletedLists(after list: String?, limit: Int) throws(StoreError) -> [BinEntry] {
        try read { connection throws(PostgresError) in
            try PostgresBin.lists(after: list, limit: limit, over: connection)
        }
    }

    package func deletedList(_ list: String, withContent: Bool) throws(StoreError) -> BinEntry? {
        try read { connection throws(PostgresError) in
            try PostgresBin.list(list, withContent: withContent, over: connection)
        }
    }

    package func tokens(_ query: TokenQuery) throws(StoreError) -> [StoredToken] {
        try read { connection throws(PostgresError) in
            try PostgresTokens.find(query, over: connection)
        }
    }

    package func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try read { connection throws(PostgresError) in
            try PostgresJournalReader.snapshots(of: list, over: connection)
        }
    }
}
