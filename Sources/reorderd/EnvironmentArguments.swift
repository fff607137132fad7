import Foundation

/// The environment's variables as arguments of `serve`, so that one parser checks both.
struct EnvironmentArguments {
    /// The options of `serve`; `REORDERD_MAX_BODY_BYTES` is `--max-body-bytes`.
    private static let options = [
        "host", "port", "store", "threads", "max-connections", "max-connections-per-client",
        "rate-limit", "rate-burst",
        "tls-cert", "tls-key", "max-streams", "heartbeat-seconds", "idle-timeout-seconds",
        "request-timeout-seconds",
        "max-bodies-bytes", "max-body-bytes", "max-responses-bytes", "max-tasks-per-list",
        "cache-bytes", "history",
        "log-level",
        "log-format", "slow-request-ms", "postgres-connections",
        "postgres-timeout-seconds", "tokens", "jwks",
    ]
    /// Options that may be given several times: their variables hold values with commas between.
    private static let repeatedOptions = [
        "cors-origin", "jwt-audience", "jwt-issuer", "trust-proxy",
    ]
    private static let flags = ["demo", "log-requests", "migrate", "no-auth", "postgres-polling"]

    var environment = ProcessInfo.processInfo.environment

    /// Puts them before the arguments of the command line: of an option given twice the last wins.
    func merged(into arguments: [String]) -> [String] {
        guard arguments.first == "serve" else { return arguments }
        var merged = ["serve"]
        for name in Self.options {
            if let value = environment[variable(name)] { merged.append("--\(name)=\(value)") }
        }
        for name in Self.repeatedOptions where !isGiven(name, in: arguments) {
            for value in (environment[variable(name)] ?? "").split(separator: ",") {
                merged.append("--\(name)=\(value.trimmingCharacters(in: .whitespaces))")
            }
        }
        for name in Self.flags {
            switch environment[variable(name)] {
            case nil, "false", "0", "": break
            case "true", "1": merged.append("--\(name)")
            case let value?: merged.append("--\(name)=\(value)")
            }
        }
        return merged + arguments.dropFirst()
    }

    /// Whether the command line has it: then the variable, which would be added to it, is left out.
    private func isGiven(_ option: String, in arguments: [String]) -> Bool {
        arguments.contains { $0 == "--\(option)" || $0.hasPrefix("--\(option)=") }
    }

    private func variable(_ option: String) -> String {
        "REORDERD_" + option.uppercased().replacing("-", with: "_")
    }
}
