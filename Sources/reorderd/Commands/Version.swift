import ArgumentParser
import PostgresStore
import SQLiteStore

struct Version: ParsableCommand {
    static let number = "1.0.0-rc.1"
    /// The number, and the formats of stores that the program writes: two builds with the same number can differ in
    /// these.
    static var text: String {
        "\(number) (file format \(SQLiteListStore.format), "
            + "PostgreSQL tables \(PostgresListStore.schemaVersion))"
    }

    static let configuration = CommandConfiguration(
        abstract: "Print the version, and the versions of the formats of stores.")

    func run() {
        print("reorderd \(Self.text)")
    }
}
