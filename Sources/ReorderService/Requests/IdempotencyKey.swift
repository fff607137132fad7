import ReorderEngine
import ReorderStore

/// Identifies a request that can arrive more than once but must be applied once.
package struct IdempotencyKey: Sendable {
    /// The resource that the request names. The same key for different resources identifies
    /// different requests.
    package enum Owner: Sendable {
        case list(String)
        /// A task, independent of its list.
        case task(TaskID)
        /// A drag, which may have ended.
        case drag(String)
        /// A new list without an id.
        case newList
    }

    package var owner: Owner
    /// The client's `Idempotency-Key`, in ASCII.
    package var key: String
    /// A digest of the request. Different requests have different digests.
    package var digest: [UInt8]

    package init(_ owner: Owner, key: String, digest: [UInt8]) {
        self.owner = owner
        self.key = key
        self.digest = digest
    }

    var responseKey: StoredResponseKey {
        switch owner {
        case .list(let id): StoredResponseKey(.list, of: id, key)
        case .task(let id): StoredResponseKey(.task, of: id, key)
        // Drags are not stored, so they have no scope of their own. Their ids are unique, so they
        // can use the scope of new lists.
        case .drag(let id): StoredResponseKey(.newList, of: id, key)
        case .newList: StoredResponseKey(.newList, of: key, key)
        }
    }
}

/// Identifies an op of a batch that can arrive more than once but must be applied once.
package struct OperationKey: Sendable {
    package var id: String
    /// A digest of the op.
    package var digest: [UInt8]

    package init(id: String, digest: [UInt8]) {
        self.id = id
        self.digest = digest
    }
}
