import PostgresStore
import PostgresTesting
import ReorderStore
import Synchronization
import Testing
import Waiting

/// Appends that wait for one another never wait in a circle.
@Suite(.enabled(if: PostgresCluster.isTested))
struct PostgresLockOrderTests {
    /// One append has looked for its tasks before the task t5 exists. The other append deletes t5.
    /// Both insert t3. Other connections stop the first append before it inserts its list, and the
    /// second one before it inserts t3.
    @Test func insertingATaskThatIsBeingDeletedCausesNoDeadlock() throws {
        try withDatabase { url, name in
            let cluster = try PostgresCluster.shared()
            let (first, second) = (try openStore(url), try openStore(url))
            let errors = Mutex<[StoreError]>([])
            func start(_ store: PostgresListStore, _ commit: ListCommit) -> Background {
                Background {
                    do throws(StoreError) {
                        try store.append([commit])
                    } catch {
                        errors.withLock { $0.append(error) }
                    }
                }
            }
            let waiting = "SELECT pid FROM pg_locks WHERE NOT granted"
            let waitingForWaiting = waiting + " AND pg_blocking_pids(pid) && ARRAY(\(waiting))"
            func wait(for count: Int, of connections: String) throws {
                let sql = "SELECT count(DISTINCT pid) FROM (\(connections)) AS found"
                try waitUntil { try cluster.psql(sql, in: name) == "\(count)" }
            }
            try second.append([.exists("a", 1, snapshot: true)])
            let list = try cluster.hold(
                "INSERT INTO reorderd.list VALUES ('b', 1, '', 0, 0, 0, 0, 0, 0)", in: name)
            let one = start(first, .exists("b", 1, snapshot: true, inserting: ["t3", "t5"]))
            try wait(for: 1, of: waiting)
            try second.append([.exists("a", 2, inserting: ["t5"])])
            let task = try cluster.hold("INSERT INTO reorderd.task VALUES ('t2', 'c')", in: name)
            let other = start(second, .exists("a", 3, inserting: ["t2", "t3"], deleting: ["t5"]))
            try wait(for: 2, of: waiting)
            list.release()
            // `first` waits for `second`.
            try wait(for: 1, of: waitingForWaiting)
            task.release()
            try one.wait()
            try other.wait()
            #expect(errors.withLock { $0 } == [.taskTaken(id: "t3")])
            try first.close()
            try second.close()
            let deadlocks = try cluster.psql(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
                in: name)
            #expect(deadlocks == "0")
        }
    }
}
