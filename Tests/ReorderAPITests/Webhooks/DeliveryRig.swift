import Foundation
import Logging
import MicroHTTP
import ReorderAPI
import ReorderService
import ReorderStore
import ReorderWebhooks
import StoreTesting
import Synchronization
import Waiting

/// Receivers without sockets. They keep what they get.
final class Receivers: Sendable {
    struct Delivery: Sendable, Equatable {
        var url: String
        var id: String
        var body: String
        var signature: String
        /// The value of `webhook-timestamp`.
        var time: Int
        var outcome: WebhookOutcome
    }

    /// What a receiver does with a request; nil: it never responds.
    typealias Behavior = @Sendable (_ url: String) -> WebhookOutcome?

    private struct State {
        var requests: [Delivery] = []
        var hanging: [String] = []
        var behavior: Behavior = { _ in .response(204) }
    }

    private let state = Mutex(State())

    func behave(_ behavior: @escaping Behavior) { state.withLock { $0.behavior = behavior } }

    /// The requests that got a response, or a failure.
    var requests: [Delivery] { state.withLock(\.requests) }
    var accepted: [Delivery] { requests.filter { $0.outcome == .response(204) } }
    /// The ids of the requests that get no response.
    var hanging: [String] { state.withLock(\.hanging) }

    fileprivate func take(_ message: WebhookMessage) -> WebhookOutcome? {
        state.withLock { state in
            func field(_ name: String) -> String {
                message.fields.first { $0.name == name }?.value ?? ""
            }
            let id = field("webhook-id")
            guard let outcome = state.behavior(message.url) else {
                state.hanging.append(id)
                return nil
            }
            state.requests.append(
                Delivery(
                    url: message.url, id: id, body: String(decoding: message.body, as: UTF8.self),
                    signature: field("webhook-signature"),
                    time: Int(field("webhook-timestamp")) ?? 0, outcome: outcome))
            return outcome
        }
    }

    /// The way of one server to the receivers.
    final class Connection: WebhookTransport {
        private let receivers: Receivers
        private let isCut = Atomic<Bool>(false)

        init(_ receivers: Receivers) { self.receivers = receivers }

        /// From now on, nothing arrives, as if the server had been killed.
        func cut() { isCut.store(true, ordering: .sequentiallyConsistent) }

        func send(
            _ message: WebhookMessage, _ done: @escaping @Sendable (WebhookOutcome) -> Void
        ) {
            guard !isCut.load(ordering: .sequentiallyConsistent) else { return }
            if let outcome = receivers.take(message) { done(outcome) }
        }

        func stop() { cut() }
    }
}

/// A server that delivers to receivers, in the time of a test.
final class DeliveryRig {
    let clock = TestClock.stopped
    let receivers = Receivers()
    let log = LogLines(level: .notice)
    let store: any ListStore
    let service: ListService
    private(set) var webhooks: Webhooks
    private var connection: Receivers.Connection
    private var killed: [Webhooks] = []
    private(set) var client: InProcessClient

    init(_ store: any ListStore = MemoryListStore()) {
        self.store = store
        service = .quiet(store, environment: clock.environment)
        (webhooks, connection, client) = Self.start(service, receivers, log)
    }

    private static func start(
        _ service: ListService, _ receivers: Receivers, _ log: LogLines
    ) -> (Webhooks, Receivers.Connection, InProcessClient) {
        let connection = Receivers.Connection(receivers)
        let webhooks = Webhooks(
            service, options: WebhookOptions(allowsHTTP: true), transport: connection,
            logger: Logger(label: "") { [handler = log.handler] _ in handler })
        webhooks.start()
        let router = ReorderAPI(service: service, webhooks: webhooks).makeRouter()
        return (webhooks, connection, InProcessClient(router: router))
    }

    /// Stops the delivery and starts it again. A killed one does not store its progress.
    func restart(killing: Bool) {
        if killing {
            connection.cut()
            killed.append(webhooks)
        } else {
            webhooks.stop()
        }
        (webhooks, connection, client) = Self.start(service, receivers, log)
    }

    func stop() throws {
        for webhooks in killed + [webhooks] { webhooks.stop() }
        try service.stopIdle()
    }

    /// Creates a webhook, and waits until the sender has it.
    func hook(_ url: String, _ lists: [String] = ["*"]) throws -> String {
        try webhooks.create(id: url, url: url, lists: lists, secret: WebhookSecret()).id
    }

    func make(_ list: String) throws {
        _ = try client.put("/lists/\(list)", #"{"title":""}"#, ["If-None-Match": "*"])
    }

    func rename(_ list: String, _ title: Int) throws {
        _ = try client.send("PATCH", "/lists/\(list)", #"{"title":"\#(title)"}"#)
    }

    /// Advances the clock step by step until a condition holds.
    func advance(bySeconds seconds: Double = 2, until isTrue: () throws -> Bool) throws {
        try waitUntil {
            clock.advance(seconds: seconds)
            return try isTrue()
        }
    }
}

func withDelivery(
    _ store: any ListStore = MemoryListStore(), _ body: (DeliveryRig) throws -> Void
) throws {
    let rig = DeliveryRig(store)
    do {
        try body(rig)
    } catch {
        try? rig.stop()
        throw error
    }
    try rig.stop()
}
