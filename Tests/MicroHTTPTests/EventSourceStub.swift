import Foundation
import RawHTTP
import Synchronization
import Waiting

@testable import MicroHTTP

/// A source whose texts a test appends, for any number of streams.
final class EventSourceStub: StreamTopic {
    private let watches = Mutex<[WeakWatch]>([])
    private let texts = Mutex<(pieces: [EventBytes], isOver: Bool)>(([], false))
    private let openCount = Atomic<Int>(0)

    /// Streams whose source is not released yet.
    var open: Int { openCount.load(ordering: .sequentiallyConsistent) }

    func append(_ text: String) {
        let piece = EventBytes { $0 += text.utf8 }
        texts.withLock { $0.pieces.append(piece) }
        wake()
    }

    /// The loops that have streams of this source.
    var watchCount: Int { watches.withLock { $0.count { $0.watch != nil } } }

    func watch(onNews: @escaping @Sendable () -> Void) -> Watch {
        let watch = Watch(onNews: onNews)
        watches.withLock { $0.append(WeakWatch(watch: watch)) }
        return watch
    }

    private func wake() {
        for watch in watches.withLock(\.self) { watch.watch?.onNews() }
    }

    func finish() {
        texts.withLock { $0.isOver = true }
        wake()
    }

    func stream() -> EventStream {
        EventStream(topic: self, source: Reader(source: self, token: Token(self)))
    }

    /// A router with `/source`, `/late` (another thread responds), and the echo router's routes.
    /// Its reference is weak, because this object refers to the loops, which refer to the router.
    func router() -> Router {
        let router = Router.echo()
        router.on(.get, "/source") { [weak self] _, responder in
            if let self { responder.respond(self.response()) }
        }
        router.on(.get, "/late") { [weak self] _, responder in
            guard let self else { return }
            Thread.detachNewThread { responder.respond(self.response()) }
        }
        return router
    }

    private func response() -> Response {
        Response(status: 200, headers: ["Content-Type": "text/plain"], stream: stream())
    }

    /// Waits until this number of streams is open.
    func waitUntilOpen(_ count: Int) throws { try waitUntil { open == count } }

    private func piece(_ index: Int) -> EventPiece {
        texts.withLock { texts in
            if index < texts.pieces.count { return .bytes(texts.pieces[index]) }
            return texts.isOver ? .end : .nothing
        }
    }

    final class Watch: Sendable {
        let onNews: @Sendable () -> Void
        init(onNews: @escaping @Sendable () -> Void) { self.onNews = onNews }
    }

    private struct WeakWatch {
        weak var watch: Watch?
    }

    private struct Reader: EventSource {
        let source: EventSourceStub
        let token: Token
        var index = 0

        mutating func next(_: any Wakeable) -> EventPiece {
            let piece = source.piece(index)
            if case .bytes = piece { index += 1 }
            return piece
        }

        func closingEvent() -> EventBytes? { EventBytes { $0 += "bye\n".utf8 } }
    }

    private final class Token: Sendable {
        let source: EventSourceStub
        init(_ source: EventSourceStub) {
            self.source = source
            source.openCount.add(1, ordering: .sequentiallyConsistent)
        }
        deinit { source.openCount.subtract(1, ordering: .sequentiallyConsistent) }
    }
}

extension RawClient {
    /// Requests a stream and reads the head of the response.
    static func open(
        _ target: String, port: Int, version: String = "1.1", fields: String = "",
        receiveBufferBytes: Int32? = nil
    ) throws -> (client: RawClient, head: Answer) {
        let client = try RawClient(port: port, receiveBufferBytes: receiveBufferBytes)
        client.send("GET \(target) HTTP/\(version)\r\nHost: test\r\n\(fields)\r\n")
        return (client, try client.readHead())
    }
}
