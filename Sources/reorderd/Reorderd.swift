import ArgumentParser

@main
struct Reorderd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reorderd",
        abstract: "A server for lists that people reorder by hand.",
        discussion: """
            Every option of `serve` is also an environment variable: --port is REORDERD_PORT, \
            --demo is REORDERD_DEMO=true. The command line wins.
            """,
        version: Version.number,
        subcommands: [
            Serve.self, Token.self, Health.self, Check.self, Backup.self, Export.self,
            Import.self, Migrate.self, Version.self,
        ])

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        main(EnvironmentArguments().merged(into: arguments))
    }
}

struct Version: ParsableCommand {
    static let number = "0.1.0"
    static let configuration = CommandConfiguration(abstract: "Tell the version.")

    func run() {
        print("reorderd \(Self.number)")
    }
}
