/// Decides which server of a shared store delivers.
///
/// The server that delivers counts a number up in the store. Another one takes over when that number has
/// stood still for long, by its own clock: no server compares its clock with another one's.
struct DeliveryLease {
    /// The name of this server.
    let name: String
    /// The uptime until which this server may begin attempts; nil if another one delivers.
    private(set) var heldUntil: UInt64?
    private var seen: (sender: WebhookSet.Sender, since: UInt64)?

    /// The server counts up after this time.
    static let renewalSeconds = 5.0
    /// After this time without counting up, it begins no attempt.
    static let validSeconds = 15.0
    /// After this time, another server takes over: the last attempt of the first one has ended.
    static let takeoverSeconds = 40.0

    init(name: String) { self.name = name }

    /// Whether to count up now, or to take over.
    mutating func shouldWrite(over sender: WebhookSet.Sender?, at now: UInt64) -> Bool {
        guard let sender, sender.name != name else { return true }
        heldUntil = nil
        guard let seen, seen.sender == sender else {
            seen = (sender, now)
            return false
        }
        return now - seen.since >= UInt64(Self.takeoverSeconds * 1e9)
    }

    /// - Parameter begin: the uptime when the write began.
    mutating func hold(from begin: UInt64) {
        heldUntil = begin + UInt64(Self.validSeconds * 1e9)
        seen = nil
    }

    /// For a store that has no other server.
    mutating func holdForever() { heldUntil = .max }

    mutating func giveUp() { heldUntil = nil }

    func isHeld(at now: UInt64) -> Bool { heldUntil.map { now < $0 } ?? false }
}
