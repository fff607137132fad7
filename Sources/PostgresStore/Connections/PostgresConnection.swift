import CPostgres
import Foundation

/// A connection to a server.
///
/// The statements of one call are sent together, in one round trip. There is a time limit for their
/// results, because a frozen server keeps its connections open.
///
/// `@unchecked Sendable`: its pool lets one thread at a time use it.
final class PostgresConnection: @unchecked Sendable {
    let connection: OpaquePointer
    let server: PostgresServer
    var timeoutSeconds: Double { server.settings.timeoutSeconds }
    private var prepared: Set<String> = []
    /// Whether the server issued a warning since the last call began.
    private(set) var hasWarned = false
    var canConfirm = false
    /// Whether libpq has buffers for a large statement or result. It keeps them as long as the connection.
    private(set) var hasLargeBuffers = false
    private static let largeBufferBytes = 4 << 20
    /// The size of the parameters of the last `run`. A COPY receives its rows after its statement.
    var sentBytes = 0
    /// Whether a transaction that reads the state of one moment is open. The code that ends it then
    /// waits for the standby.
    var isReadingOneMoment = false
    /// Whether the connection is used although the server is considered unreachable.
    var isProbe = false
    /// The server's process at the other end. Through a pooler, libpq has a number that the pooler made.
    var process = 0

    /// Connects, without a time limit; `open` adds one.
    init(_ server: PostgresServer, isPipelined: Bool) throws(PostgresError) {
        self.server = server
        let opened = server.settings.withKeywords { keywords, values in
            PQconnectdbParams(keywords, values, 1)
        }
        guard let opened else { throw .disconnected(reason: "out of memory for a connection") }
        connection = opened
        server.connectionCount.add(1, ordering: .relaxed)
        guard PQstatus(opened) == CONNECTION_OK else {
            throw .disconnected(reason: Self.message(of: opened))
        }
        // The default receiver writes to standard error.
        PQsetNoticeReceiver(
            opened, { context, result in PostgresConnection.take(notice: result, context) },
            Unmanaged.passUnretained(self).toOpaque())
        process = Int(PQbackendPID(opened))
        server.recordActivity()
        PQsetnonblocking(opened, 1)
        if isPipelined { PQenterPipelineMode(opened) }
    }

    deinit {
        PQfinish(connection)
        server.connectionCount.subtract(1, ordering: .relaxed)
    }

    private static func take(notice: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
        guard let context, let severity = PQresultErrorField(notice, Field.severity),
            String(cString: severity) == "WARNING"
        else { return }
        Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue().hasWarned = true
    }

    /// libpq's `PG_DIAG_SEVERITY_NONLOCALIZED` and `PG_DIAG_SQLSTATE`.
    private enum Field {
        static let severity = Int32(UInt8(ascii: "V"))
        static let state = Int32(UInt8(ascii: "C"))
    }

    private static func message(of connection: OpaquePointer) -> String {
        String(cString: PQerrorMessage(connection)).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }

    // MARK: Executing statements

    /// Executes statements in one round trip, and returns their results.
    ///
    /// If a statement fails, the statements after it are not executed, and their transaction is
    /// rolled back. The time limit is a second longer for each MiB of parameters.
    @discardableResult
    func run(_ calls: [BoundStatement]) throws(PostgresError) -> [ResultRows] {
        hasWarned = false
        let byteCount = calls.reduce(0) { $0 + $1.byteCount }
        sentBytes = byteCount
        if byteCount > Self.largeBufferBytes { hasLargeBuffers = true }
        let deadline = DispatchTime.now() + timeoutSeconds + Self.addedSeconds(bytes: byteCount)
        var preparing: Set<String> = []
        func sendCalls() throws(PostgresError) {
            for call in calls {
                let statement = call.statement
                if !prepared.contains(statement.name), preparing.insert(statement.name).inserted {
                    try check(PQsendPrepare(connection, statement.name, statement.sql, 0, nil))
                }
                try send(call)
            }
            try check(PQpipelineSync(connection))
        }
        if byteCount > Self.bytesPerSecond {
            try sendBlocking(until: deadline, sendCalls)
        } else {
            try sendCalls()
        }
        try flush(until: deadline)
        var results: [ResultRows] = []
        var failure: PostgresError?
        var isPreparing = calls.map { preparing.remove($0.statement.name) != nil }[...]
        while let result = try next(until: deadline) {
            let status = PQresultStatus(result)
            if PQresultMemorySize(result) > Self.largeBufferBytes { hasLargeBuffers = true }
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
                    results.append(ResultRows(result))
                    isPreparing = isPreparing.dropFirst()
                }
            default:
                if status == PGRES_FATAL_ERROR, failure == nil { failure = refusal(result) }
                PQclear(result)
            }
            // Each statement's results end with a null pointer.
            if let more = try next(until: deadline) { PQclear(more) }
        }
        if let failure {
            if !failure.endsConnection { try rollBack() }
            throw failure
        }
        guard results.count == calls.count else {
            throw .disconnected(reason: Self.message(of: connection))
        }
        return results
    }

    /// Ends the transaction, if there is one.
    func rollBack() throws(PostgresError) {
        if PQtransactionStatus(connection) != PQTRANS_IDLE { try run([Statement.rollback()]) }
    }

    /// Executes statements that read; the result is durable on the standby too.
    ///
    /// If a primary waits for a synchronous standby and that wait is interrupted (by the end of a
    /// connection or a crash), the primary shows commits that the standby does not have. So this
    /// function waits for the standby, as a commit does. Without a standby, that costs nothing.
    func read(_ calls: [BoundStatement]) throws(PostgresError) -> [ResultRows] {
        guard !isReadingOneMoment else { return try run(calls) }
        let question = server.past.question
        let results = try run(
            calls + (question.map { [$0.call] } ?? []) + (canConfirm ? [Self.confirmation()] : []))
        guard !hasWarned else {
            throw .disconnected(reason: "the server issued a warning for a read")
        }
        if let question {
            try check(results[calls.count], question, sees: true)
        }
        return results
    }

    /// Like `read`, for statements that must read the state of one moment.
    func readOneMoment(_ calls: [BoundStatement]) throws(PostgresError) -> [ResultRows] {
        guard !isReadingOneMoment else { return try run(calls) }
        let results = try read([Statement.beginReading()] + calls + [Statement.commit()])
        return Array(results.dropFirst().prefix(calls.count))
    }

    /// Waits for the standby; in a transaction, makes its commit wait for it. Without a standby it
    /// costs a round trip.
    func confirm() throws(PostgresError) { _ = try read([]) }

    /// Writes a message to the log if commits wait for a standby, so that its own commit waits too.
    private static let confirmation = Statement(
        "confirm",
        """
        SELECT pg_logical_emit_message(true, 'reorderd', '')
        WHERE current_setting('synchronous_standby_names', true) <> ''
        """)

    /// Fails if the server does not support such messages. Then it has no such standbys either.
    static let canConfirm = Statement(
        "can-confirm", "SELECT pg_logical_emit_message(true, 'reorderd', '') WHERE false")

    func refusal(_ result: OpaquePointer) -> PostgresError {
        let state = PQresultErrorField(result, Field.state).map { String(cString: $0) }
        let message = String(cString: PQresultErrorMessage(result))
            .split(separator: "\n").joined(separator: "; ")
        // An error without an SQLSTATE comes from libpq itself: the connection is lost.
        guard let state, PQstatus(connection) == CONNECTION_OK else {
            return .disconnected(reason: message)
        }
        return .refused(state: state, message: message)
    }

    private func send(_ call: BoundStatement) throws(PostgresError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(call.byteCount + 4 * call.elementCount + 64)
        var ends: [Int] = []
        for parameter in call.parameters {
            parameter.append(to: &bytes)
            ends.append(bytes.count)
        }
        // Ensures a valid address even if all parameters are empty.
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

    /// A list of 1,000,000 tasks is stored as about 80 MiB, which takes some seconds.
    private static let bytesPerSecond = 1 << 20

    /// What is added to the time limit for the parameters of statements.
    static func addedSeconds(bytes count: Int) -> Double { Double(count / bytesPerSecond) }

    /// Sends large statements. In non-blocking mode, libpq moves the rest of its buffer after each
    /// partial write, so that n bytes would take n² time. In blocking mode it has no time limit, so
    /// another thread closes the socket at the deadline.
    private func sendBlocking(
        until deadline: DispatchTime, _ body: () throws(PostgresError) -> Void
    ) throws(PostgresError) {
        let limit = try SocketTimeLimit(
            of: PQsocket(connection), until: deadline,
            orUntil: isProbe ? [server.closed] : [server.closed, server.unreachable])
        defer { limit.end() }
        PQsetnonblocking(connection, 0)
        let result = Result(catching: body)
        // Also sends what is left.
        PQsetnonblocking(connection, 1)
        guard !limit.isExceeded else { throw timedOut("accepted no data within", deadline) }
        try result.get()
    }

    func check(_ result: Int32) throws(PostgresError) {
        guard result == 1 else { throw .disconnected(reason: Self.message(of: connection)) }
    }

    // MARK: Waiting

    func next(until deadline: DispatchTime) throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            guard try waitForServer(for: POLLIN, until: deadline) else {
                throw timedOut("did not answer within", deadline)
            }
            try consume()
        }
        return PQgetResult(connection)
    }

    func flush(until deadline: DispatchTime) throws(PostgresError) {
        while true {
            let left = PQflush(connection)
            guard left >= 0 else { throw .disconnected(reason: Self.message(of: connection)) }
            guard left == 1 else { return }
            // Waits for data to read too, because a server stops reading statements if its results
            // are not read.
            guard try waitForServer(for: POLLIN | POLLOUT, until: deadline) else {
                throw timedOut("accepted no data within", deadline)
            }
            try consume()
        }
    }

    private func consume() throws(PostgresError) {
        try check(PQconsumeInput(connection))
        server.recordActivity()
    }

    private func timedOut(_ what: String, _ deadline: DispatchTime) -> PostgresError {
        let reason = "the server \(what) the time limit"
        // If the server has answered on other connections meanwhile, only this one is affected.
        if !server.hasActivity(since: deadline - timeoutSeconds) { server.markUnreachable(reason) }
        cancel()
        return .timedOut(reason: reason)
    }

    /// Makes the server cancel the current statement. While the server waits for a standby, it does
    /// not detect that the connection is lost, and would keep the statement's locks and its
    /// connection slot.
    func cancel() {
        guard let request = PQgetCancel(connection) else { return }
        let address = UInt(bitPattern: request)
        // A cancellation opens a connection, which may take long.
        let thread = Thread {
            let request = OpaquePointer(bitPattern: address)
            var message = [CChar](repeating: 0, count: 256)
            PQcancel(request, &message, Int32(message.count))
            PQfreeCancel(request)
        }
        thread.name = "cancel"
        thread.start()
    }

    // MARK: Listening

    /// Starts listening on a channel; for a connection that is not pipelined.
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

    /// Returns the notifications since the last call. If none has arrived, waits for one.
    ///
    /// - Returns: an empty array if the time is over.
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
