import ArgumentParser
import Foundation

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find out what is wrong with an installation, and what to do.",
        discussion: """
            Takes the options and variables of "reorderd serve": give it those of the server. Run it \
            as the server's user, because it checks the rights of its own user. It changes nothing, \
            and works also while the server runs and while the disk is full.

            It checks the address, the store, the clock, the tokens, the certificate and the limit of \
            open files; with --url also the proxy in front of the server. In a file, it looks for \
            damage for at most 10 seconds: "reorderd check" verifies everything.

            Each finding is one line on standard output: "ok", "warning" or "problem", the check, the \
            finding, and what to do. What can't be checked is "ok", and the line says so.

            Exit codes: 0 if there are no problems; 1 if there are problems; 64 for wrong arguments \
            or variables.
            """)

    @OptionGroup(visibility: .hidden) var serve: Serve

    @Option(help: "The address that clients use, through a proxy, such as https://lists.example.")
    var url: String?

    @Option(
        help: ArgumentHelp(
            "A file with a token that may read all lists, to check event streams at --url.",
            valueName: "file"))
    var urlToken: String?

    func validate() throws {
        guard !serve.printConfiguration else {
            throw ValidationError("--print-configuration is an option of serve.")
        }
        guard ["http://", "https://"].contains(where: { url?.hasPrefix($0) ?? true }) else {
            throw ValidationError("--url must begin with https:// or http://.")
        }
        guard urlToken == nil || url != nil else {
            throw ValidationError("--url-token needs --url.")
        }
    }

    func run() throws {
        let diagnosis = Diagnosis()
        let configuration = diagnosis.check("configuration")
        let warnings = EnvironmentArguments().warnings
        if warnings.isEmpty { configuration.ok("options and variables are valid") }
        for warning in warnings { configuration.warning(warning, "Correct or remove them") }
        let isServing = AddressCheck(check: diagnosis.check("address"), serve: serve).run()
        let state = checkStore(diagnosis, isServing: isServing)
        ClockCheck(check: diagnosis.check("clock")).run(state)
        AccessCheck(check: diagnosis.check("tokens"), serve: serve).run(state.tokens)
        CertificateCheck(check: diagnosis.check("certificate")).run(serve.tls)
        checkDescriptors(diagnosis.check("limits"))
        if let url {
            try ProxyCheck(
                diagnosis: diagnosis, url: url, asksForTokens: serve.access.asksForTokens,
                token: urlToken.map(readToken)
            ).run()
        }
        guard diagnosis.problemCount == 0 else { throw ExitCode(1) }
    }

    private func checkStore(_ diagnosis: Diagnosis, isServing: Bool?) -> StoreState {
        switch serve.store {
        case .memory:
            diagnosis.check("store").ok("lists are in memory, until the server stops")
            return StoreState()
        case .file(let path):
            return FileCheck(diagnosis: diagnosis, isServing: isServing).run(path)
        case .postgres(let url):
            return DatabaseCheck(diagnosis: diagnosis, options: serve.postgres).run(url)
        }
    }

    private func checkDescriptors(_ check: Diagnosis.Check) {
        let (limit, needed) = serve.raiseDescriptorLimit()
        guard limit < needed else {
            return check.ok("\(needed) open files are allowed here; a service has its own limit")
        }
        check.warning(
            "\(needed) open files are needed, and \(limit) are allowed here",
            "Raise \"ulimit -n\" (systemd: LimitNOFILE), or set a lower --max-connections")
    }

    private func readToken(_ path: String) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ValidationError("--url-token: \(path) can't be read.")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// What the checks of the clock and of tokens need from the store.
struct StoreState {
    /// The time of the newest change, in milliseconds since 1970.
    var latestTime: Int64?
    /// The database's time.
    var databaseTime: Int64?
    /// The tokens that were made over HTTP.
    var tokens: [[UInt8]] = []
}
