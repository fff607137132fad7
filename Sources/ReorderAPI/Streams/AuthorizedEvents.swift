import MicroHTTP
import ReorderAuth

/// A stream that ends when its client's access is no longer in force. After that, no event is sent.
/// The connection ends at once when the access expires, or the access rules are replaced.
struct AuthorizedEvents: EventSource {
    private var events: any EventSource
    private let access: TokenAccess
    private let stream: TokenAccess.Stream
    private let control: AccessControl

    init(_ events: any EventSource, for access: TokenAccess, _ control: AccessControl) {
        self.events = events
        self.access = access
        stream = TokenAccess.Stream(of: access)
        self.control = control
    }

    mutating func next(_ stream: any Wakeable) -> EventPiece {
        control.isInForce(access) ? events.next(stream) : .end
    }

    func secondsLeft() -> Double? { control.secondsLeft(of: access) }

    func closingEvent() -> EventBytes? { control.isInForce(access) ? events.closingEvent() : nil }
}
