import Foundation
import ReorderService

/// The clock, compared with the store's times.
struct ClockCheck {
    let check: Diagnosis.Check

    private static let remedy = "Set the clock, and keep it right with NTP"
    /// The first year of this program, and one that it will not see.
    private static let years = 2026..<2100

    func run(_ state: StoreState) {
        let now = Date().timeIntervalSince1970
        let day = Diagnosis.day(Int(now))
        guard Self.years.contains(Int(day.prefix(4)) ?? 0) else {
            return check.problem("the system's clock says \(day)", Self.remedy)
        }
        let database = state.databaseTime.map { Double($0) / 1_000 }
        if let database, abs(database - now) > ClockLag.reportedSeconds {
            check.warning(
                "the system's clock and the database's differ by \(Int(abs(database - now))) s",
                "\(Self.remedy): tokens expire by the system's, lists by the database's")
        }
        let latest = Double(state.latestTime ?? 0) / 1_000
        let lag = latest - (database ?? now)
        guard lag > ClockLag.reportedSeconds else {
            return check.ok("it says \(day), and no stored change is later")
        }
        let finding =
            "it is \(Int(lag)) s behind the newest change, of \(Diagnosis.day(Int(latest)))"
        if lag > ClockLag.waitedSeconds {
            check.problem(
                finding, "\(Self.remedy). If it is right, that change has the time of a wrong clock"
            )
        } else {
            check.warning("\(finding): timestamps wait for it", Self.remedy)
        }
    }
}
