import CPostgres
import Foundation

/// One connection to a server.
///
/// What it is asked for goes out at once, however many statements that are, and is waited for no
/// longer than a time: a server that is frozen keeps its connections open.
///
/// `@unchecked Sendable`: its pool lends it to one thread at a time.
final class PostgresConnection: @unchecked Sendable {
    private let connection: OpaquePointer
    private let server: PostgresServer
    private var timeoutSeconds: Double { server.settings.timeoutSeconds }
    private var prepared: Set<String> = []
    /// Whether the server has warned of something since the last call began.
    private(set) var hasWarned = false
    var canConfirm = false
    /// Whether a transaction is open in which all that is read is of one moment. Whoever ends it
    /// waits for the standby then.
    var holdsSnapshot = false
    /// Whether it waits also while the server is away.
    var isProbe = false

    /// Waits for the server for as long as that takes; `open` can be told to give up.
    init(_ server: PostgresServer, isPipelined: Bool) throws(PostgresError) {
        self.server = server
        let opened = server.settings.withKeywords { keywords, values in
            PQconnectdbParams(keywords, values, 1)
        }
        guard let opened else { throw .cut(reason: "there is no memory for a connection") }
        connection = opened
        guard PQstatus(opened) == CONNECTION_OK else {
            throw .cut(reason: Self.message(of: opened))
        }
        // The standard receiver writes to standard error.
        PQsetNoticeReceiver(
            opened, { context, result in PostgresConnection.take(notice: result, context) },
            Unmanaged.passUnretained(self).toOpaque())
        server.hear()
        PQsetnonblocking(opened, 1)
        if isPipelined { PQenterPipelineMode(opened) }
    }

    deinit { PQfinish(connection) }

    private static func take(notice: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
        guard let context, let severity = PQresultErrorField(notice, Field.severity),
            String(cString: severity) == "WARNING"
        else { return }
        Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue().hasWarned = true
    }

    /// What libpq calls `PG_DIAG_SEVERITY_NONLOCALIZED` and `PG_DIAG_SQLSTATE`.
    private enum Field {
        static let severity = Int32(UInt8(ascii: "V"))
        static let state = Int32(UInt8(ascii: "C"))
    }

    private static func message(of connection: OpaquePointer) -> String {
        String(cString: PQerrorMessage(connection)).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }

    // MARK: Asking

    /// Runs statements one after another in one round trip, and gives what each gave.
    ///
    /// Where one fails, those after it are not done, and neither is the transaction they are in.
    @discardableResult
    func run(_ calls: [Call]) throws(PostgresError) -> [Rows] {
        hasWarned = false
        let deadline = DispatchTime.now() + timeoutSeconds
        var preparing: Set<String> = []
        for call in calls {
            let statement = call.statement
            if !prepared.contains(statement.name), preparing.insert(statement.name).inserted {
                try check(PQsendPrepare(connection, statement.name, statement.sql, 0, nil))
            }
            try send(call)
        }
        try check(PQpipelineSync(connection))
        try flush(until: deadline)
        var results: [Rows] = []
        var failure: PostgresError?
        var isPreparing = calls.map { preparing.remove($0.statement.name) != nil }[...]
        while let result = try next(until: deadline) {
            let status = PQresultStatus(result)
            if status == PGRES_PIPELINE_SYNC {
                PQclear(result)
                break
            }
            switch status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                if isPreparing.first == true {
                    prepared.insert(calls[results.count].statement.name)
                    isPreparing[isPreparing.startIndex] = false
                    PQclear(result)
                } else {
                    results.append(Rows(result))
                    isPreparing = isPreparing.dropFirst()
                }
            default:
                if status == PGRES_FATAL_ERROR, failure == nil { failure = refusal(result) }
                PQclear(result)
            }
            // After each statement's last result there is none.
            if let more = try next(until: deadline) { PQclear(more) }
        }
        if let failure {
            if !failure.endsConnection, PQtransactionStatus(connection) != PQTRANS_IDLE {
                try run([Statement.rollback()])
            }
            throw failure
        }
        guard results.count == calls.count else {
            throw .cut(reason: Self.message(of: connection))
        }
        return results
    }

    /// The same for statements that read: what they give can't be lost any more.
    ///
    /// A primary whose commits wait for a standby shows them before the standby has them where that
    /// waiting was cut off, by the end of a connection or a crash. So this waits for the standby as a
    /// commit would; without a standby it costs nothing.
    func read(_ calls: [Call]) throws(PostgresError) -> [Rows] {
        guard !holdsSnapshot else { return try run(calls) }
        let results = try run(canConfirm ? calls + [Self.confirmation()] : calls)
        guard !hasWarned else { throw .cut(reason: "the server warned of what was read") }
        return results
    }

    /// The same for statements that are to see one moment.
    func readOneMoment(_ calls: [Call]) throws(PostgresError) -> [Rows] {
        guard !holdsSnapshot else { return try run(calls) }
        let results = try read([Statement.beginReading()] + calls + [Statement.commit()])
        return Array(results.dropFirst().prefix(calls.count))
    }

    /// Waits for the standby; in a transaction, has its end wait for it. Without a standby it costs a round
    /// trip.
    func confirm() throws(PostgresError) { _ = try read([]) }

    /// Writes where commits wait for somebody, and only there; its end is a commit's.
    private static let confirmation = Statement(
        "confirm",
        """
        SELECT pg_logical_emit_message(true, 'reorderd', '')
        WHERE current_setting('synchronous_standby_names', true) <> ''
        """)

    /// Whether the server has what that takes: others have no such standbys either.
    static let canConfirm = Statement(
        "can-confirm", "SELECT pg_logical_emit_message(true, 'reorderd', '') WHERE false")

    private func refusal(_ result: OpaquePointer) -> PostgresError {
        let state = PQresultErrorField(result, Field.state).map { String(cString: $0) }
        let message = String(cString: PQresultErrorMessage(result))
            .split(separator: "\n").joined(separator: "; ")
        // libpq's own errors have no state: the connection is gone.
        guard let state, PQstatus(connection) == CONNECTION_OK else { return .cut(reason: message) }
        return .refused(state: state, message: message)
    }

    private func send(_ call: Call) throws(PostgresError) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for parameter in call.parameters {
            parameter.append(to: &bytes)
            ends.append(bytes.count)
        }
        // So that the first one has an address, were all of them empty.
        bytes.append(0)
        let starts = [0] + ends.dropLast()
        let lengths = zip(starts, ends).map { Int32(truncatingIfNeeded: $1 - $0) }
        let formats = [Int32](repeating: 1, count: ends.count)
        let sent = bytes.withUnsafeBytes { bytes in
            let values = starts.prefix(ends.count).map { start in
                bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) }
            }
            return PQsendQueryPrepared(
                connection, call.statement.name, Int32(ends.count), values, lengths, formats, 1)
        }
        try check(sent)
    }

    private func check(_ result: Int32) throws(PostgresError) {
        guard result == 1 else { throw .cut(reason: Self.message(of: connection)) }
    }

    // MARK: Waiting

    private func next(until deadline: DispatchTime) throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            guard try wait(for: POLLIN, until: deadline) else {
                throw late("did not answer", deadline)
            }
            try consume()
        }
        return PQgetResult(connection)
    }

    private func flush(until deadline: DispatchTime) throws(PostgresError) {
        while true {
            let left = PQflush(connection)
            guard left >= 0 else { throw .cut(reason: Self.message(of: connection)) }
            guard left == 1 else { return }
            // Reads too: a server whose answers nobody takes would stop taking what is sent.
            guard try wait(for: POLLIN | POLLOUT, until: deadline) else {
                throw late("took nothing", deadline)
            }
            try consume()
        }
    }

    private func consume() throws(PostgresError) {
        try check(PQconsumeInput(connection))
        server.hear()
    }

    private func late(_ what: String, _ deadline: DispatchTime) -> PostgresError {
        let reason = "the server \(what) in \(timeoutSeconds) s"
        // Where it has answered others meanwhile it is this one's matter.
        if !server.wasHeard(since: deadline - timeoutSeconds) { server.leave(reason) }
        cancel()
        return .late(reason: reason)
    }

    /// Has the server end what it is at: where it waits for a standby it does not notice that the connection
    /// is gone, and would keep its locks and its place among the connections.
    private func cancel() {
        guard let request = PQgetCancel(connection) else { return }
        let address = UInt(bitPattern: request)
        // Asking takes a connection, which may take long.
        let thread = Thread {
            let request = OpaquePointer(bitPattern: address)
            var message = [CChar](repeating: 0, count: 256)
            PQcancel(request, &message, Int32(message.count))
            PQfreeCancel(request)
        }
        thread.name = "cancel"
        thread.start()
    }

    /// - Returns: whether it came before the deadline.
    /// - Throws: `cut` where the store is closed before it comes, `late` where others find out that the
    ///   server is away.
    private func wait(for events: Int32, until deadline: DispatchTime) throws(PostgresError) -> Bool
    {
        var descriptors = [
            pollfd(PQsocket(connection), events), pollfd(server.closed.descriptor),
            pollfd(isProbe ? -1 : server.left.descriptor),
        ]
        while true {
            // Looks once also after the deadline: this process may have stood still itself.
            let now = DispatchTime.now()
            let left =
                now < deadline
                ? (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1 : 0
            let ready = poll(&descriptors, 3, Int32(truncatingIfNeeded: left))
            if ready > 0 {
                guard descriptors[0].revents == 0 else { return true }
                guard descriptors[1].revents == 0 else { throw .cut(reason: "the store is closed") }
                throw .late(reason: "the server is away")
            }
            if ready == 0, left == 0 { return false }
            guard ready == 0 || errno == EINTR else {
                throw .cut(reason: "poll: \(String(cString: strerror(errno)))")
            }
        }
    }

    // MARK: Listening

    /// Begins to listen; for a connection that is not pipelined.
    func listen(to channel: String) throws(PostgresError) {
        try check(PQsendQuery(connection, "LISTEN \(channel)"))
        let deadline = DispatchTime.now() + timeoutSeconds
        try flush(until: deadline)
        var failure: PostgresError?
        while let result = try next(until: deadline) {
            if PQresultStatus(result) != PGRES_COMMAND_OK { failure = refusal(result) }
            PQclear(result)
        }
        if let failure { throw failure }
    }

    /// What was told since the last call; waits for it.
    ///
    /// - Returns: none where nothing came in that time.
    func notifications(waitingSeconds: Double) throws(PostgresError) -> [String] {
        let payloads = takeNotifications()
        guard payloads.isEmpty, try wait(for: POLLIN, until: .now() + waitingSeconds) else {
            return payloads
        }
        try consume()
        return takeNotifications()
    }

    private func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = PQnotifies(connection) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }
}
