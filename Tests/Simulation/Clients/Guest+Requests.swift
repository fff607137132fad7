import MicroHTTP

// What clients with tokens try: reads of everything, and writes of every kind.

extension Guest {
    func request(with token: HeldToken) -> (Intention, NeededAccess) {
        var access = NeededAccess(token: token)
        let list = world.list()
        let other = Writer.list(random(world.scenario.lists))
        let path = "/lists/\(list)"
        let task = "t\(random(world.scenario.tasks))"

        func read(_ target: String, _ scope: String? = nil) -> Intention {
            if let scope { access.lists.append((scope, list)) }
            return Intention("\(name).\(count)", .guest, .get, target, action: "read as a guest")
        }
        func write(
            _ method: HTTPMethod, _ target: String, _ body: String, _ needed: [(String, String)]
        ) -> Intention {
            access.any = "write"
            access.lists += needed.map { (scope: $0.0, list: $0.1) }
            return Intention(
                "\(name).\(count)", .write, method, target, body,
                // The response to a copy is about the new list.
                list: target.hasPrefix("/lists/") && !target.hasSuffix("/copy") ? list : nil,
                action: "write as a guest")
        }

        let intention: Intention
        switch random(30) {
        case 0: intention = read(path, "read")
        case 1: intention = read("\(path)/tasks?limit=5", "read")
        case 2: intention = read("\(path)/changes?limit=50", "read")
        case 3: intention = read("\(path)/changes?order=desc", "read")
        case 4: intention = read("/lists?limit=100")
        case 5: intention = read("/tasks?limit=20")
        case 6: intention = read("/tasks?q=w&limit=20")
        case 7:
            let ids = (0..<min(40, world.scenario.tasks)).map { "t\($0)" }
            intention = read("/tasks?ids=\(ids.joined(separator: ","))")
        case 8: intention = read("/tasks/\(task)")
        case 9: intention = read("/changes?since=\(feedPlace)&limit=30")
        case 10:
            intention = read("/bin")
            access.any = "write"
            access.allowsLinks = false
        case 11:
            intention = read("\(path)/shares", "write")
            access.any = "write"
            access.allowsLinks = false
        case 12:
            intention = read(random(2) == 0 ? "/tokens" : "/webhooks")
            access.any = "admin"
        case 13:
            intention = read("/metrics")
            access.any = "metrics"
        case 14:
            access.any = "admin"
            access.made = grants()
            intention = Intention(
                "\(name).\(count)", .guest, .post, "/tokens", body(access.made),
                action: "make a token as a guest")
        case 15..<18:
            intention = write(
                .post, "\(path)/tasks", "{\"id\":\"\(task)\",\"title\":\"by \(name)\"}",
                [("write", list)])
        case 18..<21:
            intention = write(
                .post, "\(path)/move", "{\"task\":\"\(task)\",\"toList\":\"\(other)\"}",
                [("write", list), ("write", other)])
        case 21:
            intention = write(
                .post, "\(path)/copy", "{\"id\":\"\(other)\"}", [("read", list), ("write", other)])
            access.allowsLinks = false
        case 22:
            intention = write(
                .post, "/tasks/\(task)/copy", "{\"id\":\"\(task)c\",\"toList\":\"\(other)\"}",
                [("write", other)])
        case 23:
            let isForGood = random(2) == 0
            intention = write(
                .delete, path + (isForGood ? "?permanent=true" : ""), "",
                [(isForGood ? "purge" : "write", list)])
            access.allowsLinks = false
        case 24:
            intention = write(.post, "\(path)/restore", "", [("write", list)])
            access.allowsLinks = false
        case 25:
            let version = world.checker.journal.version(list)
            intention = write(
                .post, "\(path)/undo", "{\"version\":\(version)}", [("write", list)])
        case 26: intention = write(.patch, "/tasks/\(task)", "{\"title\":\"by \(name)\"}", [])
        case 27:
            intention = write(
                .post, "/tasks/\(task)/collapse?folds=f0", "{\"collapsed\":true}", [])
        case 28: intention = write(.delete, "/tasks/\(task)", "", [])
        default:
            let body = "{\"ops\":[{\"op\":\"create\",\"id\":\"\(task)\",\"title\":\"by \(name)\"}]}"
            intention = write(.post, "\(path)/batch", body, [("write", list)])
        }
        access.dependsOnTask = intention.target.hasPrefix("/tasks/")
        return (intention, access)
    }

    /// The place before all changes.
    private var feedPlace: String { "p0-\(world.checker.journal.epoch)" }
}
