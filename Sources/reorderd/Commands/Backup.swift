import ArgumentParser
import Foundation
import ReorderStore
import SQLiteStore

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a file store, even while a server uses it.",
        discussion: """
            The copy has the state of the store at one moment after the command began, with all \
            versions and changes. It contains every change that was acknowledged before the \
            command. The copy appears under its name only when it is complete, synced to disk and \
            verified to open. Meanwhile the server keeps reading and writing, and its write-ahead \
            log grows.

            To restore, stop the server. Move the store's file away, together with the files next \
            to it whose names add -wal, -shm or -mark. Put the copy in its place. The first server \
            that runs on the copy makes clients fetch their lists again.

            Exit codes: 0; 64 for wrong arguments; 65 if the copy is damaged, which means that the \
            store is damaged; 66 if the store can't be read, or if a newer reorderd wrote it; 73 \
            if the destination already exists or can't be created; 74 if reading or writing fails.
            """)

    @Argument(help: "The store's file.")
    var file: String

    @Argument(help: "The copy's path, which must not exist.")
    var destination: String

    func run() throws {
        var progress = ProgressLine()
        do throws(SQLiteBackupError) {
            try SQLiteBackup.copy(from: StoreLocation.path(file), to: destination) { done, total in
                progress.show("copied \(done) of \(total) pages")
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
    /// The path of a file store. The argument is a path, or file:PATH as for `--store`.
    static func path(_ argument: String) -> String {
        if case .file(let path) = StoreLocation(argument: argument) { return path }
        return argument
    }
}
