import MicroHTTP
import ReorderAuth

/// A stream that ends when its client's grant is no longer in force. After that, no event is sent.
/// If the access rules were replaced, the connection ends at once. If the grant expired, it ends
/// when the next event or heartbeat is due.
struct AuthorizedEvents: EventSource {
    private var events: any EventSource
    private let grant: Grant
    private let control: AccessControl

    init(_ events: any EventSource, for grant: Grant, _ control: AccessControl) {
        self.events = events
        self.grant = grant
        self.control = control
    }

    mutating func next(_ stream: any Wakeable) -> EventPiece {
        control.isInForce(grant) ? events.next(stream) : .end
    }

    func closingEvent() -> EventBytes? { control.isInForce(grant) ? events.closingEvent() : nil }
}
