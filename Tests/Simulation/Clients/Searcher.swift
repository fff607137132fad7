import MicroHTTP
import RandomRuns
import ReorderEngine

/// A client that reads pages of tasks, of one list or of all, and single tasks by their ids.
final class Searcher: Part {
    private let world: World
    private var count = 0
    private var sending: Sending?
    /// The pages that the client is reading, and how many it has read.
    private var scan: PageScan?
    private var pageCount = 0

    init(_ name: String, _ world: World) {
        self.world = world
        super.init(name)
        wait()
        world.scheduler.add(self)
    }

    var isIdle: Bool { sending == nil }

    /// The client is back after an absence.
    func comeBack() {
        scan = nil
        wait()
    }

    private func wait() {
        // The lists change between two pages of some scans.
        let limit = world.scheduler.random.chance(50) ? 20 : 300
        let milliseconds = UInt64(world.scheduler.random.below(limit))
        due = world.scheduler.now + milliseconds * Scheduler.millisecond
    }

    override func step() {
        guard !world.isEnding, !world.isAway else { return }
        count += 1
        if scan == nil, world.scheduler.random.chance(25) { return send(readTasks()) { _, _ in } }
        let request = scan?.request ?? begin()
        let intention = Intention(
            "\(name).\(count)", .readPage, .get, request.target, list: request.list,
            action: request.list == nil ? "search" : request.folds == nil ? "page" : "folded page")
        intention.page = request
        send(intention) { [weak self] response, attempt in self?.receive(response, attempt) }
    }

    private func send(
        _ intention: Intention, _ receive: @escaping (Response, Attempt) -> Void
    ) {
        let attempt = world.checker.attempt(intention)
        if scan == nil, let page = intention.page {
            pageCount = 0
            scan = PageScan(
                page, floor: world.checker.floor(of: attempt), restores: attempt.restores)
        }
        sending = Sending(attempt, to: world.server(), world) { [weak self] response in
            self?.sending = nil
            self?.wait()
            if let response { receive(response, attempt) }
        }
    }

    private func begin() -> PageRequest {
        let random = { [world] (count: Int) in world.scheduler.random.below(count) }
        let journal = world.checker.journal
        var request = PageRequest(limit: 1 + random(6))
        if random(3) == 0 { request.isDone = random(2) == 0 }
        if random(4) == 0 { request.title = ["TITLE", "w1", "by"][random(3)] }
        guard random(4) > 0 else { return request }
        let list = world.list()
        request.list = list
        request.isVisibleOnly = random(3) == 0
        if journal.has("f0"), random(2) == 0 {
            (request.folds, request.isVisibleOnly) = ("f0", true)
        }
        let state = journal.lists[list]?.list
        switch random(5) {
        case 0: request.place = .section(random(2) == 0 ? nil : state?.sections.first?.id)
        case 1:
            let parents = state?.tasks.filter { $0.subtasks > 0 }.map(\.id) ?? []
            request.place = .parent(parents.isEmpty ? nil : parents[random(parents.count)])
        default: break
        }
        return request
    }

    private func receive(_ response: Response, _ attempt: Attempt) {
        guard var scan else { return }
        self.scan = nil
        guard attempt.answeredAfter == world.checker.restores,
            scan.restores == world.checker.restores, response.status == 200,
            let page = TaskPageFacts(response.plainBody)
        else { return }
        let journal = world.checker.journal
        scan.add(page, journal.epoch)
        guard page.cursor != nil else {
            world.checker.reach(pageCount > 0 ? "scan of several pages" : "scan of one page")
            if let difference = scan.difference(journal) {
                world.checker.fail("pages have each task once", "\(name): \(difference)")
            }
            return
        }
        pageCount += 1
        if pageCount < 30 { self.scan = scan }
    }

    // MARK: Tasks by their ids

    private func readTasks() -> Intention {
        let holders = world.checker.journal.holders.keys.sorted()
        var ids: [TaskID] = []
        for _ in 0..<1 + world.scheduler.random.below(5) {
            let id =
                holders.isEmpty || world.scheduler.random.chance(10)
                ? "t\(world.scheduler.random.below(world.scenario.tasks))"
                : holders[world.scheduler.random.below(holders.count)]
            if !ids.contains(id) { ids.append(id) }
        }
        let intention = Intention(
            "\(name).\(count)", .readTasks, .get, "/tasks?ids=\(ids.joined(separator: ","))",
            action: "tasks by ids")
        intention.tasks = ids
        return intention
    }
}
