import Dispatch
import Synchronization

@testable import ReorderClient

/// A network with requests that fail to leave or responses to batches that are lost.
final class LossyTransport: Transport {
    private struct State {
        var isCut = false
        var answersToLose = 0
        var lost = 0
        var answers: [String] = []
        /// Whether event streams fail until a response to a batch arrives.
        var isWithoutStreams = false
        /// The open event streams.
        var streams: [@Sendable (TransportEvent) -> Void] = []
    }

    private let base: any Transport
    private let state = Mutex(State())

    init(_ base: any Transport) { self.base = base }

    /// Whether all requests fail.
    var isCut: Bool {
        get { state.withLock(\.isCut) }
        set { state.withLock { $0.isCut = newValue } }
    }

    /// Loses the responses to the next `count` batches. There is no event stream, which would have the changes, until
    /// a response arrives.
    func loseAnswers(_ count: Int) {
        state.withLock { state in
            state.answersToLose = count
            state.isWithoutStreams = count > 0
        }
        endStreams()
    }

    func endStreams() {
        let streams = state.withLock { state in
            defer { state.streams = [] }
            return state.streams
        }
        for stream in streams { stream(.end(isComplete: false)) }
    }

    var lostAnswers: Int { state.withLock(\.lost) }

    /// The responses to batches that arrived.
    var answers: [String] { state.withLock(\.answers) }

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        guard !isCut else {
            DispatchQueue.global().async { handler(.end(isComplete: false)) }
            return {}
        }
        if request.target.hasSuffix("/events") {
            let isLost = state.withLock { state in
                if !state.isWithoutStreams { state.streams.append(handler) }
                return state.isWithoutStreams
            }
            if isLost {
                DispatchQueue.global().async { handler(.end(isComplete: false)) }
                return {}
            }
        }
        guard request.method == "POST" else { return base.start(request, handler) }
        let answer = BufferedResponse()
        return base.start(request) { [self] event in
            answer.events.withLock { $0.append(event) }
            guard case .end = event else { return }
            let isLost = state.withLock { state in
                guard state.answersToLose > 0 else {
                    state.answers.append(answer.text)
                    state.isWithoutStreams = false
                    return false
                }
                state.answersToLose -= 1
                state.lost += 1
                return true
            }
            guard !isLost else { return handler(.end(isComplete: false)) }
            for event in answer.events.withLock(\.self) { handler(event) }
        }
    }
}

/// A response, held back until it is complete.
private final class BufferedResponse: Sendable {
    let events = Mutex<[TransportEvent]>([])

    var text: String {
        let bytes = events.withLock(\.self).flatMap { event in
            if case .bytes(let bytes) = event { bytes } else { [] as [UInt8] }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
