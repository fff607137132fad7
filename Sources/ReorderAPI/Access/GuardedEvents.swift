import MicroHTTP
import ReorderAccess

/// A stream that ends once what its client was granted is over. Nothing is sent after that; the
/// connection ends then too where a rule was replaced, else with the next event or heartbeat.
struct GuardedEvents: EventSource {
    private var events: ListEvents
    private let grant: Grant
    private let control: AccessControl

    init(_ events: ListEvents, for grant: Grant, _ control: AccessControl) {
        self.events = events
        self.grant = grant
        self.control = control
    }

    mutating func next(_ stream: any Wakeable) -> EventPiece {
        control.isInForce(grant) ? events.next(stream) : .end
    }

    func farewell() -> EventBytes? { control.isInForce(grant) ? events.farewell() : nil }
}
