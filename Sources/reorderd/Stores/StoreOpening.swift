import ArgumentParser
import Foundation
import Logging
import PostgresStore
import ReorderStore
import SQLiteStore

/// Opens the store of a server.
struct StoreOpening {
    let location: StoreLocation
    let options: PostgresListStore.Options
    /// Whether the tables in PostgreSQL are created or upgraded first.
    let migrates: Bool
    let logger: Logger

    /// After a power cut, servers may start before their database.
    private static let firstPauseSeconds = 0.5
    private static let longestPauseSeconds = 10.0

    /// Waits for a database that can't be reached.
    ///
    /// - Throws: an exit code, after logging the reason; `CancellationError` if `goesOn` returns false.
    func open(while goesOn: () -> Bool) throws -> any ListStore {
        var pauseSeconds = Self.firstPauseSeconds
        while true {
            guard goesOn() else { throw CancellationError() }
            do throws(StoreError) {
                return try openOnce()
            } catch {
                guard case .postgres = location, case .unavailable(let reason) = error else {
                    throw refused(error)
                }
                logger.warning(
                    "\(location) can't be reached; the next attempt is in \(pauseSeconds) s: \(reason)"
                )
            }
            Thread.sleep(forTimeInterval: pauseSeconds)
            pauseSeconds = min(Self.longestPauseSeconds, 2 * pauseSeconds)
        }
    }

    private func refused(_ error: StoreError) -> ExitCode {
        logger.critical("\(location) can't be opened: \(error.reason)")
        // A failed sync has the same exit code later, so that systemd restarts the server.
        if case .lost = error { return ExitCode(EX_IOERR) }
        return ExitCode(EX_CANTCREAT)
    }

    private func openOnce() throws(StoreError) -> any ListStore {
        if migrates, case .postgres(let url) = location {
            let (before, after) = try PostgresListStore.migrate(url: url)
            if (1..<after).contains(before) {
                logger.notice(
                    "the tables were migrated from version \(before) to version \(after)")
            }
        }
        let store = try location.open(postgres: options) { [logger] in logger.warning("\($0)") }
        if let file = store as? SQLiteListStore, try file.prepareToServe() {
            logger.notice(
                "the store was restored from a backup: clients must fetch their lists again")
        }
        return store
    }
}
