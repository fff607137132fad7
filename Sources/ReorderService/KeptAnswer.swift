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

extension ListService {
    /// The answers that count at a time.
    func keptAnswers(
        to keys: [AnswerKey], at time: Int64,
        _ completion: @escaping Completion<[AnswerKey: KeptAnswer]>
    ) {
        let answer = { @Sendable [self] (stored: Result<[AnswerKey: StoredAnswer], StoreError>) in
            completion(
                Result { () throws(ServiceError) in try keptAnswers(stored, to: keys, at: time) })
        }
        if let sharing {
            sharing.answers.ask(keys, answer)
        } else {
            answer(Result { () throws(StoreError) in try store.answers(to: keys) })
        }
    }

    private func keptAnswers(
        _ found: Result<[AnswerKey: StoredAnswer], StoreError>, to keys: [AnswerKey], at time: Int64
    ) throws(ServiceError) -> [AnswerKey: KeptAnswer] {
        let stored: [AnswerKey: StoredAnswer]
        do {
            stored = try found.get()
        } catch {
            throw failure(error, list: keys.first?.owner ?? "?")
        }
        var kept: [AnswerKey: KeptAnswer] = [:]
        // There may be some that others have asked for at the same time.
        for key in keys {
            guard let answer = stored[key], answer.expires > time else { continue }
            guard let answer = KeptAnswer(stored: answer.bytes) else { throw .unreadable }
            kept[key] = answer
        }
        return kept
    }

    func storedAnswer(
        to key: AnswerKey, at time: Int64, _ answer: KeptAnswer
    ) -> StoredAnswer {
        StoredAnswer(
            key: key, at: time, expires: limits.retention.expiry(of: key.scope, at: time),
            bytes: answer.stored)
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

    /// Whether a list decided it, so that asked again it is answered the same. What was found missing
    /// before that, and what may go better the next time, is decided anew.
    var isDecision: Bool {
        switch self {
        case .listNotFound, .targetListNotFound, .listForbidden, .taskNotFound, .unavailable,
            .outcomeUnknown, .overtaken, .unreadable, .keyReused, .requestInProgress,
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
