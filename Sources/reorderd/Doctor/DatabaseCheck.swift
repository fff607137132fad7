import PostgresStore
import ReorderStore

/// A store in PostgreSQL.
struct DatabaseCheck {
    let check: Diagnosis.Check
    let options: PostgresOptions

    /// - Returns: the database's time.
    func run(_ url: String) -> Int64? {
        do throws(StoreError) {
            let store = try PostgresReadOnlyStore(url: url, options: options.options)
            let missing = try store.missingRights()
            if missing.isEmpty {
                check.ok("it accepts writes, and has tables of this program's version")
            } else {
                check.problem(
                    "the role lacks rights: \(missing)",
                    "Grant the rights in docs/many-servers.md, as the tables' owner")
            }
            return try store.currentTime()
        } catch .unavailable(let reason) {
            check.problem(
                "PostgreSQL can't be reached: \(reason)",
                "Start it, or correct host, user, password or database in --store. Servers wait for it"
            )
        } catch {
            check.problem(
                "PostgreSQL can't be used: \(error.reason)",
                options.migrate
                    ? "With --migrate, the start of a server makes or upgrades tables"
                    : "If needed, correct --store, or grant the rights in docs/many-servers.md")
        }
        return nil
    }
}
