import ArgumentParser
import Foundation
import ReorderStore
import SQLiteStore

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify everything in a store.",
        discussion: """
            Works on a store that no server has open. It verifies the file itself (SQLite's integrity \
            check, the store's tables, each list's changes without gaps and as they were written, the \
            deleted lists' too), and of each list that its changes can be read, that each snapshot \
            and the changes after it give the next one and the last version, that this list keeps its \
            invariants, and that the indexes of lists and of tasks tell the same, so that no task \
            stands in two lists.

            Of a store in PostgreSQL, named by its URL, the same but for the file, as all of it was at \
            one moment: servers may go on writing.

            Each fault is a line on standard output: where it is, then what. The last line sums up.

            Exit codes: 0 where there is no fault; 1 where there is one; 64 for wrong arguments; 73 \
            where the store can't be opened.
            """)

    @Argument(help: "The store's file, or its URL.")
    var file: String

    func run() throws {
        if case .postgres? = StoreLocation(argument: file) { return try checkShared() }
        let path = StoreLocation.path(file)
        guard FileManager.default.fileExists(atPath: path) else {
            throw failure("\(path): there is no such file", EX_CANTCREAT)
        }
        let check = CheckLists()
        do {
            let store = try SQLiteListStore(path: path)
            try store.verify(check.report)
            check.run(on: store)
            try store.close()
        } catch .corrupt(let place, let reason) {
            check.report(place, reason)
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        try finish(check)
    }

    private func checkShared() throws {
        let check = CheckLists()
        do {
            guard let store = try StoreLocation(argument: file)?.openSnapshot() else { return }
            check.run(on: store)
            try store.close()
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        try finish(check)
    }

    private func finish(_ check: CheckLists) throws {
        print(check.summary)
        guard check.faults == 0 else { throw ExitCode(1) }
    }
}
