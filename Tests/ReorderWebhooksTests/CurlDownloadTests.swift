import Testing
import WebhookSockets

/// Documents over real sockets, without TLS.
@Suite struct CurlDownloadTests {
    private func answer(_ response: String, schemes: String = "http") throws -> [UInt8] {
        let receiver = SocketReceiver(response: response)
        defer { receiver.stop() }
        return try CurlDownload.bytes(of: "http://127.0.0.1:\(receiver.port)/", schemes: schemes)
    }

    @Test func aDocumentIsRead() throws {
        let bytes = try answer("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"keys\":[]}")
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"keys":[]}"#)
    }

    @Test(arguments: [
        "HTTP/1.1 404 X\r\nConnection: close\r\n\r\n{}",
        "HTTP/1.1 302 X\r\nLocation: http://127.0.0.1/\r\nConnection: close\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
            + String(repeating: "x", count: CurlDownload.maximumBytes + 1),
    ])
    func otherResponsesAreFailures(response: String) {
        #expect(throws: CurlDownload.Failure.self) { try answer(response) }
    }

    @Test func onlyHTTPSIsAllowed() {
        #expect(throws: CurlDownload.Failure.self) {
            try answer("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}", schemes: "https")
        }
    }
}
