import Foundation
import GRDB
import PostgresStore
import PostgresTesting
import ReorderStore
import SQLiteStore
import Testing

/// A kind of store for the contract's tests.
struct StoreKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether a closed store has its content when it is opened again.
    let survivesClosing: Bool
    /// The number of rounds of a random test, by default.
    var standardRounds = 1_000
    /// Removes what the store keeps outside the directory.
    var close: @Sendable (_ directory: URL) throws -> Void = { _ in }
    /// - Parameter directory: the store's own directory, initially empty.
    let open: @Sendable (_ directory: URL) throws -> any ListStore

    /// Those of this run: PostgreSQL, or the others.
    static let all = PostgresCluster.isTested ? postgres : local

    private static let local = [
        StoreKind(testDescription: "memory", survivesClosing: false) { _ in MemoryListStore() },
        StoreKind(testDescription: "SQLite", survivesClosing: true) {
            try SQLiteListStore(path: $0.appendingPathComponent("lists.db").path)
        },
        StoreKind(
            testDescription: "SQLite, with most appends large", survivesClosing: true,
            standardRounds: 300
        ) {
            try SQLiteListStore(
                path: $0.appendingPathComponent("lists.db").path,
                large: LargeCommit(tasks: 1, bytes: 100),
                steps: StepLimits(rows: 1, bytes: 4_096))
        },
    ]

    private static let postgres = [
        StoreKind(
            testDescription: "PostgreSQL", survivesClosing: true, standardRounds: 200,
            close: removeDatabase
        ) {
            try openStore(migratedDatabase($0))
        },
        StoreKind(
            testDescription: "PostgreSQL, as an engine that lacks something", survivesClosing: true,
            standardRounds: 100, close: removeDatabase
        ) {
            try openStore(migratedDatabase($0), usesFallbacks: true)
        },
    ]

    /// The URL of a directory's database.
    private static func migratedDatabase(_ directory: URL) throws -> String {
        try PostgresCluster.shared().migratedURL(ofDatabase: directory.lastPathComponent)
    }

    @Sendable private static func removeDatabase(_ directory: URL) throws {
        try PostgresCluster.shared().remove(database: directory.lastPathComponent)
    }
}

/// A store in its own directory, closed and removed after the body.
struct StoreUnderTest {
    let kind: StoreKind
    let directory: URL
    private(set) var store: any ListStore

    static func run(_ kind: StoreKind, _ body: (inout StoreUnderTest) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            var test = StoreUnderTest(
                kind: kind, directory: directory, store: try kind.open(directory))
            defer {
                try? test.store.close()
                try? kind.close(directory)
            }
            try body(&test)
        }
    }

    /// Closes the store and opens it again, if it is durable.
    mutating func reopen() throws {
        guard kind.survivesClosing else { return }
        try store.close()
        store = try kind.open(directory)
    }

    /// Removes the store and makes an empty one at the same place.
    mutating func replace() throws {
        try store.close()
        try kind.close(directory)
        try FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        store = try kind.open(directory)
    }
}

/// Reads or changes a file, as another program can do while a store has it open.
func inDatabase<Value>(_ path: String, _ body: (Database) throws -> Value) throws -> Value {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.inDatabase { database in
        try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        return try body(database)
    }
}

func withTemporaryDirectory<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("reorderd-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory)
}

extension ListCommit {
    /// A commit whose bytes describe it.
    static func exists(
        _ list: String, _ version: Int, title: String = "title", count: Int = 0, open: Int = 0,
        snapshot: Bool = false, inserting: [String] = [], deleting: [String] = [],
        at: Int64 = 0, isRestored: Bool = false
    ) -> ListCommit {
        ListCommit(
            list: list, version: version, at: at, change: change(list, version),
            snapshot: snapshot ? Self.snapshot(list, version) : nil,
            stateAfter: .exists(title: title, count: count, open: open),
            insertedTasks: inserting, deletedTasks: deleting, isRestored: isRestored)
    }

    static func deleted(
        _ list: String, _ version: Int, at: Int64 = 0, binned: Binned? = nil
    ) -> ListCommit {
        ListCommit(
            list: list, version: version, at: at, change: change(list, version),
            stateAfter: .deleted,
            binned: binned)
    }

    static func change(_ list: String, _ version: Int) -> [UInt8] {
        Array("change \(version) of \(list)".utf8)
    }

    static func snapshot(_ list: String, _ version: Int) -> [UInt8] {
        Array("snapshot \(version) of \(list)".utf8)
    }
}

extension StoredChange {
    static func expected(_ list: String, _ versions: ClosedRange<Int>) -> [StoredChange] {
        versions.map { StoredChange(version: $0, bytes: ListCommit.change(list, $0)) }
    }
}

extension ListStore {
    /// Appends commits 1 to `last` of a list, `batch` at a time; the first has a snapshot.
    func fill(_ list: String, to last: Int, batch: Int = 50) throws {
        for first in stride(from: 1, through: last, by: batch) {
            try append(
                (first...min(last, first + batch - 1)).map {
                    .exists(list, $0, snapshot: $0 == 1)
                })
        }
    }
}
