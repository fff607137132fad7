import RawHTTP
import Synchronization

/// A client over TCP with one persistent connection, which is opened again if the server closed it.
final class SocketClient: APIClient {
    private let port: Int
    private let connection = Mutex<Connection?>(nil)

    init(port: Int) {
        self.port = port
    }

    func send(_ call: APIRequest) throws -> APIResponse {
        try connection.withLock { connection in
            let current = try connection ?? Connection(port: port)
            connection = nil
            current.write(call)
            let answer = try current.readAnswer(hasBody: call.method != "HEAD")
            if answer["Connection"]?.lowercased() != "close" { connection = current }
            return answer
        }
    }

    func fresh() -> any APIClient { SocketClient(port: port) }

    func connect() throws -> Connection { try Connection(port: port) }

    func open(_ call: APIRequest) throws -> any EventReader {
        let connection = try Connection(port: port)
        connection.write(call)
        return try Reader(connection)
    }

    private final class Reader: EventReader {
        let answer: APIResponse
        private let connection: Connection
        private var text = EventText()

        init(_ connection: Connection) throws {
            self.connection = connection
            answer = try connection.readAnswer()
        }

        func next() throws -> StreamedEvent? {
            while true {
                if let event = text.next() { return event }
                let chunk = try connection.readChunk()
                guard !chunk.isEmpty else { return nil }
                text.append(chunk)
            }
        }
    }

    /// A connection for requests that are sent in pieces.
    final class Connection {
        private let client: RawClient

        init(port: Int) throws { client = try RawClient(port: port) }

        func write(_ call: APIRequest) {
            var head = "\(call.method) \(call.target) HTTP/1.1\r\n"
            if !call.fields.contains(where: { $0.name == "Host" }) { head += "Host: localhost\r\n" }
            for field in call.fields { head += "\(field.name): \(field.value)\r\n" }
            if !call.body.isEmpty || ["POST", "PUT"].contains(call.method) {
                head += "Content-Length: \(call.body.count)\r\n"
            }
            write(Array("\(head)\r\n".utf8) + call.body)
        }

        /// Writes bytes. The server can close the connection before it has read everything; the next
        /// read reports that.
        func write(_ bytes: [UInt8]) { client.send(bytes) }

        func readAnswer(hasBody: Bool = true) throws -> APIResponse {
            var answer = APIResponse(try client.readAnswer(hasBody: hasBody))
            try answer.decompress()
            return answer
        }

        /// Reads the head of the next response, which can be an interim one.
        func readHead() throws -> APIResponse { APIResponse(try client.readHead()) }

        /// Reads one chunk of a chunked body; empty at its end.
        func readChunk() throws -> [UInt8] { try client.readChunk() }

        /// Whether the server has sent something that was not read, or has closed the connection.
        var hasData: Bool { client.hasData() }
    }
}

extension APIResponse {
    fileprivate init(_ answer: RawClient.Answer) {
        self.init(status: answer.status, fields: answer.fields, body: answer.bytes)
    }
}
