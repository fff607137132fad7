import ReorderStore

/// What a stored answer holds: what was asked, in short, and what was answered.
struct KeptAnswer {
    var digest: [UInt8]
    var bytes: [UInt8]

    init(digest: [UInt8], bytes: [UInt8]) {
        self.digest = digest
        self.bytes = bytes
    }

    /// `nil` where it is not one.
    init?(stored: [UInt8]) {
        guard let count = stored.first.map(Int.init), stored.count > count else { return nil }
        digest = Array(stored[1...count])
        bytes = Array(stored[(count + 1)...])
    }

    /// A digest has at most 255 bytes.
    var stored: [UInt8] { [UInt8(truncatingIfNeeded: digest.count)] + digest + bytes }
}

/// Where the response to a request with a key goes: into the commit of the change that it reports.
final class ResponseSlot {
    private let key: RequestKey
    private let time: Int64
    private let retention: Retention
    /// The response that goes with the change; nil if nothing changed.
    private(set) var bytes: [UInt8]?

    /// - Parameter time: when the request came, in milliseconds since 1970.
    init(_ key: RequestKey, at time: Int64, _ retention: Retention) {
        self.key = key
        self.time = time
        self.retention = retention
    }

    func answer(_ bytes: [UInt8]) -> StoredAnswer {
        self.bytes = bytes
        let answer = KeptAnswer(digest: key.digest, bytes: bytes)
        return StoredAnswer(key.answerKey, at: time, retention, answer)
    }
}

extension StoredAnswer {
    init(_ key: AnswerKey, at time: Int64, _ retention: Retention, _ answer: KeptAnswer) {
        self.init(
            key: key, at: time, expires: retention.expiry(of: key.scope, at: time),
            bytes: answer.stored)
    }
}

extension ListService {
    /// The response to a request with a key, if it was sent before. From now on no other request with the key
    /// is handled until this one has ended.
    func storedResponse(
        to key: RequestKey, of request: WriteRequest, _ context: RequestContext
    ) throws(ServiceError) -> [UInt8]? {
        if let task = request.holder, let scope = request.scope,
            let list = try holder(of: task, context), !scope(list)
        {
            // A stored response must not show what has moved to a list that the sender may not see.
            throw .taskNotFound(task)
        }
        let answerKey = key.answerKey
        if context.progress.claim == nil {
            guard let claim = claims.claimNow(answerKey, for: context) else {
                throw .requestInProgress
            }
            context.progress.claim = claim
        }
        let kept = try keptAnswers(to: [answerKey], \.answers, context)
        guard let answer = kept[answerKey] else { return nil }
        guard answer.digest == key.digest else { throw .keyReused }
        return answer.bytes
    }

    /// What is known of the ops of a batch that have ids. From now on no other batch with one of them is
    /// decided until this one has ended.
    func operationLedger(
        _ keys: [OperationKey?], of list: String, _ context: RequestContext
    ) throws(ServiceError) -> OperationLedger {
        let answerKeys = Set(keys.compactMap { $0?.id }).map { AnswerKey(.operation, of: list, $0) }
        if context.progress.operationClaim == nil {
            context.progress.operationClaim = claims.claim(answerKeys, for: context)
        }
        guard context.progress.operationClaim?.granted.result != nil else { throw .waiting }
        let known = try keptAnswers(to: answerKeys, \.operationAnswers, context)
        return try OperationLedger(
            keys, known: known, of: list, at: context.time.milliseconds, limits.retention)
    }

    /// Whether the ops of a refused batch are to be looked up once more. Nothing is stored of such a batch, so
    /// the store does not notice that another server has done some of the ops meanwhile, which may be why the
    /// batch is refused now.
    func checksOperationsAgain(_ error: ServiceError, _ context: RequestContext) -> Bool {
        guard case .command = error, sharing != nil, !context.progress.hasCheckedOperations else {
            return false
        }
        context.progress.hasCheckedOperations = true
        context.progress.operationAnswers = nil
        context.progress.standings = nil
        context.forgetTickets()
        return true
    }

    /// The stored answers that have not expired.
    private func keptAnswers(
        to keys: [AnswerKey],
        _ slot: ReferenceWritableKeyPath<RequestProgress, Reply<[AnswerKey: StoredAnswer]>?>,
        _ context: RequestContext
    ) throws(ServiceError) -> [AnswerKey: KeptAnswer] {
        let found: [AnswerKey: StoredAnswer]
        if let sharing {
            found = try context.wait(for: slot) { sharing.answers.ask(keys, $0) }
        } else {
            do {
                found = try store.answers(to: keys)
            } catch {
                throw failure(error, list: keys.first?.owner ?? "?")
            }
        }
        let time = context.time.milliseconds
        var kept: [AnswerKey: KeptAnswer] = [:]
        // There may be some that other requests have asked for at the same time.
        for key in keys {
            guard let answer = found[key], answer.expires > time else { continue }
            guard let answer = KeptAnswer(stored: answer.bytes) else { throw .unreadable }
            kept[key] = answer
        }
        return kept
    }
}

extension ServiceError {
    /// Whether something was not found: among other reasons because the same request was done before.
    var isAbsence: Bool {
        switch self {
        case .listNotFound, .targetListNotFound, .taskNotFound, .historyGone: true
        case .command(_, let error): error.isAbsence
        default: false
        }
    }

    /// Whether a list decided it, so that the same request gets the same response. What was found missing
    /// before that, and what may succeed the next time, is decided again.
    var isDecision: Bool {
        switch self {
        case .listNotFound, .targetListNotFound, .listForbidden, .taskNotFound, .unavailable,
            .outcomeUnknown, .waiting, .unreadable, .keyReused, .requestInProgress,
            .dragNotFound, .tooManyDrags, .historyGone, .undoOvertaken, .tooManyUndos:
            false
        case .command(_, let error): error.isDecision
        case .refused, .listTaken, .taskTaken, .dataTooLarge, .answerTooLarge, .listFull,
            .sectionsFull, .targetListFull, .versionMismatch, .preconditionRequired,
            .refusedBefore, .undoConflict, .undoOfTransfer:
            true
        }
    }
}
