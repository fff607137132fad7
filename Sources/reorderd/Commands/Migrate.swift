import ArgumentParser
import Foundation
import PostgresStore
import ReorderStore
import SQLiteStore

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create or upgrade the tables in PostgreSQL.",
        discussion: """
            Changes nothing if the tables already have this version. Several processes may run it \
            at the same time. The role needs the right to create a schema in the database; servers \
            only need to read and write the schema's tables. A file store needs no migration: it \
            is upgraded when it is opened.

            Use --new-epoch after a file was restored from a disk snapshot, while no server uses \
            it, and after a database was restored, or lost commits, while no server ran. Running \
            servers notice that themselves. A copy that "reorderd backup" made does not need it. \
            Clients then fetch their lists again, and earlier entity tags no longer match.

            Exit codes: 0; 64 for wrong arguments; 66 if the file does not exist; 73 if the tables \
            can't be created or the store can't be opened.
            """)

    @Option(
        help: """
            The store: postgres://…; with --new-epoch also file:PATH. Default: the variable \
            REORDERD_STORE, or the file in REORDERD_STORE_FILE.
            """,
        transform: StoreLocation.init(option:))
    var store: StoreLocation

    @Flag(help: "The store was restored: invalidate all earlier entity tags and event ids.")
    var newEpoch = false

    func run() throws {
        if newEpoch, case .file(let path) = store { return try beginEpoch(path) }
        guard case .postgres(let url) = store else {
            throw ValidationError("Only stores in PostgreSQL need migration: --store postgres://…")
        }
        let (before, after): (Int, Int)
        do {
            (before, after) = try PostgresListStore.migrate(url: url)
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        guard before <= PostgresListStore.schemaVersion else {
            throw failure(
                "a newer reorderd created the tables: their version is \(before)", EX_CANTCREAT)
        }
        print("the tables have version \(after)\(before == after ? " already" : "")")
        guard newEpoch else { return }
        do {
            try PostgresListStore.beginEpoch(url: url)
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        print("the store has a new epoch")
    }

    private func beginEpoch(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw failure("\(path): no such file", EX_NOINPUT)
        }
        do {
            let file = try SQLiteListStore(path: path, readers: 1, needsLog: false)
            try file.beginEpoch()
            try file.close()
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        print("the store has a new epoch")
    }
}
