/// The store's epoch: see `ListStore.epoch`. The row of the highest version that has one counts.
extension PostgresSchema {
    /// The store's epoch: see `ListStore.epoch`. If the store has none yet, begins its first one.
    ///
    /// - Parameter new: the name of the first epoch. If another server begins one at the same time,
    ///   both get the same.
    static func epoch(
        _ connection: PostgresConnection, orNew new: String
    ) throws(PostgresError) -> String {
        if let epoch = try storedEpoch(connection) { return epoch }
        try setEpoch(new, onlyIfMissing: true, connection)
        guard let epoch = try storedEpoch(connection) else {
            throw .corrupt(place: "reorderd.schema_version", reason: "the store has no epoch")
        }
        return epoch
    }

    /// The store's epoch; nil if no server has started yet.
    static func storedEpoch(
        _ connection: PostgresConnection
    ) throws(PostgresError) -> String? {
        let rows = try connection.run([
            Statement(
                "epoch",
                """
                SELECT epoch FROM reorderd.schema_version
                WHERE epoch IS NOT NULL ORDER BY version DESC LIMIT 1
                """)()
        ])[0]
        return rows.count > 0 ? rows.text(0, 0) : nil
    }

    private static func setEpoch(
        _ name: String, onlyIfMissing: Bool = false, _ connection: PostgresConnection
    ) throws(PostgresError) {
        try connection.run([
            Statement(
                onlyIfMissing ? "set-first-epoch" : "set-epoch",
                """
                UPDATE reorderd.schema_version SET epoch = $1
                WHERE version = (SELECT max(version) FROM reorderd.schema_version)
                \(onlyIfMissing ? "AND epoch IS NULL" : "")
                """)(.text(name))
        ])
    }

    /// Begins an epoch, unless the store's epoch is one that has followed the epoch that this server knows.
    ///
    /// - Parameters:
    ///   - name: the name of the new epoch.
    ///   - known: the epoch that this server knows; nil begins an epoch in any case.
    /// - Returns: whether it began.
    @discardableResult static func beginEpoch(
        _ name: String, after known: String?, _ connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        // Commits lock the same rows.
        try connection.run([Statement.begin(), lockEpochs()])
        let stored = try storedEpoch(connection)
        let found = try connection.run([findFormerEpochs()])[0]
        let former = found.count > 0 ? found.text(0, 0).split(separator: " ").map(String.init) : []
        // A database that was restored can have an epoch of long ago. The one that this server knows did
        // not precede that, so versions of it would be given away a second time.
        if let known, stored != known, former.contains(known) {
            try connection.run([Statement.rollback()])
            return false
        }
        try setEpoch(name, connection)
        var ended: [String] = []
        for epoch in [known, stored].compactMap(\.self) + former where !ended.contains(epoch) {
            ended.append(epoch)
        }
        let text = ended.prefix(maximumFormerEpochs).joined(separator: " ")
        try connection.run([setFormerEpochs(.text(text)), Statement.commit()])
        return true
    }

    private static let maximumFormerEpochs = 100

    private static let lockEpochs = Statement(
        "lock-epochs",
        "SELECT version FROM reorderd.schema_version ORDER BY version FOR UPDATE")

    /// The last epochs that have ended, separated by spaces. Version -1 is no version of the tables. The
    /// row is in an existing table, because roles already have privileges for it.
    private static let findFormerEpochs = Statement(
        "find-former-epochs", "SELECT epoch FROM reorderd.schema_version WHERE version = -1")

    private static let setFormerEpochs = Statement(
        "set-former-epochs",
        """
        INSERT INTO reorderd.schema_version (version, epoch) VALUES (-1, $1)
        ON CONFLICT (version) DO UPDATE SET epoch = excluded.epoch
        """)
}
