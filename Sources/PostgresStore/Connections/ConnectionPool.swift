import Dispatch
import ReorderStore
import Synchronization

/// The connections to a server, opened on demand, each used by one thread at a time.
///
/// Each purpose has its own share, so that no purpose waits for another. If the server accepts no
/// more connections, all purposes share the open ones, first come, first served.
final class ConnectionPool: Sendable {
    enum Purpose: CaseIterable {
        case committing, checking, reading
    }

    private let server: PostgresServer
    private let state: Mutex<State>

    private enum Turn {
        case use(PostgresConnection)
        case open
    }

    private final class Waiter: Sendable {
        let purpose: Purpose
        let turn = Mutex<Turn?>(nil)
        let wake = TimedSemaphore()

        init(_ purpose: Purpose) { self.purpose = purpose }
    }

    private struct State {
        /// The maximum number of connections in use for each purpose.
        let shares: [Purpose: Int]
        var idle: [PostgresConnection] = []
        /// The connections in use or being opened.
        var busy: [Purpose: Int] = [:]
        /// The waiting threads, in order of arrival.
        var waiting: [Waiter] = []
        /// Set when the server has refused a connection. While other connections are open, no new
        /// one is opened before this time.
        var fullUntil: DispatchTime?

        var busyCount: Int { busy.values.reduce(0, +) }

        mutating func turn(_ purpose: Purpose) -> Turn? {
            guard busy[purpose, default: 0] < shares[purpose, default: 0] else { return nil }
            let connection = idle.popLast()
            let isFull = fullUntil.map { .now() < $0 } ?? false
            if connection == nil, isFull, busyCount > 0 { return nil }
            busy[purpose, default: 0] += 1
            return connection.map { .use($0) } ?? .open
        }

        mutating func end(_ purpose: Purpose) {
            busy[purpose, default: 0] -= 1
            let all = waiting
            waiting = all.filter { waiter in
                guard let turn = turn(waiter.purpose) else { return true }
                waiter.turn.withLock { $0 = turn }
                waiter.wake.signal()
                return false
            }
        }
    }

    /// Two commits can run at the same time: a large one, and a small one that does not wait for
    /// it.
    ///
    /// - Parameter readers: the maximum number of concurrent reads.
    init(_ server: PostgresServer, readers: Int) {
        self.server = server
        state = Mutex(State(shares: [.committing: 2, .checking: 1, .reading: readers]))
    }

    /// Runs `body` with a connection, after waiting for one if the purpose's share is in use.
    func use<Value>(
        for purpose: Purpose, _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        let connection = try take(purpose)
        do throws(PostgresError) {
            let value = try body(connection)
            release(connection, purpose)
            return value
        } catch {
            release(error.endsConnection ? nil : connection, purpose)
            throw error
        }
    }

    /// Like `use`, for operations that may be repeated: repeats them after transient errors.
    func retrying<Value>(
        for purpose: Purpose, _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        for _ in 0..<2 {
            do throws(PostgresError) {
                return try use(for: purpose, body)
            } catch {
                guard error.isTransient else { throw error }
            }
        }
        return try use(for: purpose, body)
    }

    func close() { state.withLock { $0.idle = [] } }

    // MARK: Waiting for a connection

    private func take(_ purpose: Purpose) throws(PostgresError) -> PostgresConnection {
        let deadline = DispatchTime.now() + server.settings.timeoutSeconds
        while !server.closed.isSet {
            switch turn(purpose, until: deadline) {
            case .use(let connection): return connection
            case .open: if let connection = try open(purpose) { return connection }
            case nil: throw .unreachable(reason: "all connections were busy for too long")
            }
        }
        throw .closed
    }

    private func turn(_ purpose: Purpose, until deadline: DispatchTime) -> Turn? {
        let waiter = Waiter(purpose)
        let turn = state.withLock { state in
            let turn = state.turn(purpose)
            if turn == nil { state.waiting.append(waiter) }
            return turn
        }
        if let turn { return turn }
        waiter.wake.wait(until: deadline)
        // The turn may have been granted at the last moment.
        state.withLock { state in state.waiting.removeAll { $0 === waiter } }
        return waiter.turn.withLock { $0.take() }
    }

    /// - Returns: nil if the server accepts no more connections, and the caller can wait for
    ///   another one.
    private func open(_ purpose: Purpose) throws(PostgresError) -> PostgresConnection? {
        let start = DispatchTime.now()
        do throws(PostgresError) {
            return try connect()
        } catch {
            // Concurrent attempts may all be refused because of each other. So the last one tries
            // again, alone.
            if !error.isUnreachable, !hasOthers, !server.isStalled(since: start),
                server.pause(seconds: Self.aloneSeconds), let connection = try? connect()
            {
                return connection
            }
            // Threads that wait for a connection then try to open one too. If they can't, they fail
            // one after the other.
            defer { state.withLock { $0.end(purpose) } }
            if error.isUnreachable { throw error }
            let reason = error.storeError.reason
            guard hasOthers, !server.isStalled(since: start) else {
                server.markUnreachable(reason)
                throw .unreachable(reason: reason)
            }
            let isNew = state.withLock { state in
                defer { state.fullUntil = .now() + Self.fullSeconds }
                return state.fullUntil == nil
            }
            if isNew { server.report("PostgreSQL refused another connection: \(reason)") }
            return nil
        }
    }

    private func connect() throws(PostgresError) -> PostgresConnection {
        let connection = try server.connect()
        state.withLock { $0.fullUntil = nil }
        return connection
    }

    /// Whether there are connections other than the one that is being opened.
    private var hasOthers: Bool {
        state.withLock { !$0.idle.isEmpty || $0.busyCount > 1 }
    }

    private static let aloneSeconds = 0.05
    /// The delay after a refused connection.
    private static let fullSeconds = 1.0

    /// - Parameter connection: nil if it can't be used any more.
    private func release(_ connection: PostgresConnection?, _ purpose: Purpose) {
        // Released outside the lock, because closing takes time.
        let gone = state.withLock { state in
            var gone: [PostgresConnection] = []
            if let connection, connection.hasLargeBuffers {
                // The next use opens a connection without them.
                gone.append(connection)
            } else if let connection {
                state.idle.append(connection)
            } else {
                // The other connections are probably lost too.
                swap(&gone, &state.idle)
            }
            state.end(purpose)
            return gone
        }
        withExtendedLifetime(gone) {}
    }
}
