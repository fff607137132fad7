import Foundation

/// Values of `--store` for people: without passwords.
extension StoreLocation {
    /// A value of `--store` without passwords. If it is not certain where a password ends, for example
    /// because it contains a "/" that is not percent-encoded, nothing of the value is shown.
    static func withoutPassword(_ option: String) -> String {
        let shown: String? =
            switch StoreLocation(argument: option) {
            case .memory, .file: option
            case .postgres: urlWithoutPassword(option)
            case nil: isPath(option) ? option : nil
            }
        return shown ?? "(not shown)"
    }

    /// A message without the passwords of the values of `--store`.
    static func withoutPasswords(_ message: String, of arguments: [String]) -> String {
        var message = message
        for (index, argument) in arguments.enumerated() {
            let value =
                argument.hasPrefix("--store=")
                ? String(argument.dropFirst("--store=".count))
                : index > 0 && arguments[index - 1] == "--store" ? argument : ""
            if !value.isEmpty { message = message.replacing(value, with: withoutPassword(value)) }
        }
        return message
    }

    /// Whether the text can be a file's path: it is no URL, and no list of keywords and values.
    static func isPath(_ text: String) -> Bool { !text.contains { ":=@".contains($0) } }

    /// - Returns: nil if the URL's parts are not certain.
    private static func urlWithoutPassword(_ url: String) -> String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let rest = url[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let parts = rest[authority.endIndex...].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // A later "@" probably ends a password with a "/" or a "?".
        guard !parts.contains(where: { $0.contains("@") }) else { return nil }
        var (user, hosts) = (Substring(), authority)
        if let at = authority.lastIndex(of: "@") {
            user = authority[..<at].prefix { $0 != ":" } + "@"
            hosts = authority[authority.index(after: at)...]
        }
        guard !user.dropLast().contains("@"),
            hosts.split(separator: ",").allSatisfy({ $0.wholeMatch(of: host) != nil })
        else { return nil }
        let text = url[..<scheme.upperBound] + user + hosts + (parts.first ?? "")
        guard parts.count == 2 else { return String(text) }
        var shown: [Substring] = []
        for parameter in parts[1].split(separator: "&") {
            guard let end = parameter.firstIndex(of: "="),
                let name = String(parameter[..<end]).removingPercentEncoding
            else { return nil }
            if passwords.contains(name) { continue }
            guard parameters.contains(name) else { return nil }
            shown.append(parameter)
        }
        return shown.isEmpty ? String(text) : "\(text)?\(shown.joined(separator: "&"))"
    }

    /// A host with its port, or an address in brackets.
    nonisolated(unsafe) private static let host = #/(\[[^\]]*\]|[^:\[\]]*)(:\d*)?/#

    private static let passwords: Set = ["password", "sslpassword", "oauth_client_secret"]

    /// libpq's other parameters. An unknown one can be a part of a password with an "&".
    private static let parameters: Set = [
        "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname",
        "fallback_application_name", "gssdelegation", "gssencmode", "gsslib", "host", "hostaddr",
        "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname",
        "load_balance_hosts", "max_protocol_version", "min_protocol_version", "options", "passfile",
        "port", "replication", "require_auth", "requirepeer", "requiressl", "service", "ssl",
        "sslcert", "sslcertmode", "sslcompression", "sslcrl", "sslcrldir", "sslkey", "sslmode",
        "sslnegotiation", "sslrootcert", "sslsni", "ssl_max_protocol_version",
        "ssl_min_protocol_version", "target_session_attrs", "tcp_user_timeout", "user",
    ]
}
