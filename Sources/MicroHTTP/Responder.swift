/// The duty to answer one request, once, from any thread, at once or later.
///
/// Answering within the handler costs nothing more; answering later suspends the connection until
/// then, and no thread waits for it. One that is released without an answer answers 500.
package final class Responder: Sendable {
    private enum Destination {
        case exchange(Exchange)
        case closure(OneAnswer)
    }

    private let destination: Destination

    init(_ exchange: Exchange) {
        destination = .exchange(exchange)
    }

    /// A responder that hands the answer to `deliver`, for calling a router directly.
    package init(_ deliver: @escaping @Sendable (Response) -> Void) {
        destination = .closure(OneAnswer(deliver))
    }

    deinit {
        switch destination {
        case .exchange(let exchange): exchange.abandon()
        case .closure(let answer): answer.give(HTTPFailure.internalError.plainResponse())
        }
    }

    /// Answers the request. Only the first answer counts. May be called from any thread.
    package func respond(_ response: Response) {
        switch destination {
        case .exchange(let exchange):
            if exchange.answer(response) { exchange.loop.resume(CollectionOfOne(exchange)) }
        case .closure(let answer): answer.give(response)
        }
    }

    /// Answers many requests, waking each event loop at most once: for a group commit.
    package static func respondAll(_ answers: some Sequence<(Responder, Response)>) {
        var late: [ObjectIdentifier: [Exchange]] = [:]
        for (responder, response) in answers {
            switch responder.destination {
            case .exchange(let exchange):
                if exchange.answer(response) {
                    late[ObjectIdentifier(exchange.loop), default: []].append(exchange)
                }
            case .closure(let answer): answer.give(response)
            }
        }
        for exchanges in late.values { exchanges.first?.loop.resume(exchanges) }
    }
}
