import MicroHTTP

/// The checks on every server after all requests and faults have ended. Reads and writes must still
/// work. This shows that no reservation, claim, pin or permit is left over.
final class FinalChecks {
    private let world: World
    private var count = 0

    init(_ world: World) { self.world = world }

    func run() {
        for server in world.servers {
            for index in 0..<world.scenario.lists { read(Writer.list(index), on: server) }
        }
        // Each task can be created in a new list, or is in the list that the journal says.
        for index in 0..<world.scenario.tasks { create("t\(index)") }
        for index in 0..<world.scenario.lists { undo(Writer.list(index)) }
        for server in world.servers {
            for index in 0..<world.scenario.lists { read(Writer.list(index), on: server) }
        }
        for server in world.servers { verifyStore(of: server) }
    }

    private func verifyStore(of server: SimulatedServer) {
        guard let process = server.process, !world.scheduler.isOver else { return }
        do {
            for fault in try process.storeFaults() {
                world.checker.fail("the file has no faults", "\(server.name): \(fault)")
            }
        } catch {
            world.checker.fail("the file can be checked", "\(server.name): \(error)")
        }
    }

    /// Sends a request and runs the simulation until it has ended.
    private func ask(_ intention: Intention, _ server: SimulatedServer) -> Response? {
        guard !world.scheduler.isOver else { return nil }
        var result: Response??
        let sending = Sending(world.checker.attempt(intention), to: server, world) {
            result = .some($0)
        }
        world.scheduler.run(until: world.scheduler.now + 60 * Scheduler.second) { result != nil }
        withExtendedLifetime(sending) {}
        guard let response = result ?? nil else {
            if !world.scheduler.isOver {
                world.checker.fail(
                    "an idle server responds",
                    "\(intention.method.rawValue) \(intention.target) on \(server.name)")
                world.scheduler.isOver = true
            }
            return nil
        }
        return response
    }

    private func make(
        _ kind: Intention.Kind, _ method: HTTPMethod, _ target: String, _ body: String = "",
        list: String?
    ) -> Intention {
        count += 1
        return Intention("final.\(count)", kind, method, target, body, list: list)
    }

    private func read(_ list: String, on server: SimulatedServer) {
        let exists = world.checker.journal.lists[list]?.list != nil
        let response = ask(make(.readList, .get, "/lists/\(list)", list: list), server)
        guard let response else { return }
        if response.status != (exists ? 200 : 404) {
            world.checker.fail(
                "an idle server responds", "GET \(list) on \(server.name): \(response.status)")
        }
    }

    private func create(_ task: String) {
        let holder = world.checker.journal.holders[task]
        let list = holder == nil ? "final" : Writer.list(0)
        if holder == nil, world.checker.journal.version("final") == 0 {
            let put = make(.write, .put, "/lists/final", "{\"title\":\"final\"}", list: "final")
            put.headers.append(("If-None-Match", "*"))
            _ = ask(put, world.server())
        }
        guard world.checker.journal.lists[list]?.list != nil else { return }
        let intention = make(
            .write, .post, "/lists/\(list)/tasks", "{\"id\":\"\(task)\",\"title\":\"final\"}",
            list: list)
        guard let response = ask(intention, world.server()) else { return }
        if response.status != (holder == nil ? 201 : 409) {
            world.checker.fail(
                "no id stays reserved",
                "create \(task) in \(list), which is in \(holder ?? "no list"): "
                    + "\(response.status) \(ResponseFacts(response).text)")
        }
    }

    private func undo(_ list: String) {
        let version = world.checker.journal.version(list)
        guard version > 0 else { return }
        let intention = make(
            .write, .post, "/lists/\(list)/undo", "{\"version\":\(version)}", list: list)
        intention.undone = version
        guard let response = ask(intention, world.server()) else { return }
        if response.status == 503 {
            world.checker.fail("no undo stays counted", "\(list) v\(version)")
        }
    }
}
