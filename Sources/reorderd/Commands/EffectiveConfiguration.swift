import ArgumentParser
import Foundation

/// The options of `serve` that are in effect: given by the command line or a variable, or the default.
struct EffectiveConfiguration {
    /// The parts of `--experimental-dump-help` that are needed.
    private struct Help: Decodable {
        var command: Command

        struct Command: Decodable {
            var arguments: [Argument]
        }

        struct Argument: Decodable {
            var kind: String
            var names: [Name]?
            var defaultValue: String?
            var isRepeating: Bool

            struct Name: Decodable {
                var kind: String
                var name: String
            }

            var longName: String? { names?.first { $0.kind == "long" }?.name }
        }
    }

    /// Lines of an environment file: `REORDERD_PORT=8080`. Options without a value are left out, and so are passwords.
    let lines: [String]

    /// - Parameter arguments: those of `serve`, with those that variables have set. They were parsed before.
    init(_ arguments: [String]) throws {
        let help = try JSONDecoder().decode(Help.self, from: Data(Serve._dumpHelp().utf8))
        let given = Self.values(of: arguments, help.command.arguments)
        lines = help.command.arguments.compactMap { argument in
            guard let name = argument.longName, !Self.notShown.contains(name) else { return nil }
            let isFlag = argument.kind == "flag"
            let values =
                given[name] ?? [isFlag ? "false" : argument.defaultValue].compactMap(\.self)
            let value = argument.isRepeating ? values.joined(separator: ",") : values.last
            guard let value, !value.isEmpty else { return nil }
            let shown = name == "store" ? StoreLocation.withoutPassword(value) : value
            return "\(EnvironmentArguments.variable(name))=\(shown)"
        }
    }

    private static let notShown = ["help", "version", "print-configuration"]

    private static func values(
        of arguments: [String], _ known: [Help.Argument]
    ) -> [String: [String]] {
        let flags = Set(known.filter { $0.kind == "flag" }.compactMap(\.longName))
        var values: [String: [String]] = [:]
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
            guard argument.hasPrefix("--"), let name = parts.first else { continue }
            let value =
                flags.contains(name)
                ? "true" : argument.contains("=") ? parts.dropFirst().first : rest.popFirst()
            values[name, default: []].append(value ?? "")
        }
        return values
    }
}
