/// Sends requests to receivers.
package protocol WebhookTransport: AnyObject, Sendable {
    /// Begins to send a request.
    ///
    /// - Parameter done: called once on any thread, unless the transport is stopped before.
    func send(_ message: WebhookMessage, _ done: @escaping @Sendable (WebhookOutcome) -> Void)

    /// Ends all requests, and waits for the thread.
    func stop()
}

/// Which receivers are allowed.
package struct WebhookOptions: Sendable {
    /// Whether receivers may have addresses that are not public.
    package var allowsPrivate = false
    /// Whether URLs may begin with `http://`.
    package var allowsHTTP = false

    package init(allowsPrivate: Bool = false, allowsHTTP: Bool = false) {
        self.allowsPrivate = allowsPrivate
        self.allowsHTTP = allowsHTTP
    }
}

/// A POST request to a receiver.
package struct WebhookMessage: Sendable, Equatable {
    package var url: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    /// The time limit of an attempt.
    package static let limitSeconds = 15.0

    package init(url: String, fields: [(name: String, value: String)], body: [UInt8]) {
        (self.url, self.fields, self.body) = (url, fields, body)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.url == right.url && left.body == right.body
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}

extension WebhookMessage {
    /// A signed request with an event.
    init(_ body: [UInt8], event id: String, to webhook: Webhook, at date: Int64) {
        let time = Int(date / 1_000)
        let signatures = webhook.secrets(at: date).map {
            $0.signature(of: body, id: id, time: time)
        }
        self.init(
            url: webhook.url,
            fields: [
                ("Content-Type", "application/json"), ("User-Agent", "reorderd"),
                ("webhook-id", id), ("webhook-timestamp", "\(time)"),
                ("webhook-signature", signatures.joined(separator: " ")),
            ], body: body)
    }
}

package enum WebhookOutcome: Sendable, Equatable {
    /// The status of the response, and the seconds in its `Retry-After`.
    case response(Int, retryAfter: Int? = nil)
    /// The reason why there was no response, as a sentence.
    case failure(String)
}

extension Webhook.Result {
    /// The result of an attempt that ended at a time.
    init(_ outcome: WebhookOutcome, of event: String, at date: Int64) {
        self.init(event: event, at: date)
        switch outcome {
        case .response(let status, _):
            self.status = status
            if !(200..<300).contains(status) { error = "The status is not 2xx." }
        case .failure(let reason): error = reason
        }
    }
}
