import Foundation
import ReorderEngine
import ReorderJSON

/// Why a client can't do an operation.
public enum ClientError: Error, Sendable, Equatable {
    /// The list's rules refuse the operation, as the server would; nothing has changed.
    case refused(Refusal)
    /// An id, a title or data that the server would reject; the text says what is wrong.
    case invalid(String)
    /// The maximum of 10,000 operations is waiting to be sent.
    case queueFull
    /// A file on the device can't be read, written or deleted, for example because the disk is full. A
    /// change has not been made. The text has the system's reason.
    case storage(String)
    /// The list is not on this device, and the server can't be reached.
    case unreachable
    /// The list does not exist on the server.
    case listNotFound
    /// The server rejected the credentials.
    case unauthorized
    /// The list was closed, or the store has signed out.
    case closed
    /// The task that waited was cancelled.
    case cancelled

    init(_ failure: Command.Failure) {
        switch failure {
        case .refused(let refusal): self = .refused(refusal)
        case .dataTooLarge:
            self = .invalid(
                "After the merge, the data would be too large or nested too deeply.")
        }
    }

    /// The reason for which the server refuses a call.
    ///
    /// - Parameter refusals: those that the call reports as `refused`.
    init(_ problem: ServerProblem, refusals: [Refusal] = []) {
        if let refusal = refusals.first(where: { $0.code == problem.code }) {
            self = .refused(refusal)
            return
        }
        switch (problem.status, problem.code) {
        case (403, _): self = .unauthorized
        case (_, "list_not_found"): self = .listNotFound
        default: self = .invalid(problem.detail)
        }
    }

    /// - Parameter error: an error of the storage.
    static func storage(of error: any Error) -> ClientError {
        .storage((error as? DeviceFileError)?.description ?? error.localizedDescription)
    }

    /// The error of a wait that ended without a result.
    static func afterWaiting(otherwise error: ClientError) -> ClientError {
        Task.isCancelled ? .cancelled : error
    }
}

extension ClientError: LocalizedError {
    /// One sentence in English, for `localizedDescription`.
    public var errorDescription: String? {
        switch self {
        case .refused(let refusal): refusal.sentence
        case .invalid(let reason): reason
        case .queueFull:
            "Too many changes are waiting to be sent. First, the server must be reached."
        case .storage(let reason): "The list's file on this device can't be used. \(reason)"
        case .unreachable: "The server can't be reached."
        case .listNotFound: "The list does not exist."
        case .unauthorized: "The server does not allow this, or requires to sign in again."
        case .closed: "The list was closed."
        case .cancelled: "The call was cancelled."
        }
    }
}
