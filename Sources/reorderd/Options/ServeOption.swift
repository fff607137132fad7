import ArgumentParser
import Foundation

/// An option of `serve`, as its declaration names it. Variables and the printed configuration have the same options.
struct ServeOption {
    enum Kind {
        case value
        /// It may be repeated. A variable holds its values separated by commas.
        case values
        case flag
    }

    let name: String
    let kind: Kind
    let defaultValue: String?

    var variable: String { Self.variable(name) }

    static func variable(_ name: String) -> String {
        "REORDERD_" + name.uppercased().replacing("-", with: "_")
    }

    /// All options but those that end the program at once.
    static let all: [ServeOption] = {
        do {
            let help = try JSONDecoder().decode(Help.self, from: Data(Serve._dumpHelp().utf8))
            return help.command.arguments.compactMap(\.option)
        } catch {
            preconditionFailure("the options of serve can't be listed: \(error)")
        }
    }()

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

            var option: ServeOption? {
                guard let name = names?.first(where: { $0.kind == "long" })?.name,
                    !["help", "version"].contains(name)
                else { return nil }
                return ServeOption(
                    name: name, kind: kind == "flag" ? .flag : isRepeating ? .values : .value,
                    defaultValue: defaultValue)
            }
        }
    }
}
