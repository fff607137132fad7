import ArgumentParser
import Foundation
import ReorderStore
import SQLiteStore

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a file store, also while a server runs on it.",
        discussion: """
            The copy is the store as it was at one moment after the command began, with versions and \
            changes: it holds every change that was acknowledged before. It gets its name only once it \
            is whole, on the disk and opened for a trial. The server goes on reading and writing \
            meanwhile; its log grows by what it writes until the copy is done.

            To restore, stop the server, move the store's file away together with those beside it \
            that have its name and end with -wal, -shm and -mark, and put the copy in its place. The server \
            that first runs on the copy tells clients to fetch their lists again.

            Exit codes: 0; 64 for wrong arguments; 65 where the copy turned out damaged, as the store \
            is then; 66 where the store can't be read, or is of a newer version; 73 where the destination is there already or \
            can't be made; 74 where reading or writing fails.
            """)

    @Argument(help: "The store's file.")
    var file: String

    @Argument(help: "The copy, which must not be there.")
    var destination: String

    func run() throws {
        var progress = Progress()
        do throws(SQLiteBackupError) {
            try SQLiteBackup.copy(from: StoreLocation.path(file), to: destination) { done, total in
                progress.tell("copied \(done) of \(total) pages")
            }
        } catch {
            switch error {
            case .source(let reason): throw failure(reason, EX_NOINPUT)
            case .destination(let reason): throw failure(reason, EX_CANTCREAT)
            case .copying(let reason): throw failure(reason, EX_IOERR)
            case .damaged(let reason): throw failure(reason, EX_DATAERR)
            }
        }
        progress.end()
    }
}

extension StoreLocation {
    /// The path of a file store that is named by its path, or as `--store` names it.
    static func path(_ argument: String) -> String {
        if case .file(let path) = StoreLocation(argument: argument) { return path }
        return argument
    }
}
