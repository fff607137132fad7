import ReorderStore

/// A small document that all servers of a store have, such as the settings of webhooks.
///
/// It is stored like a response. Each edition expires when the next one is written, so a store replaces
/// exactly the edition that the writer has read.
package struct SharedDocument: Sendable {
    fileprivate let key: StoredResponseKey
    /// The number of the edition; 0 if the document was never written.
    package let edition: Int64
    /// nil if the document was never written.
    package let bytes: [UInt8]?

    /// The time of the first edition: so late that no edition is removed as an expired response.
    fileprivate static let start: Int64 = 1 << 60
}

extension ListService {
    /// Whether other servers may use the store, too.
    package var isShared: Bool { durable.shared != nil }

    /// The position of the last change. Blocks.
    package func lastPosition() throws(StoreError) -> Int { try store.lastPosition() }

    /// The client's error for a failure to read or write a document. The details are logged.
    package func storeFailure(_ error: any Error) -> ServiceError {
        guard let error = error as? StoreError else {
            logger.error("a stored document can't be read", metadata: ["error": "\(error)"])
            return .unreadable
        }
        return .of(error, list: "?", logger, isShared: isShared)
    }

    /// Reads a document. Blocks.
    package func sharedDocument(_ name: String) throws(StoreError) -> SharedDocument {
        // A list can't have this id.
        let key = StoredResponseKey(.list, of: ".", name)
        let stored = try store.responses(to: [key])[key]
        return SharedDocument(
            key: key, edition: stored.map { $0.expires - SharedDocument.start } ?? 0,
            bytes: stored?.bytes)
    }

    /// Writes the next edition of a document. Blocks. One thread at a time may replace a document.
    ///
    /// - Throws: `conflict` if there is a later edition than this one.
    package func replace(_ document: SharedDocument, by bytes: [UInt8]) throws(StoreError) {
        let at = SharedDocument.start + document.edition
        do throws(StoreError) {
            try store.append(
                [],
                responses: [
                    StoredResponse(key: document.key, at: at, expires: at + 1, bytes: bytes)
                ])
        } catch {
            // The writer's next commit fails too, and ends the process.
            if case .lost = error { tryCommit() }
            throw error
        }
    }
}
