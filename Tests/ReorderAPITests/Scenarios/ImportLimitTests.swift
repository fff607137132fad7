import Testing

@testable import ReorderAPI

/// Each limit of an import, from both sides.
@Suite struct ImportLimitTests {
    private func tasks(_ count: Int) -> String {
        (0..<count).map { "- task \($0)\n" }.joined()
    }

    @Test(arguments: Setup.sockets)
    func aBodyOfExactlyTheLimitIsAccepted(setup: Setup) throws {
        try withServer(setup, maximumBodyBytes: 5_000) { server throws in
            let file = "- " + String(repeating: "x", count: 4_000) + "\n"
            let exact = file + String(repeating: "\n", count: 5_000 - file.utf8.count)
            let tooLong = try server.client.post("/imports?list=l", exact + "\n")
            #expect(tooLong.status == 413 && tooLong.code == "body_too_large")
            #expect(try server.client.get("/lists/l").status == 404)
            #expect(try server.client.post("/imports?list=l", exact).status == 200)
        }
    }

    @Test(arguments: Setup.once)
    func namesAndTitlesHaveALimit(setup: Setup) throws {
        try withServer(setup) { server throws in
            for (name, bytes) in [("name", 255), ("title", 4_096)] {
                // Each character has two bytes: the limits count bytes.
                let longest =
                    String(repeating: "%C3%A9", count: bytes / 2) + (bytes % 2 == 1 ? "x" : "")
                let path = "/imports?list=l&dryRun=true&\(name)=\(longest)"
                let made = try server.client.post(path, "- a")
                #expect(made.status == 200, "\(made.text)")
                #expect(made.json["lists"]?.array.first?["title"]?.string?.utf8.count == bytes)
                let answer = try server.client.post(path + "x", "- a")
                #expect(answer.status == 422 && answer.code == "invalid_query", "\(name)")
            }
        }
    }

    @Test(arguments: Setup.once)
    func aFileHasAtMost1000Lists(setup: Setup) throws {
        try withServer(setup) { server throws in
            func file(_ count: Int) -> String {
                (0..<count).map { #"{"id":"l\#($0)","title":""}"# }.joined(separator: "\n")
            }
            let tooMany = try server.client.post("/imports", file(1_001))
            #expect(tooMany.status == 422 && tooMany.code == "invalid_body", "\(tooMany.text)")
            #expect(try server.client.get("/lists").listIDs == [])
            let made = try server.client.post("/imports", file(1_000))
            #expect(made.json["lists"]?.array.count == 1_000)
            #expect(try server.client.get("/lists?limit=1000").listIDs.count == 1_000)
        }
    }

    @Test(arguments: Setup.once)
    func aFileHasAtMost1000000LineEnds(setup: Setup) throws {
        try withServer(setup) { server throws in
            let file = #"{"id":"l","title":""}"# + String(repeating: "\n", count: 1_000_000)
            let tooLong = try server.client.post("/imports?format=json", file + "\n")
            #expect(tooLong.status == 422 && tooLong.code == "invalid_body", "\(tooLong.text)")
            #expect(try server.client.get("/lists/l").status == 404)
            #expect(try server.client.post("/imports?format=json", file).status == 200)
        }
    }

    @Test(arguments: Setup.once)
    func aReportHasAtMost1000Remarks(setup: Setup) throws {
        try withServer(setup) { server throws in
            for (count, more) in [(1_000, 0), (1_001, 1)] {
                let text = String(repeating: "- a\n\nwords\n\n", count: count)
                let made = try server.client.post("/imports?list=l&dryRun=true", text)
                #expect(made.json["remarks"]?.array.count == 1_000, "\(made.text.prefix(500))")
                #expect(made.json["moreRemarks"]?.int == more)
            }
        }
    }

    @Test(arguments: Setup.once)
    func tasksAndSectionsAreLimitedAsInOtherLists(setup: Setup) throws {
        try withServer(setup, tasksPerList: 20) { server throws in
            let full = try server.client.post("/imports?list=l", tasks(21))
            #expect(full.status == 409 && full.code == "list_full" && full.json["list"] == "l")
            #expect(try server.client.post("/imports?list=l", tasks(20)).status == 200)
            func sections(_ count: Int) -> String {
                "# T\n" + (0..<count).map { "## \($0)\n" }.joined()
            }
            let wide = try server.client.post("/imports?list=s", sections(10_001))
            #expect(wide.status == 409 && wide.code == "list_full")
            #expect(try server.client.get("/lists/s").status == 404)
            #expect(try server.client.post("/imports?list=s", sections(10_000)).status == 200)
        }
    }
}
