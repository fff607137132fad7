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
    init(
        _ key: StoredResponseKey, at time: Int64, _ retention: ResponseRetention,
        _ answer: StoredResponseContent
    ) {
        self.init(
            key: key, at: time, expires: retention.expiry(of: key.scope, at: time),
            bytes: answer.stored)
    }
}

extension ListService {
    /// Returns the stored response to an earlier request with the same key, or nil. It claims the
    /// key until this request ends, so that no other request with the key is handled meanwhile.
    func storedResponse(
        to key: IdempotencyKey, of request: WriteRequest, _ context: RequestContext
    ) throws(ServiceError) -> [UInt8]? {
        if let task = request.holder, let scope = request.scope,
            let list = try holder(of: task, context), !scope.allow(list)
        {
            // The task has moved to a list that the client may not use, so its stored response is
            // withheld.
            throw .taskNotFound(task)
        }
        let responseKey = key.responseKey
        if context.progress.claim == nil {
            guard let claim = claims.claimNow(responseKey, for: context) else {
                throw .requestInProgress
            }
            context.progress.claim = claim
        }
        let kept = try loadResponses(to: [responseKey], \.responses, context)
        guard let answer = kept[responseKey] else { return nil }
        guard answer.digest == key.digest else { throw .keyReused(opID: nil) }
        return answer.bytes
    }

    /// Returns the stored results of a batch's ops that have ids. It claims the ids until this
    /// request ends, so that no other batch with one of them is decided meanwhile.
    func loadOperationResults(
        _ keys: [OperationKey?], of list: String, _ context: RequestContext
    ) throws(ServiceError) -> OperationResults {
        let responseKeys = Set(keys.compactMap { $0?.id }).map {
            StoredResponseKey(.operation, of: list, $0)
        }
        if context.progress.operationClaim == nil {
            context.progress.operationClaim = claims.claim(responseKeys, for: context)
        }
        _ = try context.result(of: context.progress.operationClaim?.granted)
        let known = try loadResponses(to: responseKeys, \.operationResponses, context)
        return try OperationResults(
            keys, known: known, of: list, at: context.time.milliseconds, limits.retention)
    }

    /// Whether to look up the ops of a refused batch again. Another server may have applied some of
    /// the ops meanwhile, and the batch may be refused for that reason. The store does not detect
    /// this, because a refused batch stores nothing.
    func checksOperationsAgain(_ error: ServiceError, _ context: RequestContext) -> Bool {
        guard case .command = error, shared != nil, !context.progress.hasCheckedOperations else {
            return false
        }
        context.progress.hasCheckedOperations = true
        context.progress.operationResponses = nil
        context.progress.listStates = nil
        context.discardTickets()
        return true
    }

    /// Returns the stored responses that have not expired.
    private func loadResponses(
        to keys: [StoredResponseKey],
        _ slot: ReferenceWritableKeyPath<
            RequestProgress, Reply<[StoredResponseKey: StoredResponse]>?
        >,
        _ context: RequestContext
    ) throws(ServiceError) -> [StoredResponseKey: StoredResponseContent] {
        let found: [StoredResponseKey: StoredResponse]
        if let shared {
            found = try context.wait(for: slot) { shared.responses.load(keys, $0) }
        } else {
            do {
                found = try store.responses(to: keys)
            } catch {
                throw failure(error, list: keys.first?.owner ?? "?")
            }
        }
        let time = context.time.milliseconds
        var kept: [StoredResponseKey: StoredResponseContent] = [:]
        // `found` can also have responses that other requests have asked for.
        for key in keys {
            guard let answer = found[key], answer.expires > time else { continue }
            guard let answer = StoredResponseContent(stored: answer.bytes) else {
                throw .unreadable
            }
            kept[key] = answer
        }
        return kept
    }
}

extension ServiceError {
    /// Whether something was not found. A possible reason is that the same request was already
    /// applied.
    var isAbsence: Bool {
        switch self {
        case .listNotFound, .targetListNotFound, .listNotInBin, .taskNotFound, .historyGone: true
        case .command(_, let error): error.isAbsence
        default: false
        }
    }

    /// Whether the list itself determined the error, so that the error is stored and repeated for
    /// the same key. Errors that occur before that, or that may disappear on a retry, are not
    /// stored.
    var isDecision: Bool {
        switch self {
        case .listNotFound, .targetListNotFound, .listNotInBin, .listForbidden, .taskNotFound,
            .unavailable,
            .outcomeUnknown, .waiting, .unreadable, .keyReused, .requestInProgress,
            .dragNotFound, .tooManyDrags, .historyGone, .tooManyUndos:
            false
        case .command(_, let error): error.isDecision
        case .refused, .listTaken, .listNotDeleted, .taskTaken, .dataTooLarge, .responseTooLarge,
            .listFull,
            .sectionsFull, .targetListFull, .versionMismatch, .preconditionRequired,
            .refusedBefore, .undoConflict, .undoOfTransfer:
            true
        }
    }
}
