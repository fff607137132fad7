import ReorderJSON
import ReorderService
import Testing

/// Sorting, reversing, and the removal of done tasks.
@Suite struct OrderInBulkTests {
    private func titled(_ titles: [(id: String, title: String)], _ members: String = "") -> String {
        let tasks = titles.map { #"{"id":"\#($0.id)","title":"\#($0.title)"}"# }
        return #"{"title":"",\#(members)"tasks":[\#(tasks.joined(separator: ","))]}"#
    }

    @Test(arguments: Setup.all) func titlesAreSortedByTheRulesOfALanguage(setup: Setup) throws {
        try withServer(setup) { server throws in
            let titles = [
                ("z", "zebra"), ("o2", "Öl"), ("o1", "ofen"), ("t10", "Task 10"), ("a", "Äpfel"),
                ("t2", "task 2"), ("b", "Bad"),
            ].map { (id: $0.0, title: $0.1) }
            try server.make(["l": titled(titles)])
            for (locale, expected) in [
                ("de", ["a", "b", "o1", "o2", "t2", "t10", "z"]),
                ("sv-SE", ["b", "o1", "t2", "t10", "z", "a", "o2"]),
                ("DE", ["a", "b", "o1", "o2", "t2", "t10", "z"]),
                ("SV-se", ["b", "o1", "t2", "t10", "z", "a", "o2"]),
                ("DE-at", ["a", "b", "o1", "o2", "t2", "t10", "z"]),
            ] {
                let sorted = try server.client.post(
                    "/lists/l/sort", #"{"by":"title","locale":"\#(locale)"}"#)
                #expect(sorted.status == 200 && sorted.json["changed"] == true, "\(sorted.text)")
                #expect(try server.order() == expected)
                let again = try server.client.post(
                    "/lists/l/sort", #"{"by":"title","locale":"\#(locale)"}"#)
                #expect(again.json["changed"] == false)
                #expect(again.json["version"] == sorted.json["version"])
            }
            let descending = #"{"by":"title","locale":"de","descending":true}"#
            _ = try server.client.post("/lists/l/sort", descending)
            #expect(try server.order() == ["z", "t10", "t2", "o2", "o1", "b", "a"])
            try server.reopen()
            #expect(try server.order() == ["z", "t10", "t2", "o2", "o1", "b", "a"])
        }
    }

    @Test(arguments: Setup.all) func aSortIsOneChangeThatCanBeUndone(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": titled(["d", "a", "b", "c"].map { ($0, $0) })])
            let sorted = try server.client.post("/lists/l/sort", #"{"by":"title"}"#)
            #expect(sorted.json["version"] == 2)
            let changes = try server.client.get("/lists/l/changes").json["changes"]
            // Only one task is not in order.
            #expect(changes?.array.last?["ops"]?.array.count == 1)
            #expect(changes?.array.last?["ops"]?[0]?["task"] == "d")
            let undone = try server.client.post("/lists/l/undo", #"{"version":2}"#)
            #expect(undone.status == 200)
            #expect(try server.order() == ["d", "a", "b", "c"])
            let stale = try server.client.post(
                "/lists/l/sort", #"{"by":"title"}"#, ["If-Match": "\"1-0123456789ab\""])
            #expect(stale.status == 412)
            let key = ["Idempotency-Key": "\"once\""]
            let first = try server.client.post("/lists/l/reverse", "{}", key)
            #expect(try server.client.post("/lists/l/reverse", "{}", key).text == first.text)
            #expect(try server.order() == ["c", "b", "a", "d"])
        }
    }

    @Test(arguments: Setup.once) func noBodyMeansTheWholeList(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b<a", "c<a", "d", "e"])])
            let reversed = try server.client.post("/lists/l/reverse")
            #expect(reversed.status == 200 && reversed.json["count"] == 2, "\(reversed.text)")
            #expect(try server.order() == ["e", "d", "a", "b", "c"])
            for task in ["b", "c", "e"] {
                _ = try server.client.send("PATCH", "/tasks/\(task)", #"{"done":true}"#)
            }
            let removed = try server.client.post("/lists/l/remove-done")
            #expect(removed.status == 200 && removed.json["count"] == 3, "\(removed.text)")
            #expect(try server.order() == ["d", "a"])
            #expect(try server.client.post("/lists/l/remove-done").json["count"] == 0)
            // What a sort orders by has no default.
            #expect(try server.client.post("/lists/l/sort").status == 400)
        }
    }

    @Test(arguments: Setup.once) func aDryRunSaysHowManyAndChangesNothing(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["c", "a", "b"])])
            _ = try server.client.send("PATCH", "/tasks/c", #"{"done":true}"#)
            for (path, body, count) in [
                ("sort", #"{"by":"title"}"#, 1), ("reverse", "", 2), ("remove-done", "", 1),
            ] {
                let dry = try server.client.post("/lists/l/\(path)?dryRun=true", body)
                #expect(dry.status == 200 && dry["ETag"] == nil, "\(dry.text)")
                #expect(dry.json["dryRun"] == true && dry.json["count"]?.int == count)
                #expect(dry.json["version"] == 2)
                #expect(try server.order() == ["c", "a", "b"])
            }
            let sorted = try server.client.post("/lists/l/sort", #"{"by":"title"}"#)
            #expect(sorted.json["count"] == 1 && sorted.json["dryRun"] == nil)
        }
    }

    @Test(arguments: Setup.once) func placesAndPropertiesCount(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["b", "b2<b", "b1<b", "a", "d@s", "c@s", "c2<c", "c1<c"])])
            for (path, body, expected) in [
                ("sort", #"{"by":"title","section":"s"}"#, "b b2 b1 a c c2 c1 d"),
                ("sort", #"{"by":"title","parent":"b"}"#, "b b1 b2 a c c2 c1 d"),
                ("reverse", #"{"section":null}"#, "a b b1 b2 c c2 c1 d"),
                ("sort", #"{"by":"title","recursive":true}"#, "a b b1 b2 c c1 c2 d"),
                ("reverse", #"{"recursive":true}"#, "b b2 b1 a d c c2 c1"),
                ("reverse", #"{"section":"s","recursive":true}"#, "b b2 b1 a c c1 c2 d"),
            ] {
                #expect(try server.client.post("/lists/l/\(path)", body).status == 200)
                #expect(try server.order().joined(separator: " ") == expected, "\(body)")
            }
            _ = try server.client.send("PATCH", "/tasks/b", #"{"done":true}"#)
            _ = try server.client.post("/lists/l/sort", #"{"by":"done"}"#)
            #expect(try server.order().joined(separator: " ") == "a b b2 b1 c c1 c2 d")
            _ = try server.client.post("/lists/l/sort", #"{"by":"completedAt","descending":true}"#)
            #expect(try server.order().joined(separator: " ") == "b b2 b1 a c c1 c2 d")
            _ = try server.client.send("PATCH", "/tasks/a", #"{"data":{"x":{"n":0}}}"#)
            _ = try server.client.post("/lists/l/sort", #"{"by":"data.x.n"}"#)
            #expect(try server.order().joined(separator: " ") == "a b b2 b1 c c1 c2 d")
        }
    }

    /// The costs of a comparison grow with its texts.
    @Test(arguments: Setup.once) func theBeginningOfATextCounts(setup: Setup) throws {
        try withServer(setup) { server throws in
            let most = DataOrder.comparedBytes
            // A character that begins in these bytes.
            let cut = String(repeating: "a", count: most - 1) + "é"
            let whole = String(repeating: "a", count: most)
            for (texts, expected) in [
                ([whole + "b", whole + "a", "b", "a"], ["3", "0", "1", "2"]),
                ([cut + "b", cut + "a", cut.dropLast() + "b"], ["2", "0", "1"]),
                ([whole.dropLast() + "b", whole], ["1", "0"]),
            ] as [([String], [String])] {
                let tasks = texts.enumerated().map { index, text in
                    #"{"id":"\#(index)","title":"\#(text)","data":{"a":"\#(text)"}}"#
                }
                let list = #"{"title":"","tasks":[\#(tasks.joined(separator: ","))]}"#
                for property in ["title", "data.a"] {
                    try server.make(["l": list])
                    let sorted = try server.client.post(
                        "/lists/l/sort", #"{"by":"\#(property)"}"#)
                    #expect(sorted.status == 200, "\(sorted.text)")
                    #expect(try server.order() == expected, "\(property)")
                    _ = try server.client.delete("/lists/l")
                }
            }
        }
    }

    @Test(arguments: Setup.once) func doneTasksAreRemoved(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "a1<a", "b", "c@s"])])
            for task in ["a", "a1", "c"] {
                _ = try server.client.send("PATCH", "/tasks/\(task)", #"{"done":true}"#)
            }
            let section = try server.client.post("/lists/l/remove-done", #"{"section":null}"#)
            #expect(section.json["changed"] == true)
            #expect(try server.order() == ["b", "c"])
            let all = try server.client.post("/lists/l/remove-done", "{}")
            #expect(try server.order() == ["b"])
            #expect(try server.client.post("/lists/l/remove-done", "{}").json["changed"] == false)
            let version = all.json["version"]?.int ?? 0
            _ = try server.client.post("/lists/l/undo", #"{"version":\#(version)}"#)
            #expect(try server.order() == ["b", "c"])
            // Their ids are free again.
            _ = try server.client.post("/lists/l/remove-done", "{}")
            #expect(try server.client.put("/lists/m", draft(["c"])).status == 201)
        }
    }

    @Test(arguments: Setup.once) func wrongRequestsAreRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            for (path, body) in [
                ("sort", "{}"), ("sort", #"{"by":"color"}"#), ("sort", #"{"by":"data"}"#),
                ("sort", #"{"by":"data."}"#), ("sort", #"{"by":"updatedAt"}"#),
                ("sort", #"{"by":"title","locale":"xx-nonsense"}"#),
                ("sort", #"{"by":"title","locale":""}"#),
                ("sort", #"{"by":"title","locale":"de\#(String(repeating: "-a", count: 17))"}"#),
                ("sort", #"{"by":"title","descending":"yes"}"#),
                ("sort", #"{"by":"data.\#(String(repeating: "a", count: 508))"}"#),
                ("sort", #"{"by":"title","section":null,"parent":"a"}"#),
                ("reverse", #"{"by":"title"}"#), ("reverse", #"{"parent":null}"#),
                ("remove-done", #"{"recursive":true}"#),
            ] {
                let answer = try server.client.post("/lists/l/\(path)", body)
                #expect(answer.code == "invalid_body", "\(path) \(body): \(answer.text)")
            }
            for (path, members) in [
                ("sort", #""by":"title","#), ("reverse", ""), ("remove-done", ""),
            ] {
                for (place, code) in [
                    (#""section":"none""#, "section_not_found"),
                    (#""parent":"none""#, "task_not_found"),
                ] {
                    let answer = try server.client.post("/lists/l/\(path)", "{\(members)\(place)}")
                    #expect(answer.status == 404 && answer.code == code, "\(path) \(place)")
                }
                let none = try server.client.post("/lists/none/\(path)", "{\(members.dropLast())}")
                #expect(none.code == "list_not_found")
            }
            #expect(try server.client.get("/lists/l").json["version"] == 1)
            let longest = "de" + String(repeating: "-a", count: 16)
            let sorted = try server.client.post(
                "/lists/l/sort", #"{"by":"title","locale":"\#(longest)"}"#)
            #expect(sorted.status == 200, "\(sorted.text)")
        }
    }

    /// A region has a script, and the script has an order: by strokes for traditional characters.
    @Test(arguments: Setup.once) func theScriptOfARegionCounts(setup: Setup) throws {
        try withServer(setup) { server throws in
            let titles = [("e", "二"), ("d", "丁"), ("z", "中"), ("y", "一")]
            let tasks = titles.map { (id: $0.0, title: $0.1) }
            for (locale, expected) in [
                ("zh", ["d", "e", "y", "z"]), ("zh-TW", ["y", "d", "e", "z"]),
                ("zh-CN", ["d", "e", "y", "z"]), ("zh-HK", ["y", "d", "e", "z"]),
            ] {
                _ = try server.client.delete("/lists/l")
                try server.make(["l": titled(tasks)])
                let body = #"{"by":"title","locale":"\#(locale)"}"#
                #expect(try server.client.post("/lists/l/sort", body).status == 200)
                #expect(try server.order() == expected, "\(locale)")
            }
        }
    }

    @Test func atMostTenThousandTasksAreSorted() throws {
        let most = TaskSorting.maximumTasks
        for count in [most, most + 1] {
            try withServer(.inProcess) { server throws in
                try server.make(["l": numbered("t", count)])
                let answer = try server.client.post("/lists/l/reverse", "{}")
                #expect(answer.status == (count == most ? 200 : 409), "\(answer.text.prefix(200))")
                if count > most { #expect(answer.code == "order_limit") }
                let last = "t\(count - 1)"
                #expect(try server.order().first == (count == most ? last : "t0"))
            }
        }
    }
}
