import Dispatch
import Glibc
import RawHTTP
import Synchronization
import Testing
import Waiting

@testable import MicroHTTP

/// Bodies that are read while they arrive, over a socket.
@Suite(.serialized) struct BodyReaderTests {
    /// Reads lines on another thread. The line "bad" is refused.
    private final class LineReader: BodyReader {
        private let queue = DispatchQueue(label: "lines")
        private let state = Mutex((lines: [String](), isRefused: false, settledBytes: 0))
        private let gate: Gate?

        init(_ gate: Gate? = nil) { self.gate = gate }

        var needsMore: Bool { state.withLock { !$0.isRefused } }
        /// The characters of the lines.
        var memoryBytes: Int { state.withLock { $0.lines.reduce(0) { $0 + $1.utf8.count } } }
        var settledBytes: Int { state.withLock(\.settledBytes) }

        func read(_ slice: [UInt8], whenDone: @escaping @Sendable ([UInt8]) -> Void) {
            queue.async { [self] in
                gate?.pass()
                let end = slice.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
                let text = String(decoding: slice[..<end], as: UTF8.self)
                state.withLock { state in
                    state.lines += text.split(separator: "\n").map(String.init)
                    state.isRefused = state.isRefused || state.lines.contains("bad")
                }
                whenDone(Array(slice[end...]))
                let bytes = memoryBytes
                state.withLock { $0.settledBytes = bytes }
            }
        }

        /// The lines that are not empty.
        func all(endingWith rest: [UInt8]) -> String {
            let lines = String(decoding: rest, as: UTF8.self).split(separator: "\n")
            return (state.withLock { $0.lines } + lines.map(String.init)).joined(separator: "\n")
        }
    }

    /// Holds readers until a test lets them continue.
    private final class Gate: Sendable {
        let arrived = DispatchSemaphore(value: 0)
        let opened = DispatchSemaphore(value: 0)

        func pass() {
            arrived.signal()
            opened.wait()
        }
    }

    /// The readers that were made.
    private final class Readers: Sendable {
        private struct Weak {
            weak var reader: LineReader?
        }
        private let readers = Mutex<[Weak]>([])

        func add(_ reader: LineReader) { readers.withLock { $0.append(Weak(reader: reader)) } }
        var count: Int { readers.withLock { $0.count } }
        var liveCount: Int { readers.withLock { $0.count { $0.reader != nil } } }
        /// The characters of all lines that the server knows.
        var settledBytes: Int {
            readers.withLock { $0.reduce(0) { $0 + ($1.reader?.settledBytes ?? 0) } }
        }
    }

    private func withReadingServer(
        _ readers: Readers = Readers(), _ router: Router = Router(), gate: Gate? = nil,
        clock: TestClock = TestClock(),
        configure: (inout HTTPServerConfiguration) -> Void = { _ in },
        _ body: (_ port: Int, _ server: HTTPServer) throws -> Void
    ) throws {
        let streamed = StreamedBody(mediaType: "text/lines") { request, _ in
            let reader = LineReader(gate)
            readers.add(reader)
            if request.pathParameters["id"] == "refused" {
                reader.read(Array("bad\n".utf8)) { _ in }
                while reader.needsMore { sched_yield() }
            }
            return reader
        }
        router.on(.put, "/lists/:id", streamedBody: streamed) { exchange in
            let request = exchange.request
            guard let reader = request.bodyReader as? LineReader else {
                return .text("whole \(request.body.count)")
            }
            guard reader.needsMore else { return Response(status: 422) }
            return .text(reader.all(endingWith: request.body))
        }
        try withServer(threadCount: 1, clock: clock, router, configure: configure, body)
    }

    private func head(_ length: Int?, _ more: String = "", id: String = "a") -> String {
        let size = length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
        return "PUT /lists/\(id) HTTP/1.1\r\nHost: a\r\nContent-Type: text/lines; a=b\r\n"
            + "\(size)\r\n\(more)\r\n"
    }

    @Test(arguments: 1...20)
    func anySliceAndPieceGivesTheSameLines(sliceBytes: Int) throws {
        let text = "one\ntwo\n\nfour is longer than a slice\nfive"
        let expected = text.replacing("\n\n", with: "\n")
        let bytes = Array(text.utf8)
        try withReadingServer(configure: { $0.bodySliceBytes = sliceBytes }) { port, _ in
            let client = try RawClient(port: port)
            for cut in 0...bytes.count {
                client.send(Array(head(bytes.count).utf8) + bytes[..<cut])
                client.send(Array(bytes[cut...]))
                #expect(try client.readAnswer().body == expected)
            }
            for byte in Array(head(bytes.count).utf8) + bytes { client.send([byte]) }
            #expect(try client.readAnswer().body == expected)
            for chunk in [1, 2, 7, 100] {
                // A connection ends after a chunked body.
                let client = try RawClient(port: port)
                client.send(Array(head(nil).utf8) + chunked(bytes, chunk: chunk))
                #expect(try client.readAnswer().body == expected)
            }
        }
    }

    @Test func aStreamedBodyMayBeLargerThanAWholeOne() throws {
        let text = String(repeating: "0123456789abcde\n", count: 20_000)
        try withReadingServer(configure: {
            $0.maximumBodyBytes = 64 << 10
            $0.bodySliceBytes = 10_000
        }) { port, _ in
            let client = try RawClient(port: port)
            client.send(head(text.utf8.count) + text)
            #expect(try client.readAnswer().body + "\n" == text)
            client.send(
                head(text.utf8.count).replacing("text/lines", with: "text/other") + text)
            #expect(try client.readAnswer().status == 413)
        }
    }

    /// The refusal needs the head only, and the connection can be used again.
    @Test(arguments: ["text/lines", "text/plain"])
    func aCodedBodyIsRefusedBeforeItIsRead(type: String) throws {
        let refused = DispatchSemaphore(value: 0)
        let router = Router { failure, _ in
            refused.signal()
            return failure.plainResponse()
        }
        func head(_ coding: String) -> String {
            self.head(5, "Content-Encoding: \(coding)\r\n").replacing("text/lines", with: type)
        }
        try withReadingServer(Readers(), router) { port, _ in
            let client = try RawClient(port: port)
            client.send(head("gzip"))
            try refused.waitForSignal()
            client.send("good\n")
            let answer = try client.readAnswer()
            #expect(answer.status == 415 && answer["Accept-Encoding"] == "identity")
            client.send(head("identity") + "good\n")
            #expect(try client.readAnswer().status == 200)
        }
    }

    @Test func afterAFaultTheRestIsDiscardedAndTheHandlerRefuses() throws {
        let readers = Readers()
        try withReadingServer(
            readers,
            configure: {
                $0.bodySliceBytes = 4
                $0.maximumBodyBytes = 1000
                $0.maximumDiscardedBytes = 1000
            }
        ) { port, _ in
            let client = try RawClient(port: port)
            let rest = String(repeating: "good\n", count: 100_000)
            for text in ["bad\n", "good\nbad\n" + rest] {
                client.send(head(text.utf8.count) + text)
                #expect(try client.readAnswer().status == 422)
            }
            // Refused when the head arrives.
            client.send(head(2000, id: "refused") + rest.prefix(2000))
            #expect(try client.readAnswer().status == 422)
            client.send(head(5) + "good\n")
            #expect(try client.readAnswer().status == 200)
            for (length, more) in [(2001, ""), (10, "Expect: 100-continue\r\n")] {
                let client = try RawClient(port: port)
                client.send(head(length, more, id: "refused"))
                #expect(try client.readHead().status == 422)
            }
        }
        #expect(readers.count == 6)
        #expect(readers.liveCount == 0)
    }

    @Test func theMemoryOfAllReadersIsLimited() throws {
        let (readers, clock) = (Readers(), TestClock())
        try withReadingServer(
            readers, clock: clock,
            configure: {
                $0.bodySliceBytes = 11
                $0.maximumBodyBytes = 100
                $0.maximumBodiesBytes = 100
            }
        ) { port, _ in
            func lines(_ count: Int) -> String { String(repeating: "0123456789\n", count: count) }
            let client = try RawClient(port: port)
            for (count, status) in [(10, 200), (11, 413)] {
                client.send(head(count * 11) + lines(count))
                #expect(try client.readAnswer().status == status)
            }
            func status(_ count: Int) throws -> Int {
                client.send(head(count * 11) + lines(count))
                return try client.readAnswer().status
            }
            do {
                let other = try RawClient(port: port)
                // The last byte is missing, so the reader keeps five lines.
                other.send(head(56) + lines(5))
                try waitUntil { readers.settledBytes == 50 }
                try clock.advance(port: port)
                #expect(try status(6) == 503)
                #expect(try status(5) == 200)
                withExtendedLifetime(other) {}
            }
            // A client that disconnects frees everything.
            try waitUntil { try status(6) == 200 }
            try waitUntil { readers.liveCount == 0 }
        }
    }

    @Test func theDeadlineBeginsAgainWithEachSlice() throws {
        let clock = TestClock()
        try withReadingServer(
            clock: clock,
            configure: {
                $0.requestTimeoutSeconds = 1_000
                $0.bodySliceBytes = 4
            }
        ) { port, _ in
            let client = try RawClient(port: port)
            func send(_ text: String, thenPass seconds: Double) throws {
                client.send(text)
                try clock.advance(port: port)
                try clock.advance(seconds: seconds, port: port)
            }
            try send(head(20), thenPass: 999)
            for _ in 0..<4 { try send("1234", thenPass: 999) }
            try send("1234", thenPass: 0)
            #expect(try client.readAnswer().status == 200)
            try send(head(20), thenPass: 500)
            for _ in 0..<3 { try send("1", thenPass: 166) }
            #expect(!client.hasData())
            try clock.advance(seconds: 2, port: port)
            #expect(try client.readAnswer().status == 408)
        }
    }

    @Test func theTimeOfTheReaderDoesNotCount() throws {
        let (clock, gate) = (TestClock(), Gate())
        try withReadingServer(gate: gate, clock: clock, configure: { $0.bodySliceBytes = 4 }) {
            port, _ in
            let client = try RawClient(port: port)
            client.send(head(6) + "123\n56")
            try gate.arrived.waitForSignal()
            for _ in 0..<10 { try clock.advance(seconds: 1_000, port: port) }
            gate.opened.signal()
            #expect(try client.readAnswer().body == "123\n56")
        }
    }

    @Test func aServerStopsWhileABodyIsRead() throws {
        let (readers, gate) = (Readers(), Gate())
        try withReadingServer(readers, gate: gate, configure: { $0.bodySliceBytes = 4 }) {
            port, server in
            let client = try RawClient(port: port)
            client.send(head(20) + "123\n5")
            try gate.arrived.waitForSignal()
            server.stop(graceSeconds: 0)
            gate.opened.signal()
        }
        // The server is released when the reader has finished.
        try waitUntil { readers.liveCount == 0 }
    }

    @Test func aBodyWithoutAConnectionIsGivenToTheHandler() throws {
        let router = Router()
        let streamed = StreamedBody(mediaType: "text/lines") { _, limit in
            #expect(limit == .max)
            return LineReader()
        }
        router.on(.put, "/", streamedBody: streamed) { exchange in
            let reader = exchange.request.bodyReader as? LineReader
            return .text(reader?.all(endingWith: exchange.request.body) ?? "")
        }
        let request = Request(
            method: .put, target: "/", headers: ["Content-Type": "text/lines"],
            body: Array("1\n2".utf8))
        #expect(String(decoding: router.respond(to: request).body, as: UTF8.self) == "1\n2")
    }
}
