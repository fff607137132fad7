import ArgumentParser
import Dispatch
import Foundation
import Logging
import ReorderAPI
import ReorderService
import ReorderStore
import SQLiteStore
import Synchronization

/// The store that a command works on: a file that no server has open, or a store shared with
/// servers.
struct OfflineStore {
    let store: any ListStore
    let service: ListService

    /// Opens a store. On failure, prints the reason and throws the exit code.
    ///
    /// - Parameters:
    ///   - mustExist: whether a missing file is an error; otherwise it is created.
    ///   - isSnapshot: whether to read the state of one moment, without writing.
    init(_ location: StoreLocation, mustExist: Bool, isSnapshot: Bool = false) throws {
        switch location {
        case .memory:
            guard !mustExist else {
                throw ValidationError("A store in memory is empty until a server runs.")
            }
        case .file(let path):
            guard !mustExist || FileManager.default.fileExists(atPath: path) else {
                throw failure("\(path): no such file", EX_NOINPUT)
            }
        case .postgres: break
        }
        do {
            store =
                try isSnapshot
                ? location.openReadOnly() : location.open { StandardError.line($0) }
            if !isSnapshot { try (store as? SQLiteListStore)?.prepareToWrite() }
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        var environment = ServiceEnvironment.system
        environment.readsOnWorkers = false
        service = ListService(
            store: store,
            // Each list is used once, so a small cache is enough. The server removes lists from the
            // bin, because it knows `--bin-days`.
            limits: ServiceLimits(
                cacheBytes: 16 << 20, bin: BinRetention(days: BinRetention.maximumDays)),
            logger: Logger(label: "reorderd") { StreamLogHandler.standardError(label: $0) },
            onLost: { error in
                _ = failure("the stored state is unknown: \(error.reason)", 0)
                _exit(EX_IOERR)
            }, environment: environment)
    }

    /// Waits for all operations, then closes the store.
    func close() throws {
        do {
            try service.stop()
        } catch {
            throw failure("closing the store failed: \(error.reason)", EX_IOERR)
        }
    }

    /// The list's current state, or nil if it does not exist.
    func list(_ id: String) throws -> VersionedList? {
        try list(id) { reason in throw failure("list \(id): \(reason)", EX_IOERR) }
    }

    /// - Parameter onUnreadable: called if the list exists, but can't be read.
    func list(
        _ id: String, onUnreadable: (_ reason: String) throws -> Void
    ) throws -> VersionedList? {
        do throws(ServiceError) {
            return try service.versionedList(of: id)
        } catch {
            switch error {
            case .listNotFound: break
            case .unreadable: try onUnreadable(error.reason)
            default: throw failure("list \(id): \(error.reason)", EX_IOERR)
            }
            return nil
        }
    }
}

/// Prints why the command ends, and returns the exit code to throw.
func failure(_ message: String, _ code: Int32) -> ExitCode {
    StandardError.line("reorderd: \(message)")
    return ExitCode(code)
}

extension ServiceError {
    /// The text for the command line.
    var reason: String {
        switch self {
        case .listNotFound(let id), .targetListNotFound(let id), .listNotInBin(let id):
            "the list \"\(id)\" does not exist"
        case .taskNotFound(let id): "the task \"\(id)\" does not exist"
        case .listTaken(let id), .listNotDeleted(let id): "the list \"\(id)\" already exists"
        case .taskTaken(let id): "the task \"\(id)\" already exists in another list"
        case .listFull(let limit), .targetListFull(let limit, _, _):
            "a list has at most \(limit) tasks"
        case .sectionsFull(let limit): "a list has at most \(limit) sections"
        case .versionMismatch(_, let version, _):
            "the list was changed meanwhile, and now has version \(version)"
        case .unavailable: "the store can't be read or written; the log has the reason"
        case .outcomeUnknown:
            "the connection to the store was lost during a write, so its outcome is unknown"
        case .unreadable:
            "the stored data can't be read; \"reorderd check\" has details, and "
                + "\"reorderd repair\" brings back the last version that can be read"
        case .listForbidden, .listReadOnly, .refused, .preconditionRequired, .dataTooLarge,
            .responseTooLarge, .tooManyToSort,
            .command,
            .keyReused, .requestInProgress, .refusedBefore, .tooManyToExamine, .dragNotFound,
            .dragOfOtherClient, .tooManyDrags,
            .undoConflict, .undoOfTransfer, .tooManyUndos, .historyGone:
            problemDetail
        }
    }
}
