import MicroHTTP
import ReorderAuth
import ReorderService

extension ListChannel: StreamTopic {}
extension ChangeFeed: StreamTopic {}

/// A stream that ends when its client's access is no longer in force, or when the store went back. After that, no event is sent.
/// The connection ends at once when the access expires, or the access rules are replaced.
struct GuardedEvents: EventSource {
    private var events: any EventSource
    private let service: ListService
    /// Released together with the stream.
    private let permit: StreamPermits.Permit?
    /// nil if the client needs no access.
    private let access: (stream: TokenAccess.Stream, control: AccessControl)?

    init(
        _ events: any EventSource, of service: ListService, for token: TokenAccess?,
        _ control: AccessControl?, _ permit: StreamPermits.Permit?
    ) {
        self.events = events
        self.service = service
        self.permit = permit
        let stream = token.map { TokenAccess.Stream(of: $0) }
        access = stream.flatMap { stream in control.map { (stream, $0) } }
    }

    private var isInForce: Bool { access.map { $1.isInForce($0.access) } ?? true }

    mutating func next(_ stream: any Wakeable) -> EventPiece {
        // After a rewind, the client reconnects, with an event id of the former epoch.
        service.isRewound || !isInForce ? .end : events.next(stream)
    }

    func secondsLeft() -> Double? { access.flatMap { $1.secondsLeft(of: $0.access) } }

    func closingEvent() -> EventBytes? { isInForce ? events.closingEvent() : nil }
}
