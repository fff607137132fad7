import ArgumentParser
import Foundation
import PostgresStore
import ReorderStore
import SQLiteStore

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the tables in PostgreSQL, or bring them to this version.",
        discussion: """
            With --new-epoch, run it after a store was restored other than by "reorderd backup" (which \
            marks its copies): after pg_restore, after the loss of commits in a failover, or after a \
            file was put back from a snapshot of its disk. Stop all servers of the store first. Clients \
            then fetch their lists again, and no entity tag given before matches.

            Does nothing where they are of this version already. Several may run at once. The role needs \
            the right to create a schema in the database; servers need only to read and write what is \
            in it. File stores need no migration: they are brought to this version when opened.

            Exit codes: 0; 64 for wrong arguments; 66 where there is no such file; 73 where the \
            tables can't be made, or the store can't be opened.
            """)

    @Option(
        help: "Where the lists are kept: postgres://…; with --new-epoch also file:PATH.",
        transform: StoreLocation.init(option:))
    var store: StoreLocation

    @Flag(help: "The store was restored: no entity tag or event id given before is valid.")
    var newEpoch = false

    func run() throws {
        if newEpoch, case .file(let path) = store { return try beginEpoch(path) }
        guard case .postgres(let url) = store else {
            throw ValidationError("Only a store in PostgreSQL is migrated: --store postgres://…")
        }
        let (before, after): (Int, Int)
        do {
            (before, after) = try PostgresListStore.migrate(url: url)
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        guard before <= PostgresListStore.schemaVersion else {
            throw failure(
                "a newer reorderd made the tables: they are of version \(before)", EX_CANTCREAT)
        }
        print("the tables are of version \(after)\(before == after ? " already" : "")")
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
            throw failure("\(path): there is no such file", EX_NOINPUT)
        }
        do {
            let file = try SQLiteListStore(path: path, readers: 1)
            try file.beginEpoch()
            try file.close()
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        print("the store has a new epoch")
    }
}
