import ReorderEngine
import ReorderStore

/// By what a request is known that may come more than once, though it is to be done once.
package struct RequestKey: Sendable {
    /// What the request names. A key means the same request only together with it.
    package enum Owner: Sendable {
        case list(String)
        /// A task, whichever list holds it.
        case task(TaskID)
        /// A drag, which may be over.
        case drag(String)
        /// A list that has no id yet.
        case newList
    }

    package var owner: Owner
    /// What the client called the request. ASCII.
    package var key: String
    /// What the request asks, in short: two that ask different things have different digests.
    package var digest: [UInt8]

    package init(_ owner: Owner, key: String, digest: [UInt8]) {
        self.owner = owner
        self.key = key
        self.digest = digest
    }

    var answerKey: AnswerKey {
        switch owner {
        case .list(let id): AnswerKey(.list, of: id, key)
        case .task(let id): AnswerKey(.task, of: id, key)
        // Drags are known to no store: their ids are new ones, as those of lists without one.
        case .drag(let id): AnswerKey(.newList, of: id, key)
        case .newList: AnswerKey(.newList, of: key, key)
        }
    }
}

/// By what an op of a batch is known that may come more than once, though it is to be done once.
package struct OperationKey: Sendable {
    package var id: String
    /// As a request's.
    package var digest: [UInt8]

    package init(id: String, digest: [UInt8]) {
        self.id = id
        self.digest = digest
    }
}

/// How long answers are kept for those who ask again.
package struct Retention: Sendable {
    /// Of requests with a key.
    package var requestSeconds: Int
    /// Of ops with an id: longer, for clients stay offline for long.
    package var operationSeconds: Int

    package static let standard = Retention(
        requestSeconds: 24 * 60 * 60, operationSeconds: 30 * 24 * 60 * 60)

    package init(requestSeconds: Int, operationSeconds: Int) {
        self.requestSeconds = requestSeconds
        self.operationSeconds = operationSeconds
    }

    /// - Parameter time: in milliseconds since 1970, as the result.
    func expiry(of scope: AnswerKey.Scope, at time: Int64) -> Int64 {
        let seconds = scope == .operation ? operationSeconds : requestSeconds
        return time + Int64(seconds) * 1_000
    }
}
