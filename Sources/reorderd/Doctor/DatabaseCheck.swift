import PostgresStore
import ReorderStore

/// A store in PostgreSQL.
struct DatabaseCheck {
    let diagnosis: Diagnosis
    let options: PostgresOptions

    func run(_ url: String) -> StoreState {
        do throws(StoreError) {
            let database = try DatabaseDiagnosis(url: url, options: options.options)
            checkServer(database, diagnosis.check("database"))
            checkTables(database, diagnosis.check("tables"))
            return StoreState(
                latestTime: database.latestTime, databaseTime: database.time,
                tokens: database.tokens)
        } catch .refused(let reason) {
            diagnosis.check("database").problem(
                reason, "Correct --store, or grant the rights in docs/many-servers.md")
        } catch {
            diagnosis.check("database").problem(
                "PostgreSQL can't be reached: \(error.reason)",
                "Start it, or correct host, user, password or database in --store. Servers wait for it"
            )
        }
        return StoreState()
    }

    private func checkServer(_ database: DatabaseDiagnosis, _ check: Diagnosis.Check) {
        let version = "\(database.serverVersion / 10_000).\(database.serverVersion % 10_000)"
        if database.isStandby {
            check.problem(
                "only a standby can be reached, which accepts no writes",
                "Start the primary, promote the standby, or add the primary's host to --store")
        } else if database.isReadOnly {
            check.problem(
                "it is a primary, but its transactions are read-only",
                "Correct default_transaction_read_only of the database or the role")
        } else if database.serverVersion < DatabaseDiagnosis.oldestServerVersion {
            check.warning("PostgreSQL \(version) is not supported", "Use version 15 or later")
        } else {
            check.ok("PostgreSQL \(version) is a primary, and accepts writes")
        }
    }

    private func checkTables(_ database: DatabaseDiagnosis, _ check: Diagnosis.Check) {
        let (found, own) = (database.schemaVersion, PostgresListStore.schemaVersion)
        let finding =
            found == 0 ? "they do not exist" : "they have version \(found) instead of \(own)"
        if found > own {
            check.problem(finding, "Install the newer program that made them")
        } else if found < own, options.migrate {
            check.ok("\(finding), until --migrate makes them at the start")
        } else if found < own {
            check.problem(finding, "Run \"reorderd migrate\"")
        } else if database.missingRights.isEmpty {
            check.ok("they have version \(found), and the role has its rights")
        } else {
            check.problem(
                "the role lacks rights: \(database.missingRights)",
                "Grant the rights in docs/many-servers.md, as the tables' owner")
        }
    }
}
