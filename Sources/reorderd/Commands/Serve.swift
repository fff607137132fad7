import ArgumentParser
import Foundation
import Logging
import MicroHTTP
import PostgresStore
import ReorderAPI
import ReorderAuth
import ReorderCalDAV
import ReorderService
import ReorderStore
import SQLiteStore

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve lists over HTTP until SIGTERM or SIGINT.",
        discussion: """
            When the server accepts requests, it prints one line to standard output: "reorderd \
            listening on http://HOST:PORT". Logs go to standard error.

            Exit codes: 0 after SIGTERM or SIGINT; 64 for wrong arguments; 69 if the address can't \
            be bound; 73 if the store can't be opened (the server waits for a database that can't be \
            reached), or if its file was renamed or overwritten while the server ran; 74 if a sync failed, so it \
            is unknown what is stored, or the store can't be closed (restart the server to recover); 75 if the store did not complete the last \
            commits within 10 seconds; 78 if the certificate or the file of tokens \
            or keys can't be used.
            """)

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 chooses a free port.")
    var port = 8080

    @Option(
        help: """
            The store: memory, file:PATH, or postgres://USER@HOST/DATABASE, which any number of \
            servers may share. Default: file:reorderd.db.
            """, transform: StoreLocation.init(option:))
    var store = StoreLocation.standard

    @OptionGroup var postgres: PostgresOptions

    @Flag(help: "Create a sample list, \"demo\", if the store is empty.")
    var demo = false

    @Option(help: "The number of event loops, at most 256; 0: one per processor.")
    var threads = 0

    @OptionGroup var connections: ConnectionOptions

    @OptionGroup var rates: RateOptions

    @OptionGroup var tls: TLSOptions

    @Option(help: "The maximum number of open event streams. Requests for more streams get 503.")
    var maxStreams = 8_000

    @Option(
        help: """
            The interval, in seconds, of heartbeats on quiet event streams. A client that reads \
            nothing for this time is disconnected.
            """)
    var heartbeatSeconds = 15

    @Option(help: "The maximum number of tasks in a list.")
    var maxTasksPerList = 1_000_000

    @Option(
        help: """
            The memory for cached lists, in bytes, at least 1 MiB; the least recently used lists \
            are evicted first. 0: lists are in memory only while they are used.
            """)
    var cacheBytes = 256 << 20

    @Option(
        help: """
            The changes to keep for each list: those of the last 30 days (30d), the last 10,000 \
            changes (10000), or the larger of the two (30d,10000).
            """)
    var history = HistoryOption(.standard)

    @Option(
        help: """
            The number of days for which a deleted list can be restored. 0: deletions are permanent, \
            and lists that were deleted before are removed too.
            """)
    var binDays = BinRetention.standard.days

    @Option(
        help: """
            An origin whose web pages may use the server (https://example.org), or * for all; may \
            be repeated. Without it, pages of other origins can't read responses.
            """, transform: AllowedOrigin.init(option:))
    var corsOrigin: [AllowedOrigin] = []

    @Flag(
        help: """
            Serve the lists also to apps with CalDAV, below /dav/. Passwords are tokens, with any user \
            name, and need TLS or a proxy of --trust-proxy with TLS.
            """)
    var caldav = false

    @Flag(
        help: """
            Do not compress responses and event streams. By default, they are compressed with gzip \
            for clients that accept it.
            """)
    var noCompression = false

    @OptionGroup(title: "Access")
    var access: AccessOptions

    @OptionGroup(title: "Webhooks")
    var webhooks: WebhookCommandOptions

    @OptionGroup var log: LogOptions

    @Flag(
        help: """
            Print the options in effect, as variables for an environment file, and exit. Passwords are \
            left out.
            """)
    var printConfiguration = false

    func validate() throws {
        guard !host.isEmpty else { throw ValidationError("--host needs an address or a name.") }
        try access.validate(host: host)
        try check(0...65535, port, "--port")
        try check(0...256, threads, "--threads")
        try check(0...1_000_000, maxStreams, "--max-streams")
        try check(1...3_600, heartbeatSeconds, "--heartbeat-seconds")
        try check(1...10_000_000, maxTasksPerList, "--max-tasks-per-list")
        try check(0...(1 << 40), cacheBytes, "--cache-bytes")
        try check(0...BinRetention.maximumDays, binDays, "--bin-days")
        guard cacheBytes == 0 || cacheBytes >= 1 << 20 else {
            throw ValidationError(
                "--cache-bytes must be 0 (lists are in memory only while they are used) "
                    + "or at least 1048576 (1 MiB).")
        }
        try checkEffects()
    }

    /// Refuses options that have no effect beside the others. They are mistakes: somebody expects the effect.
    private func checkEffects() throws {
        guard corsOrigin.count < 2 || !corsOrigin.contains(.any) else {
            throw ValidationError("--cors-origin * allows all origins: leave out the others.")
        }
        if case .postgres = store { return }
        guard !postgres.isGiven else {
            throw ValidationError(
                "--migrate, --postgres-connections, --postgres-timeout-seconds and --postgres-polling "
                    + "need --store postgres://…")
        }
    }

    func run() throws {
        let signals = StopSignals.shared
        let reload = ReloadSignal()
        defer { withExtendedLifetime(reload) {} }
        let logger = log.makeLogger()
        signals.log(to: logger)
        let identity = try tls.open(reload, logger)
        let control = try access.open(reload, logger)
        for warning in EnvironmentArguments().warnings { logger.warning("\(warning)") }
        raiseDescriptorLimit(logger)
        let freeMemory = FreeMemory()
        defer { withExtendedLifetime(freeMemory) {} }
        let api = try openAPI(control, logger)
        signals.endStart()
        if demo { SampleList.create(in: api.service, logger) }
        let served = ServedAPI(api) { openAgain(inPlaceOf: $0, control, logger, while: $1) }
        let calendars = CalDAV(
            isEncrypted: identity != nil, proxies: TrustedProxies(rates.trustProxy))
        let router = served.makeRouter(
            origins: AllowedOrigin.all(corsOrigin), isLocal: access.isLocal,
            mounts: caldav ? calendars.mounts : [])
        router.rates = rates.rates
        router.trustedProxies = TrustedProxies(rates.trustProxy)
        router.compressesResponses = !noCompression
        router.accessLog = log.report(to: logger)
        var configuration = serverConfiguration
        configuration.tls = identity
        let activated = try activatedSocket(logger)
        // Checks the address that the service manager has bound.
        if let activated { try access.validate(host: activated.host) }
        configuration.listeningDescriptor = activated?.descriptor
        let server = HTTPServer(configuration, router: router)
        let port: Int
        do {
            port = try server.start()
        } catch {
            logger.critical("cannot listen on \(host) port \(self.port): \(error)")
            throw ExitCode(EX_UNAVAILABLE)
        }
        let scheme = identity == nil ? "http" : "https"
        let bound = activated?.host ?? host
        let address = bound.contains(":") && !bound.hasPrefix("[") ? "[\(bound)]" : bound
        try FileHandle.standardOutput.write(
            contentsOf: Data("reorderd listening on \(scheme)://\(address):\(port)\n".utf8))

        logger.notice("started", metadata: startMetadata)
        served.startWebhooks()

        let signal = signals.wait()
        if connections.drainSeconds > 0 {
            logger.info(
                "draining: /readyz returns 503, all other requests are served",
                metadata: [
                    "signal": "\(signal)", "seconds": .stringConvertible(connections.drainSeconds),
                ])
            served.current.drain()
            server.drain()
            signals.wait(seconds: connections.drainSeconds)
        }
        logger.info("stopping", metadata: ["signal": "\(signal)"])
        endProcess(inSeconds: 10, logger)
        // This time is shorter than the grace period of requests, so that they get their outcome.
        served.prepareToStop(inSeconds: 4)
        server.stop(graceSeconds: 5)
        do throws(StoreError) {
            try served.stop()
        } catch {
            logger.critical("closing the store failed: \(error.reason)")
            // An administrator has to repair the files before the server can start again.
            if case .refused = error { throw ExitCode(EX_CANTCREAT) }
            throw ExitCode(EX_IOERR)
        }
    }

    /// Ends the process after this time, for example because a sync takes that long. Like a crash,
    /// this loses nothing that a client has seen.
    private func endProcess(inSeconds seconds: Int, _ logger: Logger) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) {
            logger.critical(
                "the store did not complete its last commits in \(seconds) seconds, so the server stops without them"
            )
            _exit(EX_TEMPFAIL)
        }
    }

    private var serverConfiguration: HTTPServerConfiguration {
        var configuration = HTTPServerConfiguration()
        configuration.host = host
        configuration.port = port
        if threads > 0 { configuration.threadCount = threads }
        connections.apply(to: &configuration)
        configuration.heartbeatSeconds = Double(heartbeatSeconds)
        return configuration
    }

    /// The socket from the service manager; nil if the server binds its address itself.
    private func activatedSocket(_ logger: Logger) throws -> ActivatedSocket? {
        do {
            return try ActivatedSocket()
        } catch {
            logger.critical("\(error.reason)")
            throw ExitCode(EX_UNAVAILABLE)
        }
    }

    /// Raises the limit of open files: one for each connection and stream, and some for the store.
    private func raiseDescriptorLimit(_ logger: Logger) {
        // An encrypted connection also has a socket pair.
        let perConnection = tls.tlsCert == nil ? 1 : 3
        let needed = perConnection * connections.maxConnections + maxStreams + 256
        let limit = DescriptorLimit.raise(to: needed)
        guard limit < needed else { return }
        logger.warning(
            "the limit of open files is too low for all connections and streams: raise `ulimit -n`",
            metadata: ["limit": "\(limit)", "needed": "\(needed)"])
    }
}
