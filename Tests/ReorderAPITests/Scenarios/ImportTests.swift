import ReorderAuth
import ReorderStore
import Testing
import Waiting

@testable import ReorderAPI

/// Files of other programs over HTTP.
@Suite struct ImportTests {
    static let markdown = "# Weekend\n\nwords\n\n## Saturday\n- [ ] Tickets\n  - [x] Map\n"

    /// List documents, one in a line.
    static func documents(_ lists: [String: String]) -> String {
        lists.sorted { $0.key < $1.key }
            .map { #"{"id":"\#($0)","title":"\#($1)","tasks":[{"id":"\#($0)-a","title":"a"}]}"# }
            .joined(separator: "\n")
    }

    /// The members of the lists in a response, without documents.
    private func lists(_ answer: APIResponse, _ member: String) -> [JSONValue] {
        answer.json["lists"]?.array.compactMap { $0[member] } ?? []
    }

    /// A document without what each import makes anew.
    private func content(_ document: JSONValue?) -> [JSONValue?] {
        var tasks: [JSONValue?] = []
        for task in document?["tasks"]?.array ?? [] {
            tasks += ["title", "depth", "done", "createdAt", "row"].map { task[$0] }
        }
        return tasks + [document?["title"], document?["updatedAt"], document?["count"]]
    }

    @Test(arguments: Setup.all)
    func aFileBecomesAListAndAReport(setup: Setup) throws {
        try withServer(setup) { server throws in
            let path = "/imports?name=week.md"
            let made = try server.client.post(path, Self.markdown)
            #expect(made.status == 200, "\(made.text)")
            #expect(made["Cache-Control"] == "no-store")
            #expect(made.json["format"] == "markdown" && made.json["dryRun"] == false)
            let list = try #require(made.json["lists"]?.array.first)
            for (member, value) in [
                ("id", "week"), ("title", "Weekend"), ("outcome", "created"), ("version", 1),
                ("count", 2), ("sectionCount", 1), ("doneCount", 1),
            ] as [(String, JSONValue)] {
                #expect(list[member] == value, "\(member)")
            }
            #expect(list["document"] == (try server.client.get("/lists/week").json))
            #expect(
                made.json["remarks"] == [
                    [
                        "kind": "left_out", "text": "text outside tasks", "firstLine": 3,
                        "lastLine": 3,
                    ]
                ])
            #expect(made.json["moreRemarks"] == 0)
            let again = try server.client.post(path, Self.markdown)
            #expect(lists(again, "outcome") == ["unchanged"] && lists(again, "version") == [1])
            #expect(lists(again, "document") == [try server.client.get("/lists/week").json])
            let short = try server.client.post(path, Self.markdown, ["Prefer": "return=minimal"])
            #expect(short["Preference-Applied"] == "return=minimal")
            #expect(lists(short, "document") == [] && lists(short, "count") == [2])
        }
    }

    @Test(arguments: Setup.all)
    func aDryRunWritesNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            func state() throws -> [String] {
                try ["/lists", "/lists/week", "/lists/week/changes"].map {
                    try server.client.get($0).text
                }
            }
            for (text, outcome, version) in [
                (Self.markdown, "created", 0), (Self.markdown, "unchanged", 1),
                (Self.markdown + "- [x] Bread\n", "replaced", 1),
            ] {
                let before = try state()
                let path = "/imports?name=week.md&replace=true"
                let would = try server.client.post(path + "&dryRun=true", text)
                #expect(would.status == 200 && would.json["dryRun"] == true)
                #expect(lists(would, "outcome") == [.string(outcome)])
                #expect(lists(would, "version") == [.int(version)])
                #expect(try state() == before, "\(outcome)")
                // The import does what the dry run shows.
                let did = try server.client.post(path, text)
                #expect(lists(did, "outcome") == [.string(outcome)])
                #expect(did.json["remarks"] == would.json["remarks"])
                let (planned, written) = (lists(would, "document"), lists(did, "document"))
                #expect(content(planned.first) == content(written.first), "\(outcome)")
            }
        }
    }

    @Test(arguments: Setup.all)
    func aListWithOtherContentIsReplacedOnlyOnRequest(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let path = "/imports?list=l"
            let refused = try server.refused(409, "id_taken", "POST", path, Self.markdown)
            #expect(refused.json["list"] == "l")
            try server.refused(
                409, "id_taken", "POST", path + "&replace=false&dryRun=true", Self.markdown)
            let made = try server.client.post(path + "&replace=true", Self.markdown)
            #expect(lists(made, "outcome") == ["replaced"] && lists(made, "version") == [2])
            #expect(try server.client.get("/lists/l").json["title"] == "Weekend")
            // The rules of a list hold for the new content.
            let limited = #"{"id":"l","title":"L","maxDepth":1,"tasks":[{"id":"p","title":""}]}"#
            _ = try server.client.post("/imports?replace=true", limited)
            let deep = limited.replacing(
                "]}", with: #",{"id":"q","title":"","parent":"p"}]}"#)
            let tooDeep = try server.refused(
                409, "max_depth", "POST", "/imports?replace=true", deep)
            #expect(tooDeep.json["list"] == "l")
        }
    }

    @Test(arguments: Setup.all)
    func nothingIsWrittenIfOneListIsRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "x-a"])])
            let good = Self.documents(["b": "B", "c": "C"])
            for (file, status, code, line, list) in [
                (good + "\n" + Self.documents(["x": "X"]), 409, "id_taken", nil, "x"),
                (good + "\n" + Self.documents(["l": "other"]), 409, "id_taken", nil, "l"),
                (good + "\n" + Self.documents(["b": "B"]), 422, "invalid_body", nil, nil),
                (
                    good + "\n" + #"{"title":"","tasks":[{"id":"b-a","title":""}]}"#, 422,
                    "invalid_body", nil, nil
                ),
                (good + "\n{", 422, "invalid_body", 3, nil),
                (good + "\n" + #"{"titel":""}"#, 422, "invalid_body", 3, nil),
            ] as [(String, Int, String, Int?, String?)] {
                let answer = try server.refused(status, code, "POST", "/imports?format=json", file)
                #expect(answer.json["line"]?.int == line, "\(answer.text)")
                #expect(answer.json["list"]?.string == list, "\(answer.text)")
                #expect(try server.client.get("/lists").listIDs == ["l"])
            }
            let all = try server.client.post("/imports", good)
            #expect(lists(all, "id") == ["b", "c"])
            #expect(try server.client.get("/lists").listIDs == ["b", "c", "l"])
        }
    }

    @Test(arguments: Setup.once)
    func unknownColumnsAreProposed(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft()])
            let table = "Task,Status,Note,Points\nTickets,done,two,3\nMap,,,\n"
            let path = "/imports?name=t.csv"
            let answer = try server.refused(422, "invalid_body", "POST", path, table)
            let columns = answer.json["columns"]?.array.compactMap(\.string) ?? []
            #expect(columns == ["title=Task", "done=Status", "notes=Note"])
            let header = answer.json["header"]?.array.compactMap(\.string)
            #expect(header == ["Task", "Status", "Note", "Points"])
            #expect(answer.json["line"] == 1)
            let query = columns.map { "&column=\($0.replacing("=", with: "%3D"))" }.joined()
            let made = try server.client.post(path + query, table)
            #expect(lists(made, "doneCount") == [1] && lists(made, "count") == [2])
            let tasks = lists(made, "document").first?["tasks"]?.array ?? []
            #expect(tasks.first?["data"]?["notes"] == "two", "\(made.text)")
            #expect(made.json["remarks"]?.array.isEmpty == false)
            // Columns are of a table, whatever the name says.
            let named = try server.client.post("/imports?name=t.md\(query)&dryRun=true", table)
            #expect(named.json["format"] == "csv")
            for query in [
                "column=titel%3DTask", "column=title", "column=title%3DTask&column=title%3DNote",
            ] {
                try server.refused(422, "invalid_query", "POST", "\(path)&\(query)", table)
            }
            try server.refused(
                422, "invalid_body", "POST", path + "&column=title%3DNothing", table)
        }
    }

    @Test(arguments: Setup.once)
    func aFileThatIsNothingNamesTheFormats(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft()])
            let unknown = try server.refused(422, "invalid_body", "POST", "/imports", "words")
            let refused = try server.refused(
                422, "invalid_query", "POST", "/imports?format=word", "- a")
            for answer in [unknown, refused] {
                let detail = answer.json["detail"]?.string ?? ""
                #expect(detail.contains("json, markdown, todoist, csv"), "\(detail)")
            }
            for path in ["/imports?name=a.md", "/imports?format=json", "/imports?format=markdown"] {
                let answer = try server.refused(422, "invalid_body", "POST", path, "")
                #expect(answer.json["detail"]?.string?.contains("no tasks") == true)
            }
        }
    }

    /// Ids that a document does not have are made each time.
    @Test(arguments: Setup.all)
    func aDocumentWithoutIDsIsUnchangedWhenRepeated(setup: Setup) throws {
        try withServer(setup) { server throws in
            let tasks =
                #"{"title":"a"},{"id":"s-b","title":"b","done":true,"data":{"k":1}},"#
                + #"{"title":"c","section":"s-s"},{"title":"d","parent":"s-b"},{"title":"e"}"#
            let document =
                #"{"id":"s","title":"S","sections":[{"title":"R","data":{"k":2},"maxTasks":9},"#
                + #"{"id":"s-s","title":"T"}],"tasks":[\#(tasks)]}"#
            for (text, outcome) in [
                (document, "created"), (document, "unchanged"),
                (document.replacing("\"e\"", with: "\"f\""), "replaced"),
                (document.replacing("s-b", with: "s-x"), "replaced"),
                (document.replacing("\"maxTasks\":9", with: "\"maxTasks\":8"), "replaced"),
            ] {
                let answer = try server.client.post("/imports?replace=true&dryRun=true", text)
                #expect(lists(answer, "outcome") == [.string(outcome)], "\(answer.text)")
                if outcome == "created" { _ = try server.client.post("/imports", text) }
            }
            // Times and authors are those of the first import.
            let version = try server.client.get("/lists/s").json["version"]
            #expect(version == 1)
        }
    }

    /// The id follows from the file.
    @Test(arguments: Setup.once)
    func aListGetsItsIDFromTheFileOrItsName(setup: Setup) throws {
        try withServer(setup) { server throws in
            for (query, id, title) in [
                ("?name=Plan.md", "Plan", "Plan"), ("?name=My%20plan.md", nil, "My plan"),
                ("?name=a.md&list=b&title=T", "b", "T"),
            ] {
                let made = try server.client.post("/imports\(query)", "- a\n")
                if let id { #expect(lists(made, "id") == [.string(id)]) }
                #expect(lists(made, "title") == [.string(title)])
                let again = try server.client.post("/imports\(query)", "- a\n")
                #expect(lists(again, "outcome") == ["unchanged"])
            }
            // The id of a file without a name follows from its content: it is not imported twice.
            let first = try server.client.post("/imports", "- a\n")
            let second = try server.client.post("/imports", "- a\n")
            #expect(lists(second, "outcome") == ["unchanged"])
            #expect(lists(first, "id") == lists(second, "id"))
            for (query, file) in [("", "- b\n"), ("?title=T", "- a\n")] {
                let other = try server.client.post("/imports\(query)", file)
                #expect(lists(other, "outcome") == ["created"], "\(query)")
            }
            try server.make(["l": draft()])
            for query in ["list=a%20b", "list=", "name=", "title=", "replace=yes", "dryRun="] {
                try server.refused(422, "invalid_query", "POST", "/imports?\(query)", "- a\n")
            }
        }
    }

    @Test(arguments: Setup.once)
    func eachListNeedsTheRightToWriteIt(setup: Setup) throws {
        try withServer(setup, access: TestTokens.control()) { server throws in
            let admin = server.client(with: "admin")
            #expect(try admin.put("/lists/other", draft(["o"])).status == 201)
            func refused(_ token: String, _ file: String) throws -> APIResponse {
                let client = server.client(with: token)
                let answer = try client.post("/imports?replace=true", file)
                #expect(answer.status == 403 && answer.code == "forbidden", "\(answer.text)")
                #expect(try admin.get("/lists").listIDs == ["other"])
                #expect(try admin.get("/lists/other").json["version"] == 1)
                return answer
            }
            let two = Self.documents(["mine-1": "1", "other": "2"])
            let unreadable = try refused("write:mine*,l", two)
            #expect(unreadable["WWW-Authenticate"]?.contains("scope=") == false)
            // Whether the list exists makes no difference.
            let nowhere = try refused("write:mine*,l", two.replacing("other", with: "nowhere"))
            #expect(nowhere.text == unreadable.text.replacing("other", with: "nowhere"))
            let readOnly = try refused(TestTokens.writer, two)
            #expect(readOnly["WWW-Authenticate"]?.contains("reorderd:write") == true)
            // Its id follows from the content.
            _ = try refused("write:mine*,l", "- a\n")
            let own = server.client(with: "write:mine*,l")
            // Authors in the file are those of no client.
            let file = Self.documents(["mine-1": "1", "l": "2"])
                .replacing(#""title":"a""#, with: #""title":"a","createdBy":"admin""#)
            let made = try own.post("/imports", file)
            #expect(made.status == 200, "\(made.text)")
            let tasks = try admin.get("/lists/l").json["tasks"]?.array
            #expect(tasks?.first?["createdBy"] == "write:mine*,l")
        }
    }

    /// Another client, or the store, can stop the writes in the middle.
    @Test func aRepeatedRequestImportsWhatIsMissing() throws {
        try withServer(.inProcess) { server throws in
            let file = Self.documents(["b": "B", "c": "C"])
            let pause = server.memory.pauseAppend()
            let client = try server.anotherClient()
            let first = Pending { try client.post("/imports", file) }
            try pause.wait()
            server.memory.fail(.unavailable(reason: "full"))
            pause.resume()
            let failed = try first.get()
            #expect(failed.status == 503 && failed.code == "outcome_unknown", "\(failed.text)")
            #expect(failed["Retry-After"] == "1")
            server.memory.fail(nil)
            let again = try server.client.post("/imports", file)
            #expect(again.status == 200, "\(again.text)")
            #expect(try server.client.get("/lists").listIDs == ["b", "c"])
        }
    }

    /// A list that another client creates during the import is not replaced.
    @Test func aListThatAppearsMeanwhileIsKept() throws {
        let store = FailingStore()
        let server = try OneLoopServer(store)
        func put(_ list: String) -> APIRequest {
            APIRequest(method: "PUT", target: "/lists/\(list)", body: Array(draft().utf8))
        }
        let file = Array(Self.documents(["b": "B"]).utf8)
        let requests = [
            put("blocker"), put("b"), APIRequest(method: "POST", target: "/imports", body: file),
        ]
        #expect(try server.client.get("/lists/b").status == 404)
        let pause = store.pauseAppend()
        var connections: [SocketClient.Connection] = []
        for (index, request) in requests.enumerated() {
            let connection = try server.connect()
            connection.write(request)
            connections.append(connection)
            // The writer is in the append of the first one.
            if index == 0 { try pause.wait() }
            try waitUntil { server.service.load.pending["waiting writes"] == index }
        }
        pause.resume()
        let answers = try connections.map { try $0.readAnswer() }
        #expect(answers.map(\.status) == [201, 201, 503])
        #expect(answers[2].code == "outcome_unknown", "\(answers[2].text)")
        #expect(try server.client.get("/lists/b").json["title"] == "List")
        try server.stop()
    }
}
