import ArgumentParser

@main
struct Reorderd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reorderd",
        abstract: "A server for lists that people reorder by hand.",
        discussion: """
            Every option of `serve` is also an environment variable: --port is REORDERD_PORT, \
            --demo is REORDERD_DEMO=true. The command line takes precedence. An empty variable is \
            an error, except for flags. REORDERD_STORE_FILE names a file that contains the store, \
            for a URL with a password.
            """,
        version: Version.text,
        subcommands: [
            Serve.self, Doctor.self, Token.self, Health.self, Check.self, Backup.self, Restore.self,
            Compact.self, Export.self, Import.self, Repair.self, Migrate.self, Version.self,
        ])

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // From here on, SIGTERM and SIGINT end a server with exit code 0.
        if arguments.first == "serve" { _ = StopSignals.shared }
        let environment = EnvironmentArguments()
        var merged = arguments
        do {
            merged = try environment.merged(into: arguments)
            var command = try parseAsRoot(merged)
            if let serve = command as? Serve, serve.printConfiguration {
                EffectiveConfiguration(merged).lines.forEach { print($0) }
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            guard code == .validationFailure else { exit(withError: error) }
            let message = environment.naming(fullMessage(for: error), for: arguments)
            StandardError.line(StoreLocation.withoutPasswords(message, of: merged))
            exit(withError: code)
        }
    }
}
