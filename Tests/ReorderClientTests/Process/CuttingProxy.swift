import Foundation
import Glibc
import RandomRuns
import Synchronization

/// An unreliable network in front of a server. It delays data and breaks connections within
/// requests and responses, at any byte except within a response's head. It also answers in the
/// server's place, as login pages and proxies do.
///
/// A head arrives completely or not at all, because on Linux, Foundation's URL session ends the
/// process if a head is cut (swift-corelibs-foundation, issue 5285).
///
/// Each connection has a thread, and only that thread closes its descriptors.
final class CuttingProxy: Sendable {
    struct NoSocket: Error {}

    /// Probabilities in percent.
    struct Weather: Sendable {
        var cutRequest = 0
        var cutAnswer = 0
        /// The share of broken connections that fall silent without closing.
        var silent = 0
        var longestDelayMilliseconds = 0
        /// The share of connections whose first request gets an answer that is not the server's.
        var foreign = 0

        static let fine = Weather()
    }

    private struct State {
        var server: Int
        var isOnline = true
        var isStopped = false
        var weather = Weather.fine
        var random: SeededGenerator
        var connections: [Int: (client: Int32, server: Int32)] = [:]
        var nextConnection = 0
        var cuts = 0
        var foreignAnswers = 0
    }

    let port: Int
    private let listener: Int32
    private let state: Mutex<State>

    /// - Parameter server: the port to forward connections to.
    init(server: Int, seed: UInt64) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &size) == 0
            }
        }
        guard bound else { throw NoSocket() }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        state = Mutex(State(server: server, random: SeededGenerator(seed: seed)))
        Thread.detachNewThread { [self] in accept() }
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port)).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    // MARK: Controlled by the test

    var weather: Weather {
        get { state.withLock(\.weather) }
        set { state.withLock { $0.weather = newValue } }
    }

    /// The number of connections broken within a request or response.
    var cuts: Int { state.withLock(\.cuts) }

    /// The number of requests that did not get an answer of the server.
    var foreignAnswers: Int { state.withLock(\.foreignAnswers) }

    /// Forwards new connections to another port.
    func setServer(_ port: Int) { state.withLock { $0.server = port } }

    /// While offline, all existing and new connections break.
    func setOnline(_ isOnline: Bool) {
        state.withLock { state in
            state.isOnline = isOnline
            if !isOnline { breakAll(state) }
        }
    }

    /// Breaks all open connections, the silent ones included.
    func breakAll() { state.withLock { breakAll($0) } }

    private func breakAll(_ state: State) {
        for (client, server) in state.connections.values {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    func stop() {
        setOnline(false)
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    // MARK: Connections

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { break }
            Thread.detachNewThread { [self] in
                if let answer = foreignAnswer() {
                    respond(answer, to: client)
                } else if let id = connect(client) {
                    return pump(id)
                }
                shutdown(client, Int32(SHUT_RDWR))
                close(client)
            }
        }
        close(listener)
    }

    /// An answer that is not the server's, or nil if the connection reaches the server.
    private func foreignAnswer() -> String? {
        state.withLock { state in
            guard state.isOnline, state.random.chance(state.weather.foreign) else { return nil }
            state.foreignAnswers += 1
            return ForeignAnswer.all[state.random.below(ForeignAnswer.all.count)]
        }
    }

    /// Reads the head of a request, sends an answer, and reads what else the client sends.
    private func respond(_ answer: String, to client: Int32) {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while head.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            head += buffer[..<count]
        }
        guard send(Array(answer.utf8)[...], to: client) else { return }
        shutdown(client, Int32(SHUT_WR))
        waitUntilBroken(client)
    }

    private func connect(_ client: Int32) -> Int? {
        let (port, isOnline) = state.withLock { ($0.server, $0.isOnline) }
        guard isOnline else { return nil }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Glibc.connect(server, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let id = state.withLock { state -> Int? in
            guard isConnected, state.isOnline else { return nil }
            state.nextConnection += 1
            state.connections[state.nextConnection] = (client, server)
            return state.nextConnection
        }
        if id == nil { close(server) }
        return id
    }

    private func pump(_ id: Int) {
        guard let (client, server) = state.withLock({ $0.connections[id] }) else { return }
        let (weather, up, down, isSilent) = state.withLock { state in
            let weather = state.weather
            return (
                weather,
                state.random.chance(weather.cutRequest) ? state.random.below(4_000) : Int.max,
                state.random.chance(weather.cutAnswer) ? state.random.below(20_000) : Int.max,
                state.random.chance(weather.silent)
            )
        }
        var left = [up, down]
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        pumping: while true {
            var polled = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polled, 2, -1) > 0 else { break }
            for (index, other) in [(0, server), (1, client)] where polled[index].revents != 0 {
                let count = recv(polled[index].fd, &buffer, buffer.count, 0)
                guard count > 0 else { break pumping }
                let delay = state.withLock { $0.random.below(weather.longestDelayMilliseconds) }
                usleep(UInt32(delay) * 1_000)
                let fitting = min(count, left[index])
                let isInHead = index == 1 && fitting < Self.headCount(in: buffer[..<count])
                let passed = isInHead ? 0 : fitting
                left[index] -= passed
                guard send(buffer[..<passed], to: other) else { break pumping }
                guard passed == count else {
                    state.withLock { $0.cuts += 1 }
                    if isSilent { waitUntilBroken(client) }
                    break pumping
                }
            }
        }
        state.withLock { $0.connections[id] = nil }
        // A process started meanwhile may hold copies of the descriptors.
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
        close(client)
        close(server)
    }

    /// The number of bytes of a response's head at the start. The server sends each head at once.
    private static func headCount(in bytes: ArraySlice<UInt8>) -> Int {
        guard bytes.starts(with: "HTTP/1.".utf8) else { return 0 }
        return bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? bytes.count
    }

    private func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Reads and discards what the client sends, without answering.
    private func waitUntilBroken(_ client: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while recv(client, &buffer, buffer.count, 0) > 0 {}
    }
}
