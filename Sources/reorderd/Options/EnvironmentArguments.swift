import ArgumentParser
import Foundation

/// Converts environment variables to arguments of `serve`, so one parser checks both.
struct EnvironmentArguments {
    /// The options with one value; `REORDERD_MAX_BODY_BYTES` is `--max-body-bytes`.
    private static let options = [
        "host", "port", "store", "threads", "max-connections", "max-connections-per-client",
        "drain-seconds", "rate-limit", "rate-burst",
        "tls-cert", "tls-key", "max-streams", "heartbeat-seconds", "idle-timeout-seconds",
        "request-timeout-seconds",
        "max-bodies-bytes", "max-body-bytes", "max-responses-bytes", "max-tasks-per-list",
        "cache-bytes", "history", "bin-days",
        "log-level",
        "log-format", "slow-request-ms", "postgres-connections",
        "postgres-timeout-seconds", "tokens", "jwks",
    ]
    /// Options that may be repeated: their variables hold values separated by commas.
    private static let repeatedOptions = [
        "cors-origin", "jwt-audience", "jwt-issuer", "trust-proxy",
    ]
    private static let flags = [
        "demo", "log-requests", "migrate", "no-auth", "no-compression", "postgres-polling",
        "print-configuration", "webhook-allow-http", "webhook-allow-private",
    ]

    var environment = ProcessInfo.processInfo.environment

    /// Adds the options that the environment sets and the command line does not.
    ///
    /// - Throws: a `ValidationError` that names the variable if it is empty or a flag's value is
    ///   wrong.
    func merged(into arguments: [String]) throws -> [String] {
        if arguments.first == "migrate", !isGiven("store", in: arguments), let value = try store() {
            return arguments + ["--store=\(value)"]
        }
        guard arguments.first == "serve" else { return arguments }
        var merged = ["serve"]
        for name in Self.options where !isGiven(name, in: arguments) {
            guard let value = name == "store" ? try store() : value(of: name) else { continue }
            guard !value.isEmpty else { throw isEmpty(name) }
            merged.append("--\(name)=\(value)")
        }
        for name in Self.repeatedOptions where !isGiven(name, in: arguments) {
            guard let values = environment[variable(name)] else { continue }
            for value in values.components(separatedBy: ",") {
                let value = value.trimmingCharacters(in: .whitespaces)
                // An empty value must not be ignored: without an issuer, all issuers are accepted.
                guard !value.isEmpty else { throw isEmpty(name) }
                merged.append("--\(name)=\(value)")
            }
        }
        for name in Self.flags where !isGiven(name, in: arguments) {
            switch environment[variable(name)] {
            case nil, "false", "0", "": break
            case "true", "1": merged.append("--\(name)")
            case let value?:
                throw ValidationError("\(variable(name)) must be true or false, not \"\(value)\".")
            }
        }
        return merged + arguments.dropFirst()
    }

    /// The variables that are ignored, with the reason, for the log.
    var warnings: [String] {
        let options = Self.options + Self.repeatedOptions + Self.flags
        let known = Set(options.map(variable) + [Self.storeFile])
        let unknown = environment.keys.filter { $0.hasPrefix("REORDERD_") && !known.contains($0) }
        return [
            isServiceAddress("port")
                ? "REORDERD_PORT is ignored, because it is the address of a Kubernetes Service; "
                    + "set enableServiceLinks: false" : nil,
            unknown.isEmpty
                ? nil
                : "these variables are ignored, because they are not options of serve: "
                    + unknown.sorted().joined(separator: ", "),
        ].compactMap(\.self)
    }

    private func value(of option: String) -> String? {
        isServiceAddress(option) ? nil : environment[variable(option)]
    }

    /// Whether Kubernetes has set the variable: for a Service with the name "reorderd", REORDERD_PORT is
    /// `tcp://10.0.0.1:80`.
    private func isServiceAddress(_ option: String) -> Bool {
        guard option == "port", let value = environment[variable(option)] else { return false }
        return ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) }
    }

    /// The store: the content of the file that REORDERD_STORE_FILE names, or else the value of
    /// REORDERD_STORE, which the image and the systemd unit set. The URL may contain a password, which
    /// platforms pass as files.
    func store() throws -> String? {
        guard let path = environment[Self.storeFile] else { return environment[variable("store")] }
        // `String(contentsOfFile:)` does not wait for the content of a pipe.
        guard let file = FileHandle(forReadingAtPath: path),
            let bytes = try? file.readToEnd() ?? Data(),
            let text = String(data: bytes, encoding: .utf8)
        else {
            throw ValidationError("\(Self.storeFile): \(path) can't be read.")
        }
        let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !value.isEmpty else {
            throw ValidationError("\(Self.storeFile): \(path) is empty.")
        }
        guard value.utf8.count <= Self.longestStore, !value.contains(where: \.isNewline) else {
            throw ValidationError(
                "\(Self.storeFile): \(path) must have one line of at most \(Self.longestStore) bytes."
            )
        }
        return value
    }

    private static let storeFile = "REORDERD_STORE_FILE"
    /// In bytes of UTF-8.
    private static let longestStore = 4_096

    private func isEmpty(_ name: String) -> ValidationError {
        let isRepeated = Self.repeatedOptions.contains(name)
        return ValidationError(
            "\(variable(name)) \(isRepeated ? "has an empty value" : "is empty"): "
                + "give it a value, or unset it.")
    }

    /// An error's text. It names variables instead of options that were set by variables.
    func naming(_ message: String, for arguments: [String]) -> String {
        guard arguments.first == "serve" else { return message }
        let names = (Self.options + Self.repeatedOptions + Self.flags)
            .filter { name in
                let value = value(of: name) ?? ""
                let isOff = Self.flags.contains(name) && (value == "false" || value == "0")
                return !value.isEmpty && !isOff && !isGiven(name, in: arguments)
            }
            // So that `--max-connections-per-client` is replaced before `--max-connections`.
            .sorted { $0.count > $1.count }
        // The usage at the end keeps the options' names.
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        let end =
            lines.firstIndex { $0.hasPrefix("Help:") || $0.hasPrefix("Usage:") } ?? lines.endIndex
        var text = lines[..<end].joined(separator: "\n")
        for name in names {
            text = text.replacing("--\(name) <\(name)>", with: variable(name))
                .replacing("--\(name)", with: variable(name))
        }
        return ([text] + lines[end...].map(String.init)).joined(separator: "\n")
    }

    private func isGiven(_ option: String, in arguments: [String]) -> Bool {
        arguments.contains { $0 == "--\(option)" || $0.hasPrefix("--\(option)=") }
    }

    private func variable(_ option: String) -> String { Self.variable(option) }

    static func variable(_ option: String) -> String {
        "REORDERD_" + option.uppercased().replacing("-", with: "_")
    }
}
