import ArgumentParser
import Foundation
import ReorderStore
import SQLiteStore

struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shrink a file store that no server has open.",
        discussion: """
            A store's file never shrinks by itself: later changes use the space of deleted lists and \
            old changes. This command rewrites the file without the unused space. It needs free \
            space on the file's disk for two copies of the content. If it fails, the store is not \
            changed. Lists, versions and history stay as they are, and clients notice nothing.

            Exit codes: 0; 64 for wrong arguments; 66 if the file does not exist; 73 if the store \
            can't be opened; 74 if the disk is full, or reading or writing fails.
            """)

    @Argument(help: "The store's file.")
    var file: String

    func run() throws {
        let path = StoreLocation.path(file)
        guard FileManager.default.fileExists(atPath: path) else {
            throw failure("\(path): no such file", EX_NOINPUT)
        }
        let store: SQLiteListStore
        do {
            store = try SQLiteListStore(path: path, readers: 1)
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        let before = store.usage.sizeBytes ?? 0
        do {
            try store.compact()
            try store.close()
        } catch {
            throw failure(error.reason, EX_IOERR)
        }
        print("\(path): \(before) bytes before, \(store.usage.sizeBytes ?? 0) bytes now")
    }
}
