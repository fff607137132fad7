/// A request and what it was answered, for whoever keeps a log. It holds nothing that may be secret:
/// neither header fields nor the query nor a body.
package struct AnsweredRequest: Sendable {
    package let id: String
    package let method: HTTPMethod
    /// As it was sent, undecoded, without the query; a very long one is cut.
    package let path: String
    /// The pattern of the route that was taken; `nil` where there was none.
    package let route: String?
    package let status: Int
    /// The program's name for why it was refused.
    package let refusal: String?
    /// Of the body; 0 for an event stream.
    package let bodyBytes: Int
    /// From the turn of the event loop in which the request was complete until its answer, or a
    /// stream's head, was ready to be sent.
    package let seconds: Double
}

/// Which answers are told to whom.
package struct AnswerReport: Sendable {
    /// Whether all are told; else those that took long, and those from 500.
    package var isOfAll: Bool
    /// From which time on an answer took long; `nil`: never.
    package var slowSeconds: Double?
    /// Called on an event loop's thread, which waits for it.
    package var tell: @Sendable (AnsweredRequest) -> Void

    package init(
        isOfAll: Bool, slowSeconds: Double?, tell: @escaping @Sendable (AnsweredRequest) -> Void
    ) {
        self.isOfAll = isOfAll
        self.slowSeconds = slowSeconds
        self.tell = tell
    }

    func isAbout(status: Int, nanoseconds: Int) -> Bool {
        isOfAll || status >= 500
            || slowSeconds.map { Double(nanoseconds) >= $0 * 1_000_000_000 } ?? false
    }
}
