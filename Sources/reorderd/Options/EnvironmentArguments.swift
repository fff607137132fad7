import ArgumentParser
import Foundation

/// Converts environment variables to arguments of `serve`, so one parser checks both.
struct EnvironmentArguments {
    var environment = ProcessInfo.processInfo.environment

    /// The commands with the options of `serve`.
    static let commands: Set = ["serve", "doctor"]

    /// Adds the options that the environment sets and the command line does not.
    ///
    /// - Throws: a `ValidationError` that names the variable if it is empty or a flag's value is
    ///   wrong.
    func merged(into arguments: [String]) throws -> [String] {
        if arguments.first == "migrate", !isGiven("store", in: arguments), let value = try store() {
            return arguments + ["--store=\(value)"]
        }
        guard let command = arguments.first, Self.commands.contains(command) else {
            return arguments
        }
        var merged = [command]
        for option in ServeOption.all where !isGiven(option.name, in: arguments) {
            switch option.kind {
            case .value:
                let value = option.name == "store" ? try store() : value(of: option)
                guard let value else { continue }
                guard !value.isEmpty else { throw isEmpty(option) }
                merged.append("--\(option.name)=\(value)")
            case .values:
                guard let values = environment[option.variable] else { continue }
                for value in values.components(separatedBy: ",") {
                    let value = value.trimmingCharacters(in: .whitespaces)
                    // An empty value must not be ignored: without an issuer, all issuers are accepted.
                    guard !value.isEmpty else { throw isEmpty(option) }
                    merged.append("--\(option.name)=\(value)")
                }
            case .flag:
                switch environment[option.variable] {
                case nil, "false", "0", "": break
                case "true", "1": merged.append("--\(option.name)")
                case let value?:
                    throw ValidationError(
                        "\(option.variable) must be true or false, not \"\(value)\".")
                }
            }
        }
        return merged + arguments.dropFirst()
    }

    /// The variables that are ignored, with the reason, for the log.
    var warnings: [String] {
        let known = Set(ServeOption.all.map(\.variable) + [Self.storeFile])
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

    private func value(of option: ServeOption) -> String? {
        isServiceAddress(option.name) ? nil : environment[option.variable]
    }

    /// Whether Kubernetes has set the variable: for a Service with the name "reorderd", REORDERD_PORT is
    /// `tcp://10.0.0.1:80`.
    private func isServiceAddress(_ option: String) -> Bool {
        guard option == "port", let value = environment[ServeOption.variable(option)] else {
            return false
        }
        return ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) }
    }

    /// The store: the content of the file that REORDERD_STORE_FILE names, or else the value of
    /// REORDERD_STORE, which the image and the systemd unit set. The URL may contain a password, which
    /// platforms pass as files.
    func store() throws -> String? {
        guard let path = environment[Self.storeFile] else {
            return environment[ServeOption.variable("store")]
        }
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

    private func isEmpty(_ option: ServeOption) -> ValidationError {
        ValidationError(
            "\(option.variable) \(option.kind == .values ? "has an empty value" : "is empty"): "
                + "give it a value, or unset it.")
    }

    /// An error's text. It names variables instead of options that were set by variables.
    func naming(_ message: String, for arguments: [String]) -> String {
        guard let command = arguments.first, Self.commands.contains(command) else {
            return message
        }
        let options = ServeOption.all
            .filter { option in
                let value = value(of: option) ?? ""
                let isOff = option.kind == .flag && (value == "false" || value == "0")
                return !value.isEmpty && !isOff && !isGiven(option.name, in: arguments)
            }
            // So that `--max-connections-per-client` is replaced before `--max-connections`.
            .sorted { $0.name.count > $1.name.count }
        // The usage at the end keeps the options' names.
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        let end =
            lines.firstIndex { $0.hasPrefix("Help:") || $0.hasPrefix("Usage:") } ?? lines.endIndex
        var text = lines[..<end].joined(separator: "\n")
        for option in options {
            text = text.replacing("--\(option.name) <\(option.name)>", with: option.variable)
                .replacing("--\(option.name)", with: option.variable)
        }
        return ([text] + lines[end...].map(String.init)).joined(separator: "\n")
    }

    private func isGiven(_ option: String, in arguments: [String]) -> Bool {
        arguments.contains { $0 == "--\(option)" || $0.hasPrefix("--\(option)=") }
    }
}
