import Dispatch
import Synchronization

/// A server's connections, each used by one thread at a time, opened when they are needed.
///
/// Each purpose has its share, so that none waits for another. Where the server takes no more
/// connections, those that are open have to do for all, first come, first served.
final class ConnectionPool: Sendable {
    enum Purpose: CaseIterable {
        case committing, looking, reading
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
        let wake = DispatchSemaphore(value: 0)

        init(_ purpose: Purpose) { self.purpose = purpose }
    }

    private struct State {
        /// How many may be in use at once.
        let shares: [Purpose: Int]
        var idle: [PostgresConnection] = []
        /// How many are in use, or being opened.
        var busy: [Purpose: Int] = [:]
        /// Those who can't have a turn, in the order in which they came.
        var waiting: [Waiter] = []
        /// The server has refused one: none is opened before, as long as there are others.
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

    /// - Parameter readers: how many may read at once.
    init(_ server: PostgresServer, readers: Int) {
        self.server = server
        state = Mutex(State(shares: [.committing: 1, .looking: 1, .reading: readers]))
    }

    /// Runs `body` with a connection; where the purpose's are all in use, once one is free.
    func use<Value>(
        for purpose: Purpose, _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        let connection = try take(purpose)
        do throws(PostgresError) {
            let value = try body(connection)
            giveBack(connection, purpose)
            return value
        } catch {
            giveBack(error.endsConnection ? nil : connection, purpose)
            throw error
        }
    }

    /// The same, for what may be done again: it is, where that may help at once.
    func retrying<Value>(
        for purpose: Purpose, _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        for _ in 0..<2 {
            do throws(PostgresError) {
                return try use(for: purpose, body)
            } catch {
                guard error.isPassing else { throw error }
            }
        }
        return try use(for: purpose, body)
    }

    func close() { state.withLock { $0.idle = [] } }

    // MARK: Taking turns

    private func take(_ purpose: Purpose) throws(PostgresError) -> PostgresConnection {
        let deadline = DispatchTime.now() + server.settings.timeoutSeconds
        while !server.closed.hasHappened {
            switch turn(purpose, until: deadline) {
            case .use(let connection): return connection
            case .open: if let connection = try open(purpose) { return connection }
            case nil: throw .away(reason: "all connections have been busy for too long")
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
        _ = waiter.wake.wait(timeout: deadline)
        // It may have come in the last moment.
        state.withLock { state in state.waiting.removeAll { $0 === waiter } }
        return waiter.turn.withLock { $0.take() }
    }

    /// - Returns: none where the server takes no more, and there are others to wait for.
    private func open(_ purpose: Purpose) throws(PostgresError) -> PostgresConnection? {
        let start = DispatchTime.now()
        do throws(PostgresError) {
            return try connect()
        } catch {
            // Those who ask at once may all be refused, each for the others' sake. So the last one does
            // it again, alone.
            if !error.isAway, !hasOthers, !server.standsStill(since: start),
                server.pause(seconds: Self.aloneSeconds), let connection = try? connect()
            {
                return connection
            }
            // What waits is refused too, one after the other, where it can't have another.
            defer { state.withLock { $0.end(purpose) } }
            if error.isAway { throw error }
            let reason = error.storeError.reason
            guard hasOthers, !server.standsStill(since: start) else {
                server.leave(reason)
                throw .away(reason: reason)
            }
            let isNew = state.withLock { state in
                defer { state.fullUntil = .now() + Self.fullSeconds }
                return state.fullUntil == nil
            }
            if isNew { server.tell("PostgreSQL did not take another connection: \(reason)") }
            return nil
        }
    }

    private func connect() throws(PostgresError) -> PostgresConnection {
        let connection = try server.connect()
        state.withLock { $0.fullUntil = nil }
        return connection
    }

    /// Whether there are connections beside the one that somebody is just opening.
    private var hasOthers: Bool {
        state.withLock { !$0.idle.isEmpty || $0.busyCount > 1 }
    }

    private static let aloneSeconds = 0.05
    /// After a refusal.
    private static let fullSeconds = 1.0

    /// - Parameter connection: none where it is of no use any more.
    private func giveBack(_ connection: PostgresConnection?, _ purpose: Purpose) {
        // Closed outside the lock.
        let gone = state.withLock { state in
            var gone: [PostgresConnection] = []
            if let connection {
                state.idle.append(connection)
            } else {
                // The others have most likely gone with it.
                swap(&gone, &state.idle)
            }
            state.end(purpose)
            return gone
        }
        withExtendedLifetime(gone) {}
    }
}
