import ArgumentParser
import Foundation
import ReorderStore
import SQLiteStore

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify everything in a store.",
        discussion: """
            Checks a file store that no server has open. It runs SQLite's integrity check, and \
            verifies the store's tables. The changes of each list, also of each deleted list, must \
            have no gaps and match their checksums.

            For each list it verifies that every change can be read. Each snapshot and the changes \
            after it must give the next snapshot and the last version. The resulting list must be \
            consistent. The indexes of lists and of tasks must agree with it, so that no task is \
            in two lists.

            For a store in PostgreSQL, give its URL. The command does the same checks, except \
            those of the file, on the store's state at one moment. Servers may keep writing.

            Each fault is one line on standard output: the place, then the fault. The last line is \
            a summary.

            Exit codes: 0 if there are no faults; 1 if there are faults; 64 for wrong arguments; \
            73 if the store can't be opened.
            """)

    @Argument(help: "The store's file, or its URL.")
    var file: String

    func run() throws {
        if case .postgres? = StoreLocation(argument: file) { return try checkShared() }
        let path = StoreLocation.path(file)
        guard FileManager.default.fileExists(atPath: path) else {
            throw failure("\(path): no such file", EX_CANTCREAT)
        }
        let check = ListChecker()
        do {
            try check.run(onFile: path)
        } catch .corrupt(let place, let reason) {
            check.report(place, reason)
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        try finish(check)
    }

    private func checkShared() throws {
        let check = ListChecker()
        do {
            guard let store = try StoreLocation(argument: file)?.openReadOnly() else { return }
            check.run(on: store)
            try store.close()
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        try finish(check)
    }

    private func finish(_ check: ListChecker) throws {
        print(check.summary)
        guard check.faults == 0 else { throw ExitCode(1) }
    }
}
