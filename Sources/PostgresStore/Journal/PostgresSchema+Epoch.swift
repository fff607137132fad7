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

    static func setEpoch(
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

    /// Begins an epoch because the database went back, unless another server has done so.
    ///
    /// - Parameters:
    ///   - name: the name of the new epoch.
    ///   - former: the epoch that this server knows.
    /// - Returns: false if the store's epoch is already one that has followed `former`.
    static func beginEpoch(
        _ name: String, after former: String, _ connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        // Commits lock the same rows.
        try connection.run([Statement.begin(), lockEpochs()])
        let followed = try connection.run([findFormerEpoch()])[0]
        // A database that was restored can have an epoch of long ago. The one that this server knows
        // did not precede that.
        if try storedEpoch(connection) != former, followed.count > 0,
            followed.text(0, 0) == former
        {
            try connection.run([Statement.rollback()])
            return false
        }
        try setEpoch(name, connection)
        try connection.run([setFormerEpoch(.text(former)), Statement.commit()])
        return true
    }

    private static let lockEpochs = Statement(
        "lock-epochs",
        "SELECT version FROM reorderd.schema_version ORDER BY version FOR UPDATE")

    /// Version -1 is no version of the tables. The row is in an existing table, because roles already
    /// have privileges for it.
    private static let findFormerEpoch = Statement(
        "find-former-epoch", "SELECT epoch FROM reorderd.schema_version WHERE version = -1")

    private static let setFormerEpoch = Statement(
        "set-former-epoch",
        """
        INSERT INTO reorderd.schema_version (version, epoch) VALUES (-1, $1)
        ON CONFLICT (version) DO UPDATE SET epoch = excluded.epoch
        """)
}
