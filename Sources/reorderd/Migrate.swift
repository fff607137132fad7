import ArgumentParser
import Foundation
import PostgresStore
import ReorderStore

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the tables in PostgreSQL, or bring them to this version.",
        discussion: """
            Does nothing where they are of this version already. Several may run at once. The role needs \
            the right to create a schema in the database; servers need only to read and write what is \
            in it. File stores need no migration: they are brought to this version when opened.

            Exit codes: 0; 64 for wrong arguments; 73 where the tables can't be made.
            """)

    @Option(
        help: "Where the lists are kept: postgres://…",
        transform: StoreLocation.init(option:))
    var store: StoreLocation

    func run() throws {
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
    }
}
