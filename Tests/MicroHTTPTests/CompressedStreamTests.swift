import Gunzip
import RawHTTP
import Testing
import Waiting

@testable import MicroHTTP

@Suite(.serialized) struct CompressedStreamTests {
    private static let gzip = "Accept-Encoding: gzip\r\n"
    private let source = EventSourceStub()

    private func event(_ number: Int) -> String {
        "id: \(number)\nevent: change\ndata: {\"version\":\(number),\"operations\":[]}\n\n"
    }

    /// The text of a stream, decompressed while it arrives.
    private struct Reader {
        let client: RawClient
        let gunzip = Gunzip()
        var text: [UInt8] = []
        var receivedBytes = 0

        init(port: Int) throws {
            let (client, head) = try RawClient.open("/source", port: port, fields: gzip)
            #expect(head["Content-Encoding"] == "gzip" && head["Vary"] == "Accept-Encoding")
            #expect(head["Transfer-Encoding"] == "chunked")
            self.client = client
        }

        /// Reads one chunk. Returns false at the end of the stream.
        mutating func read() throws -> Bool {
            let chunk = try client.readChunk()
            receivedBytes += chunk.count
            text += try gunzip.read(chunk)
            return !chunk.isEmpty
        }
    }

    /// Each event can be read when its chunk arrives.
    @Test func eachEventIsFlushed() throws {
        try withServer(source.router()) { port, _ throws in
            var reader = try Reader(port: port)
            var sent = ""
            for number in 1...200 {
                sent += event(number)
                source.append(event(number))
                #expect(try reader.read())
                #expect(reader.text == Array(sent.utf8))
            }
            #expect(reader.receivedBytes * 3 < sent.utf8.count)
            source.finish()
            while try reader.read() {}
            try reader.gunzip.finish()
            #expect(reader.text == Array(sent.utf8))
            #expect(reader.client.readToEnd() == "")
            try source.waitUntilOpen(0)
        }
    }

    @Test func largePiecesArriveWhole() throws {
        try withServer(source.router()) { port, _ throws in
            var reader = try Reader(port: port)
            let text = (1...2_000).map(event).joined()
            source.append(text)
            source.finish()
            while try reader.read() {}
            try reader.gunzip.finish()
            #expect(reader.text == Array(text.utf8))
        }
    }

    /// A stream has its own copy of one part only of a long piece. The whole piece is shared.
    @Test func aLongPieceIsSentInSmallParts() throws {
        try withServer(source.router()) { port, _ throws in
            var reader = try Reader(port: port)
            let count = 10 * StreamConnection.storedBytes + 100
            let text = (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }
            source.append(String(decoding: text, as: UTF8.self))
            var received = 0
            while reader.text.count < count {
                #expect(try reader.read())
                // A part has a frame of a few bytes.
                let limit = StreamConnection.storedBytes + StreamConnection.maximumCompressedBytes
                #expect(reader.receivedBytes - received < limit + 100)
                received = reader.receivedBytes
            }
            #expect(reader.text == text)
            source.append("end\n")
            #expect(try reader.read())
            #expect(reader.text.suffix(4) == Array("end\n".utf8)[...])
        }
    }

    /// A long piece is not compressed, because each stream would do that again. The pieces around it
    /// are.
    @Test(arguments: [0, 1]) func onlyPiecesUpToTheMaximumAreCompressed(excess: Int) throws {
        try withServer(source.router()) { port, _ throws in
            var reader = try Reader(port: port)
            let pieces = [1, StreamConnection.maximumCompressedBytes + excess, 1_000]
            var text = ""
            var received: [Int] = []
            for count in pieces {
                let before = reader.receivedBytes
                source.append(String(repeating: "x", count: count))
                text += String(repeating: "x", count: count)
                while reader.text.count < text.utf8.count { #expect(try reader.read()) }
                received.append(reader.receivedBytes - before)
            }
            #expect(reader.text == Array(text.utf8))
            #expect((received[1] > pieces[1]) == (excess > 0))
            #expect(received[2] < 100)
            source.finish()
            while try reader.read() {}
            try reader.gunzip.finish()
        }
    }

    @Test func heartbeatsAreFlushed() throws {
        let clock = TestClock()
        try withServer(threadCount: 1, clock: clock, source.router()) { port, _ throws in
            var reader = try Reader(port: port)
            try clock.advance(seconds: 15, port: port)
            #expect(try reader.read())
            #expect(reader.text == Array(": \n\n".utf8))
        }
    }

    @Test func aStoppedServerEndsTheCompressedText() throws {
        let router = source.router()
        try withServer(router) { port, server throws in
            var reader = try Reader(port: port)
            source.append("one\n")
            #expect(try reader.read())
            server.stop(graceSeconds: hangSeconds)
            while try reader.read() {}
            try reader.gunzip.finish()
            #expect(reader.text == Array("one\nbye\n".utf8))
        }
    }

    @Test func streamsShareTheirSourceInBothCodings() throws {
        try withServer(source.router()) { port, _ throws in
            var reader = try Reader(port: port)
            let (plain, head) = try RawClient.open("/source", port: port)
            #expect(head["Content-Encoding"] == nil && head["Vary"] == "Accept-Encoding")
            for number in 1...20 {
                source.append(event(number))
                #expect(try reader.read())
                #expect(try plain.readChunk() == Array(event(number).utf8))
            }
        }
    }

    @Test func aStreamDoesNotVaryIfNothingIsCompressed() throws {
        let router = source.router()
        router.compressesResponses = false
        try withServer(router) { port, _ throws in
            let (plain, head) = try RawClient.open("/source", port: port, fields: Self.gzip)
            #expect(head["Content-Encoding"] == nil && head["Vary"] == nil)
            source.append(event(1))
            #expect(try plain.readChunk() == Array(event(1).utf8))
        }
    }

    @Test func anHTTP10StreamIsCompressedWithoutChunks() throws {
        try withServer(source.router()) { port, _ throws in
            let (client, head) = try RawClient.open(
                "/source", port: port, version: "1.0", fields: Self.gzip)
            #expect(head["Content-Encoding"] == "gzip" && head["Transfer-Encoding"] == nil)
            source.append("one\n")
            source.finish()
            // The header of a gzip member.
            #expect(try client.readBytes(3) == [0x1F, 0x8B, 8])
        }
    }
}
