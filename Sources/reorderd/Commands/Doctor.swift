import ArgumentParser
import Foundation
import ReorderService

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find out what is wrong with an installation, and what to do.",
        usage: "reorderd doctor [<options of serve>] [--url <url>] [--url-token <file>]",
        discussion: """
            Takes the options and variables of "reorderd serve": give it those of the server. Run it \
            as the server's user, or as root. It changes nothing, and works also while the server runs \
            and while the disk is full.

            It checks the address, the store, the clock, tokens and the certificate; with --url also \
            the proxy in front of the server, for which it waits for a heartbeat. If no server has a file open, it looks for damage for at most 10 \
            seconds: "reorderd check" verifies everything.

            Each finding is one line on standard output: "ok", "warning" or "problem", the check, the \
            finding, and what to do.

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
        let reload = ReloadSignal()
        let (access, tls) = (serve.access, serve.tls)
        diagnosis.runStep(
            "configuration", ok: "options and variables are valid", remedy: "Correct or remove them"
        ) { for warning in EnvironmentArguments().warnings { $0.warning("\(warning)") } }
        let isServing = AddressCheck(check: diagnosis.check("address"), serve: serve).run()
        let latestTime = checkStore(diagnosis, isServing: isServing)
        diagnosis.runStep(
            "clock",
            ok: latestTime == nil
                ? "not compared, because the store has no time"
                : "it is not behind the newest time in the store",
            remedy: "Set the clock, and keep it right with NTP"
        ) { _ = ClockWatch(.system, latest: latestTime, $0) }
        diagnosis.runStep(
            "tokens",
            ok: access.noAuth
                ? "none: every client that reaches the server can change everything"
                : "none, because only this machine is served",
            remedy: "Correct the file, and let the server's user read it"
        ) { _ = try access.open(reload, $0) }
        diagnosis.runStep(
            "certificate",
            ok: tls.tlsCert == nil
                ? "none, because the server does not use TLS" : "it matches its key",
            remedy: "Use the certificate's own key, and let the server's user read both files"
        ) { _ = try tls.open(reload, $0) }
        if let url {
            try ProxyCheck(
                diagnosis: diagnosis, url: url, asksForTokens: access.asksForTokens,
                token: urlToken.map(readToken), heartbeatSeconds: serve.heartbeatSeconds
            ).run()
        }
        guard !diagnosis.hasProblem else { throw ExitCode(1) }
    }

    /// - Returns: the time of the newest change in the store, or of the database.
    private func checkStore(_ diagnosis: Diagnosis, isServing: Bool?) -> Int64? {
        switch serve.store {
        case .memory:
            diagnosis.check("store").ok("lists are in memory, until the server stops")
            return nil
        case .file(let path): return FileCheck(diagnosis: diagnosis, isServing: isServing).run(path)
        case .postgres(let url):
            return DatabaseCheck(check: diagnosis.check("database"), options: serve.postgres).run(
                url)
        }
    }

    private func readToken(_ path: String) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ValidationError("--url-token: \(path) can't be read.")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
