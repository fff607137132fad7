import ArgumentParser
import Dispatch
import Foundation
import Logging
import ReorderAPI
import ReorderService
import ReorderStore
import SQLiteStore
import Synchronization

/// A store that a command works on while no server has it, or which servers share.
struct OfflineStore {
    let store: any ListStore
    let service: ListService

    /// Opens a store, or says why it can't be and gives the code to exit with.
    ///
    /// - Parameters:
    ///   - mustExist: whether a file that is not there is an error, rather than made.
    ///   - isSnapshot: whether all is to be read as it is at one moment, and nothing written.
    init(_ location: StoreLocation, mustExist: Bool, isSnapshot: Bool = false) throws {
        switch location {
        case .memory:
            guard !mustExist else {
                throw ValidationError("A store in memory holds nothing before a server runs.")
            }
        case .file(let path):
            guard !mustExist || FileManager.default.fileExists(atPath: path) else {
                throw failure("\(path): there is no such file", EX_NOINPUT)
            }
        case .postgres: break
        }
        do {
            store = try isSnapshot ? location.openSnapshot() : location.open()
        } catch {
            throw failure(error.reason, EX_CANTCREAT)
        }
        service = ListService(
            store: store,
            // Each list is needed once: only those of the moment have to be in memory.
            limits: ListService.Limits(cacheBytes: 16 << 20),
            logger: Logger(label: "reorderd") { StreamLogHandler.standardError(label: $0) },
            onLost: { reason in
                _ = failure("a sync failed, so that it is unknown what is stored: \(reason)", 0)
                _exit(EX_IOERR)
            })
    }

    /// Waits for all that was asked, and closes the store.
    func close() throws {
        do {
            try service.stop()
        } catch {
            throw failure("the store did not close well: \(error.reason)", EX_IOERR)
        }
    }

    /// Whether there is no list at all.
    func isEmpty() throws -> Bool {
        do {
            return try service.isEmpty()
        } catch {
            throw failure(error.reason, EX_IOERR)
        }
    }

    /// Begins a new epoch of a file store.
    func beginEpoch() throws {
        guard let file = store as? SQLiteListStore else { return }
        do {
            try file.beginEpoch()
        } catch {
            throw failure(error.reason, EX_IOERR)
        }
    }

    /// The list as it is, or `nil` where there is none of this id.
    func list(_ id: String) throws -> ListSnapshot? {
        do throws(ServiceError) {
            return try service.snapshot(of: id)
        } catch {
            if case .listNotFound = error { return nil }
            throw failure("list \(id): \(error.reason)", EX_IOERR)
        }
    }
}

extension OfflineStore {
    func write(_ request: WriteRequest) -> Result<WriteAnswer, ServiceError> {
        Result { () throws(ServiceError) in try service.write(request) }
    }
}

/// Says on standard error why a command ends, and gives what to throw for it.
func failure(_ message: String, _ code: Int32) -> ExitCode {
    StandardError.line("reorderd: \(message)")
    return ExitCode(code)
}

extension ServiceError {
    /// What the person at the command line is told.
    var reason: String {
        switch self {
        case .listNotFound(let id), .targetListNotFound(let id): "there is no list \"\(id)\""
        case .taskNotFound(let id): "there is no task \"\(id)\""
        case .listTaken(let id): "there is a list \"\(id)\" already"
        case .taskTaken(let id): "there is a task \"\(id)\" already, in another list"
        case .listFull(let limit), .targetListFull(let limit, _, _):
            "a list holds at most \(limit) tasks"
        case .sectionsFull(let limit): "a list has at most \(limit) sections"
        case .versionMismatch(let version): "the list was changed meanwhile, to version \(version)"
        case .unavailable, .waiting: "the store can't be read or written; the log says why"
        case .outcomeUnknown: "the store was lost while it was written: whether it was is not known"
        case .unreadable: "what is stored can't be read; \"reorderd check\" says more"
        case .listForbidden, .refused, .preconditionRequired, .dataTooLarge, .answerTooLarge,
            .command,
            .keyReused, .requestInProgress, .refusedBefore, .dragNotFound, .tooManyDrags,
            .undoConflict, .undoOfTransfer, .undoOvertaken, .tooManyUndos, .historyGone:
            problemDetail
        }
    }
}
