import Dispatch
import Glibc
import Synchronization
import Testing

@testable import MicroHTTP

/// Bodies that are read while they arrive, over a socket.
@Suite(.serialized) struct BodyReaderTests {
    /// Reads lines on another thread. The line "bad" is refused.
    private final class LineReader: BodyReader {
        private let queue = DispatchQueue(label: "lines")
        private let state = Mutex((lines: [String](), isRefused: false))
        private let delayMilliseconds: UInt32

        init(delayMilliseconds: UInt32) { self.delayMilliseconds = delayMilliseconds }

        var needsMore: Bool { state.withLock { !$0.isRefused } }
        /// The characters of the lines.
        var memoryBytes: Int { state.withLock { $0.lines.reduce(0) { $0 + $1.utf8.count } } }

        func read(_ slice: [UInt8], whenDone: @escaping @Sendable ([UInt8]) -> Void) {
            queue.async { [self] in
                usleep(delayMilliseconds * 1000)
                let end = slice.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
                let text = String(decoding: slice[..<end], as: UTF8.self)
                state.withLock { state in
                    state.lines += text.split(separator: "\n").map(String.init)
                    state.isRefused = state.isRefused || state.lines.contains("bad")
                }
                whenDone(Array(slice[end...]))
            }
        }

        /// The lines that are not empty.
        func all(endingWith rest: [UInt8]) -> String {
            let lines = String(decoding: rest, as: UTF8.self).split(separator: "\n")
            return (state.withLock { $0.lines } + lines.map(String.init)).joined(separator: "\n")
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
    }

    private func withReadingServer(
        _ readers: Readers = Readers(), delayMilliseconds: UInt32 = 0,
        configure: (inout HTTPServer.Configuration) -> Void = { _ in },
        _ body: (_ port: Int, _ server: HTTPServer) throws -> Void
    ) throws {
        let router = Router()
        let streamed = StreamedBody(mediaType: "text/lines") { request, _ in
            let reader = LineReader(delayMilliseconds: delayMilliseconds)
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
                return .respond(.text("whole \(request.body.count)"))
            }
            guard reader.needsMore else { return .respond(Response(status: 422)) }
            return .respond(.text(reader.all(endingWith: request.body)))
        }
        try withServer(threadCount: 1, router, configure: configure, body)
    }

    private func head(_ length: Int?, _ more: String = "", id: String = "a") -> String {
        let size = length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
        return "PUT /lists/\(id) HTTP/1.1\r\nHost: a\r\nContent-Type: text/lines; a=b\r\n"
            + "\(size)\r\n\(more)\r\n"
    }

    private func chunked(_ bytes: [UInt8], chunk: Int) -> [UInt8] {
        var coded: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(chunk)
            coded += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
            rest = rest.dropFirst(chunk)
        }
        return coded + Array("0\r\n\r\n".utf8)
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
            let coding = "Content-Encoding: gzip\r\n"
            // Random, because other text is compressed too much.
            let random = (0..<20_000).map { _ in "\(UInt64.random(in: 0...UInt64.max))\n" }.joined()
            let compressed = GzipEncoder.compress(Array(random.utf8), .kept) ?? []
            #expect(compressed.count > 64 << 10)
            client.send(Array(head(compressed.count, coding).utf8) + compressed)
            #expect(try client.readAnswer().body + "\n" == random)
            let zeros = GzipEncoder.compress(Array(text.utf8), .kept) ?? []
            client.send(Array(head(zeros.count, coding).utf8) + zeros)
            #expect(try client.readAnswer().status == 413)
            client.send(
                head(text.utf8.count).replacing("text/lines", with: "text/other") + text)
            #expect(try client.readAnswer().status == 413)
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
        let readers = Readers()
        try withReadingServer(
            readers,
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
            var other: RawClient?
            var (status, attempts) = (200, 0)
            while status == 200 {
                // If the client's lines were counted first, the other's are refused. Then it tries again.
                if attempts % 1_000 == 0 {
                    other = try RawClient(port: port)
                    // The last byte is missing, so the reader keeps five lines.
                    other?.send(head(56) + lines(5))
                }
                attempts += 1
                client.send(head(66) + lines(6))
                status = try client.readAnswer().status
            }
            #expect(status == 503)
            // An earlier attempt of the other may still be counted.
            while status == 503 {
                client.send(head(55) + lines(5))
                status = try client.readAnswer().status
            }
            #expect(status == 200)
            // A client that disconnects frees everything.
            other = nil
            repeat {
                client.send(head(66) + lines(6))
                status = try client.readAnswer().status
            } while status == 503
            #expect(status == 200)
            while readers.liveCount > 0 { sched_yield() }
        }
    }

    @Test func theDeadlineBeginsAgainWithEachSlice() throws {
        try withReadingServer(configure: {
            $0.requestTimeoutSeconds = 2
            $0.bodySliceBytes = 4
        }) { port, _ in
            let client = try RawClient(port: port)
            client.send(head(20))
            for _ in 0..<5 {
                usleep(700_000)
                client.send("1234")
            }
            #expect(try client.readAnswer().status == 200)
            client.send(head(20))
            while !client.hasData() {
                client.send("1")
                usleep(900_000)
            }
            #expect(try client.readAnswer().status == 408)
        }
        // The reader's time does not count.
        try withReadingServer(
            delayMilliseconds: 3_000,
            configure: {
                $0.requestTimeoutSeconds = 1
                $0.bodySliceBytes = 4
            }
        ) { port, _ in
            let client = try RawClient(port: port)
            client.send(head(6) + "123\n56")
            #expect(try client.readAnswer().body == "123\n56")
        }
    }

    @Test func aServerStopsWhileABodyIsRead() throws {
        let readers = Readers()
        try withReadingServer(
            readers, delayMilliseconds: 3_000, configure: { $0.bodySliceBytes = 4 }
        ) { port, server in
            let client = try RawClient(port: port)
            client.send(head(20) + "123\n5")
            while readers.count == 0 { sched_yield() }
            usleep(200_000)
            server.stop(graceSeconds: 0.1)
        }
        // The server is released when the reader has finished.
        for _ in 0..<1_000 where readers.liveCount > 0 { usleep(10_000) }
        #expect(readers.liveCount == 0)
    }

    @Test func aBodyWithoutAConnectionIsGivenToTheHandler() throws {
        let router = Router()
        let streamed = StreamedBody(mediaType: "text/lines") { _, limit in
            #expect(limit == .max)
            return LineReader(delayMilliseconds: 0)
        }
        router.on(.put, "/", streamedBody: streamed) { exchange in
            let reader = exchange.request.bodyReader as? LineReader
            return .respond(.text(reader?.all(endingWith: exchange.request.body) ?? ""))
        }
        let request = Request(
            method: .put, target: "/", headers: ["Content-Type": "text/lines"],
            body: Array("1\n2".utf8))
        #expect(String(decoding: router.respond(to: request).body, as: UTF8.self) == "1\n2")
    }
}
