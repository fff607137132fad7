import ReorderAuth
import ReorderCrypto
import ReorderJSON
import ReorderService
import ReorderStore

/// The place of a webhook in the feed.
enum DeliveryProgress: Sendable, Equatable {
    /// All changes up to this position were delivered.
    case at(Int)
    /// Changes after the webhook's position are no longer stored. Its lists that have changed at
    /// `from` or later follow, those up to `after` were delivered, and then the changes after `end`.
    case lists(from: Int, end: Int, after: String?)
}

/// What a receiver gets in one request.
struct DeliveryEvent: Sendable {
    /// The value of `webhook-id`: the same in all attempts, on all servers, and in no other event.
    let id: String
    let body: [UInt8]
    /// The place of the webhook when this is delivered.
    var place: DeliveryProgress

    /// A change of a list.
    ///
    /// - Parameter lists: the webhook's lists. The event does not name other lists.
    init(_ entry: JournalEntry, epoch: String, lists: ListPatterns) {
        // As in the feed: the id of the event there.
        id = "p\(entry.position)-\(epoch)"
        body = Self.body(
            of: FeedEvent(entry, epoch: epoch, naming: lists == .all ? nil : { lists.allow($0) }))
        place = .at(entry.position)
    }

    /// A list to fetch.
    init(_ head: ListHead, epoch: String, place: DeliveryProgress) {
        // The signed text separates its parts with dots, which ids of lists can have.
        let digest = SHA256.digest(of: Array("\(head.version).\(head.list)".utf8)).prefix(12)
        let digits = digest.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        id = "r\(digits.joined())-\(epoch)"
        body = Self.body(of: FeedEvent(head, epoch: epoch))
        self.place = place
    }

    private static func body(of event: FeedEvent) -> [UInt8] {
        var writer = JSONWriter()
        event.writeObject(to: &writer)
        return writer.takeBytes()
    }
}
