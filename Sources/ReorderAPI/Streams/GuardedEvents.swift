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
    private let access: Access?

    private struct Access {
        let token: TokenAccess
        let stream: TokenAccess.Stream
        let control: AccessControl

        var isInForce: Bool { control.isInForce(token) }
    }

    init(
        _ events: any EventSource, of service: ListService, for token: TokenAccess?,
        _ control: AccessControl?, _ permit: StreamPermits.Permit?
    ) {
        self.events = events
        self.service = service
        self.permit = permit
        access =
            if let token, let control {
                Access(token: token, stream: TokenAccess.Stream(of: token), control: control)
            } else {
                nil
            }
    }

    mutating func next(_ stream: any Wakeable) -> EventPiece {
        // After a rewind, the client reconnects, with an event id of the former epoch.
        guard !service.isRewound, access?.isInForce ?? true else { return .end }
        return events.next(stream)
    }

    func secondsLeft() -> Double? { access.flatMap { $0.control.secondsLeft(of: $0.token) } }

    func closingEvent() -> EventBytes? {
        access?.isInForce ?? true ? events.closingEvent() : nil
    }
}
