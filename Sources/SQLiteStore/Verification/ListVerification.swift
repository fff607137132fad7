import GRDB

/// Verifies each list's history and snapshots.
struct ListVerification {
    private let report: (_ place: String, _ reason: String) -> Void
    private let findLists: PreparedStatement
    private let findChange: PreparedStatement
    private let findLandmark: PreparedStatement
    private let findSnapshots: PreparedStatement
    private let bodies: LongBodyReader

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

    init(
        database: Database, report: @escaping (_ place: String, _ reason: String) -> Void
    ) throws {
        self.report = report
        bodies = try LongBodyReader(database)
        findLists = try PreparedStatement(
            database,
            """
            SELECT list.key, list.id,
                list.title IS NULL AND list.id NOT IN (SELECT id FROM bin),
                list.forgotten, list.oldest,
                head.version, head.change, list.hidden
            FROM list JOIN head ON head.list = list.key ORDER BY list.key
            """)
        findChange = try PreparedStatement(
            database,
            "SELECT list, version, previous, at, body, checksum FROM journal WHERE change = ?")
        findLandmark = try PreparedStatement(
            database, "SELECT change FROM landmark WHERE list = ? AND version = ?")
        findSnapshots = try PreparedStatement(
            database,
            "SELECT version, body, checksum FROM snapshot WHERE list = ? ORDER BY version")
    }

    /// - Parameter attempt: runs a part of the work, and reports the error that it throws.
    /// - Returns: the number of changes that the journal should contain.
    func run(_ attempt: (_ place: String, _ body: () throws -> Void) -> Void) throws -> Int {
        var kept = 0
        defer { findLists.reset() }
        while try findLists.step() {
            let list = List(
                key: findLists.integer(0), id: findLists.text(1),
                isGone: findLists.integer(2) != 0, forgotten: findLists.integer(3),
                hidden: findLists.integer(7),
                oldest: findLists.integer(4), version: findLists.integer(5),
                change: findLists.integer(6))
            guard list.forgotten >= 0, list.forgotten < list.version else {
                report(
                    list.place,
                    "its last version is \(list.version), its last pruned version \(list.forgotten)"
                )
                continue
            }
            kept &+= list.version - list.forgotten
            attempt(list.place) { try checkHistory(of: list) }
            attempt(list.place) { try checkSnapshots(of: list) }
        }
        return kept
    }

    /// Follows the chain from the last change back to the oldest retained one.
    private func checkHistory(of list: List) throws {
        var change = list.change
        for version in stride(from: list.version, to: list.forgotten, by: -1) {
            let place = "\(list.place), version \(version)"
            try findChange.bind(change, at: 1)
            defer { findChange.reset() }
            guard try findChange.step(), findChange.integer(0) == list.key,
                findChange.integer(1) == version
            else {
                return report(place, "its change is not in row \(change) of the journal")
            }
            if version > list.hidden {
                let body = try bodies.whole(
                    findChange.bytes(4), .change, of: list.key, version: version)
                if checksum(of: body, version: version) != findChange.integer(5) {
                    report(place, "the checksum of its change does not match")
                }
            }
            if version.isMultiple(of: SQLiteSchema.landmarkInterval) {
                try checkLandmark(of: list, version: version, change: change)
            }
            if version == list.forgotten + 1, findChange.integer(3) != list.oldest {
                report(place, "the time of its change differs from the time in the list's row")
            }
            change = findChange.integer(2)
        }
        if list.forgotten == 0, change != 0 {
            report(
                "\(list.place), version 1", "it refers to an earlier change, but it is the first")
        }
    }

    private func checkLandmark(of list: List, version: Int, change: Int) throws {
        try findLandmark.bind(list.key, at: 1)
        try findLandmark.bind(version, at: 2)
        defer { findLandmark.reset() }
        guard try findLandmark.step(), findLandmark.integer(0) == change else {
            return report(
                "\(list.place), version \(version)",
                "its entry in the index of versions is missing or wrong")
        }
    }

    private func checkSnapshots(of list: List) throws {
        guard !list.isGone else { return }
        try findSnapshots.bind(list.key, at: 1)
        defer { findSnapshots.reset() }
        var count = 0
        while try findSnapshots.step() {
            count += 1
            let version = findSnapshots.integer(0)
            let place = "\(list.place), version \(version)"
            if !(max(1, list.forgotten)...list.version).contains(version) {
                report(place, "its snapshot is outside its history")
            }
            let body = try bodies.whole(
                findSnapshots.bytes(1), .snapshot, of: list.key, version: version)
            if checksum(of: body, version: version) != findSnapshots.integer(2) {
                report(place, "the checksum of its snapshot does not match")
            }
        }
        if !(1...2).contains(count) { report(list.place, "it has \(count) snapshots") }
    }
}
