import ArgumentParser

@main
struct Reorderd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reorderd",
        abstract: "A server for lists that people reorder by hand.",
        discussion: """
            Every option of `serve` is also an environment variable: --port is REORDERD_PORT, \
            --demo is REORDERD_DEMO=true. The command line takes precedence. An empty variable is \
            an error, except for flags.
            """,
        version: Version.number,
        subcommands: [
            Serve.self, Token.self, Health.self, Check.self, Backup.self, Export.self,
            Import.self, Migrate.self, Version.self,
        ])

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let environment = EnvironmentArguments()
        do {
            let merged = try environment.merged(into: arguments)
            var command = try parseAsRoot(merged)
            if let serve = command as? Serve, serve.printConfiguration {
                try EffectiveConfiguration(merged).lines.forEach { print($0) }
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            guard code == .validationFailure else { exit(withError: error) }
            StandardError.line(environment.naming(fullMessage(for: error), for: arguments))
            exit(withError: code)
        }
    }
}

struct Version: ParsableCommand {
    static let number = "1.0.0-rc.1"
    static let configuration = CommandConfiguration(abstract: "Print the version.")

    func run() {
        print("reorderd \(Self.number)")
    }
}
