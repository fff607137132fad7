import Foundation
import ReorderService
import ReorderStore

/// Reads and changes the stored webhooks. All calls block.
final class WebhookStorage: Sendable {
    private let service: ListService
    /// Held while a document is replaced.
    private let writing = NSLock()

    private static let name = "webhooks"

    init(_ service: ListService) { self.service = service }

    func read() throws -> WebhookSet { try decode(try service.sharedDocument(Self.name)) }

    /// Applies a change to the current webhooks, perhaps several times. Writes nothing if it changes
    /// nothing.
    func change<Value>(_ body: (inout WebhookSet) throws -> Value) throws -> Value {
        try writing.withLock { try changeAlone(body) }
    }

    private func changeAlone<Value>(_ body: (inout WebhookSet) throws -> Value) throws -> Value {
        while true {
            let document = try service.sharedDocument(Self.name)
            let before = try decode(document)
            var set = before
            let value = try body(&set)
            if try set == before || replace(document, by: set) { return value }
        }
    }

    /// Returns false if another server has changed the webhooks at the same time.
    private func replace(_ document: SharedDocument, by set: WebhookSet) throws -> Bool {
        do {
            try service.replace(document, by: Array(try JSONEncoder().encode(set)))
            return true
        } catch StoreError.conflict {
            return false
        }
    }

    private func decode(_ document: SharedDocument) throws -> WebhookSet {
        guard let bytes = document.bytes else { return WebhookSet() }
        return try JSONDecoder().decode(WebhookSet.self, from: Data(bytes))
    }
}
