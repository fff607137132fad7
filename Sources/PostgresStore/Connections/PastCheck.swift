import ReorderStore
import Synchronization

/// Notices that the database went back: after a failover that lost commits, or a restore.
///
/// The store remembers the last change that it has seen. Each read and each commit asks whether that
/// change is still at its position, and whether the epoch is the same. Nothing that was read together
/// with another answer is used.
final class PastCheck: Sendable {
    private struct State {
        /// nil if the check is off.
        var epoch: String?
        var seen: JournalMark?
    }

    private let state = Mutex(State())

    /// Turns the check on.
    func begin(epoch: String) { state.withLock { $0.epoch = epoch } }

    /// A question to the database, to be sent after the statements that it protects.
    struct Question {
        fileprivate let epoch: String
        fileprivate let seen: JournalMark?

        var call: BoundStatement { findPast(.int(seen?.position ?? 0)) }
        static var name: String { findPast.name }
    }

    /// nil if the check is off.
    var question: Question? {
        state.withLock { state in
            state.epoch.map { Question(epoch: $0, seen: state.seen) }
        }
    }

    /// Remembers a change that is durable.
    func see(_ mark: JournalMark?) {
        guard let mark else { return }
        state.withLock { state in
            if mark.position > state.seen?.position ?? 0 { state.seen = mark }
        }
    }

    /// Why the database is not the one that the question is about; nil if it is.
    ///
    /// - Parameters:
    ///   - rows: the answer.
    ///   - sees: whether what the answer shows is durable, so that it is remembered.
    func loss(
        in rows: ResultRows, to question: Question, sees: Bool, over connection: PostgresConnection
    ) throws(PostgresError) -> PastLoss? {
        guard rows.count > 0, !rows.isNull(0, 0) else {
            throw .refused(
                state: "55000", message: "the tables have no epoch: are they being restored?")
        }
        let newest =
            rows.isNull(0, 2)
            ? nil
            : JournalMark(
                position: rows.int(0, 2), number: rows.int(0, 3), list: rows.text(0, 4),
                version: rows.int(0, 5))
        var loss = PastLoss(
            epoch: question.epoch, storedEpoch: rows.text(0, 0), seen: question.seen,
            newest: newest, isLost: false)
        switch SeenPast(
            seen: question.seen, numberThere: rows.isNull(0, 1) ? nil : rows.int(0, 1),
            newest: newest)
        {
        case .kept: break
        case .lost: loss.isLost = true
        case .unclear:
            guard let seen = question.seen else { break }
            let pruned = try connection.run([Self.findForgotten(.text(seen.list))])[0]
            loss.isLost = pruned.count == 0 || pruned.int(0, 0) < seen.version
        }
        if loss.isLost || loss.storedEpoch != loss.epoch { return loss }
        if sees { see(newest) }
        return nil
    }

    private static let findForgotten = Statement(
        "find-forgotten-past", "SELECT forgotten FROM reorderd.list WHERE id = $1")
}

/// The epoch, the number of the change at a position, and the last change. None of the subqueries
/// depends on another one.
private let findPast = Statement(
    "find-past",
    """
    SELECT (SELECT epoch FROM reorderd.schema_version WHERE epoch IS NOT NULL
            ORDER BY version DESC LIMIT 1),
        seen.commit_id, newest.position, newest.commit_id, newest.list, newest.version
    FROM (SELECT 1) AS one
    LEFT JOIN (
        SELECT commit_id FROM reorderd.change WHERE position = $1 AND position > 0
    ) AS seen ON true
    LEFT JOIN (
        SELECT position, commit_id, list, version FROM reorderd.change
        WHERE position > 0 ORDER BY position DESC LIMIT 1
    ) AS newest ON true
    """)

/// What a database lacks, or has instead.
struct PastLoss: Sendable {
    /// The epoch that this server knows.
    var epoch: String
    var storedEpoch: String
    /// The last change that this server has seen.
    var seen: JournalMark?
    /// The database's last change.
    var newest: JournalMark?
    /// Whether the database lacks the seen change. Otherwise only the epoch is another one.
    var isLost: Bool

    var reason: String {
        guard isLost, let seen else {
            return "the store has a new epoch, \(storedEpoch) instead of \(epoch)"
        }
        return "the database went back: this server has seen change \(seen.position) of all lists "
            + "(version \(seen.version) of \(seen.list)), which is lost; the last change is now "
            + "\(newest?.position ?? 0)"
    }
}
