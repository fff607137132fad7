/// Verifies each list's history and snapshots.
struct ListVerification {
    let sql: Statements
    let report: (_ place: String, _ reason: String) -> Void

    /// A list's row and head.
    private struct List {
        var key: Int
        var id: String
        /// Whether the list is deleted and not in the bin.
        var isGone: Bool
        var forgotten: Int
        /// The last version of a former list, whose changes need not be readable, or 0.
        var hidden: Int
        var oldest: Int
        var version: Int
        var change: Int

        var place: String { "list \(id)" }
    }

    /// - Parameter attempt: runs a part of the work, and reports the error that it throws.
    /// - Returns: the number of changes that the journal should contain.
    func run(_ attempt: (_ place: String, _ body: () throws -> Void) -> Void) throws -> Int {
        var kept = 0
        try sql.forEach(
            """
            SELECT list.key, list.id, list.title IS NULL AND list.bin_title IS NULL,
                list.forgotten, list.hidden, list.oldest, head.version, head.change
            FROM list JOIN head ON head.list = list.key ORDER BY list.key
            """
        ) { row in
            let list = List(
                key: row[0], id: row[1], isGone: row[2], forgotten: row[3], hidden: row[4],
                oldest: row[5], version: row[6], change: row[7])
            guard list.forgotten >= 0, list.forgotten < list.version else {
                report(
                    list.place,
                    "its last version is \(list.version), its last pruned version \(list.forgotten)"
                )
                return true
            }
            kept &+= list.version - list.forgotten
            attempt(list.place) { try checkHistory(of: list) }
            attempt(list.place) { try checkSnapshots(of: list) }
            return true
        }
        return kept
    }

    /// Follows the chain from the last change back to the oldest retained one.
    private func checkHistory(of list: List) throws {
        var change = list.change
        for version in stride(from: list.version, to: list.forgotten, by: -1) {
            let place = "\(list.place), version \(version)"
            let found: (previous: Int, at: Int)? = try sql.first(
                """
                SELECT previous, at, body, checksum FROM journal
                WHERE change = ? AND list = ? AND version = ?
                """, change, list.key, version
            ) { row in
                if version > list.hidden {
                    let body = try sql.wholeBody(row[2], .change, of: list.key, version: version)
                    if checksum(of: body, version: version) != row[3] {
                        report(place, "the checksum of its change does not match")
                    }
                }
                return (row[0], row[1])
            }
            guard let found else {
                return report(place, "its change is not in row \(change) of the journal")
            }
            if version.isMultiple(of: SQLiteSchema.landmarkInterval),
                try sql.value(
                    "SELECT change FROM landmark WHERE list = ? AND version = ?", list.key, version)
                    != change
            {
                report(place, "its entry in the index of versions is missing or wrong")
            }
            if version == list.forgotten + 1, found.at != list.oldest {
                report(place, "the time of its change differs from the time in the list's row")
            }
            change = found.previous
        }
        if list.forgotten == 0, change != 0 {
            report(
                "\(list.place), version 1", "it refers to an earlier change, but it is the first")
        }
    }

    private func checkSnapshots(of list: List) throws {
        guard !list.isGone else { return }
        var count = 0
        try sql.forEach(
            "SELECT version, body, checksum FROM snapshot WHERE list = ? ORDER BY version", list.key
        ) { row in
            count += 1
            let version: Int = row[0]
            let place = "\(list.place), version \(version)"
            if !(max(1, list.forgotten)...list.version).contains(version) {
                report(place, "its snapshot is outside its history")
            }
            let body = try sql.wholeBody(row[1], .snapshot, of: list.key, version: version)
            if checksum(of: body, version: version) != row[2] {
                report(place, "the checksum of its snapshot does not match")
            }
            return true
        }
        if !(1...2).contains(count) { report(list.place, "it has \(count) snapshots") }
    }
}
