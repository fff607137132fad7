import Foundation
import ReorderEngine
import ReorderStore

/// The content of a stored response: a digest of the request, and the response.
///
/// Tasks are stored in it only up to a size. Without a limit, small requests that change nothing
/// could fill the store.
struct StoredResponseContent {
    /// The maximum number of bytes of a response that is stored with its tasks.
    static let maximumBytes = 1 << 20
    /// The same for a refusal, a dry run, and a response to a request that changed nothing.
    static let maximumBytesWithoutChange = 64 << 10
    /// The same for the result of one op of a batch. A batch has up to 1,000 ops.
    static let maximumOperationBytes = 2 << 10

    var digest: [UInt8]
    var bytes: [UInt8]

    init(digest: [UInt8], bytes: [UInt8]) {
        self.digest = digest
        self.bytes = bytes
    }

    /// Returns nil if the bytes are not a stored response.
    init?(stored: [UInt8]) {
        guard let count = stored.first.map(Int.init), stored.count > count else { return nil }
        digest = Array(stored[1..<count + 1])
        bytes = Array(stored[(count + 1)...])
    }

    /// The stored form. A digest has at most 255 bytes.
    var stored: [UInt8] { [UInt8(truncatingIfNeeded: digest.count)] + digest + bytes }
}

/// The rendered response to a request with a key, and what is stored of it.
struct KeyedResponse {
    let bytes: [UInt8]
    let stored: StoredResponse

    /// - Parameters:
    ///   - time: when the request arrived.
    ///   - maximumBytes: the maximum size of a response that is stored with its tasks.
    init(
        to result: Result<WriteResult, ServiceError>, of key: IdempotencyKey, at time: Date,
        _ retention: ResponseRetention, _ renderer: some WriteRenderer,
        maximumBytes: Int = StoredResponseContent.maximumBytes
    ) {
        bytes = renderer.bytes(of: result, withTasks: true)
        let kept =
            bytes.count > maximumBytes ? renderer.bytes(of: result, withTasks: false) : bytes
        stored = StoredResponse(
            key.responseKey, at: time.milliseconds, retention,
            StoredResponseContent(digest: key.digest, bytes: kept))
    }
}

extension StoredResponse {
    /// The content; nil if it has expired.
    func content(at time: Date) throws(ServiceError) -> StoredResponseContent? {
        guard expires > time.milliseconds else { return nil }
        guard let content = StoredResponseContent(stored: bytes) else { throw .unreadable }
        return content
    }

    init(
        _ key: StoredResponseKey, at time: Int64, _ retention: ResponseRetention,
        _ answer: StoredResponseContent
    ) {
        self.init(
            key: key, at: time, expires: retention.expiry(of: key.scope, at: time),
            bytes: answer.stored)
    }
}

extension ServiceError {
    /// Whether the list itself determined the error, so that the error is stored and repeated for
    /// the same key. Errors that occur before that, or that may disappear on a retry, are not
    /// stored.
    var isDecision: Bool {
        switch self {
        case .listNotFound, .targetListNotFound, .listNotInBin, .listForbidden, .listReadOnly,
            .taskNotFound,
            .unavailable,
            .outcomeUnknown, .unreadable, .keyReused, .requestInProgress,
            .tooManyToExamine, .dragNotFound, .dragOfOtherClient, .tooManyDrags, .historyGone,
            .tooManyUndos:
            false
        case .command(_, let error): error.isDecision
        case .refused, .listTaken, .listNotDeleted, .taskTaken, .dataTooLarge, .responseTooLarge,
            .tooManyToSort, .listFull,
            .sectionsFull, .targetListFull, .versionMismatch, .preconditionRequired,
            .refusedBefore, .undoConflict, .undoOfTransfer:
            true
        }
    }
}
