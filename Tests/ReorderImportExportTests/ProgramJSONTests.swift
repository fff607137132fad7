import ReorderImportExport
import Testing

/// JSON of other programs.
@Suite struct ProgramJSONTests {
    private func read(_ format: ListFileFormat, _ text: String) throws -> [String] {
        try format.readAll(Array(text.utf8)).map { imported in
            let outline = TextOutline(imported.list, [.title, .done, .data]).description
            return ([imported.idText(fileName: "f") ?? "-", outline] + imported.report).joined(
                separator: "\n")
        }
    }

    @Test func aTrelloBoardIsAList() throws {
        let board = """
            {"id":"5dbc2f0c7e6f1d0c8c0a0001","name":"Board","labelNames":{},"prefs":{"x":1},
            "lists":[{"id":"l2","name":"Later","pos":9,"closed":false},
            {"id":"l1","name":"Now","pos":1.5,"closed":false},
            {"id":"l3","name":"Old","pos":0,"closed":true}],
            "cards":[{"id":"5dbc2f0c7e6f1d0c8c0a0011","name":"b","idList":"l1","pos":2,"desc":"","due":null,"labels":[],"closed":false},
            {"id":"5dbc2f0c7e6f1d0c8c0a0012","name":"a","idList":"l1","pos":1,"desc":"d","due":"2026-11-30T10:00:00.000Z","dueComplete":true,"labels":[{"name":"red","color":"x"},{"name":"","color":"blue"}],"shortUrl":"https://trello.com/c/1","closed":false,"badges":{"votes":1}},
            {"id":"c3","name":"archived","idList":"l1","pos":3,"closed":true},
            {"id":"c4","name":"c","idList":"l3","pos":3,"closed":false}],
            "checklists":[{"idCard":"5dbc2f0c7e6f1d0c8c0a0011","name":"Steps","pos":2,"checkItems":[{"id":"i2","name":"y","state":"complete","pos":2},{"id":"i1","name":"x","state":"incomplete","pos":1}]},
            {"idCard":"c3","name":"Gone","pos":1,"checkItems":[{"id":"i3","name":"z","state":"incomplete","pos":1}]}]}
            """
        #expect(
            try read(.trello, board) == [
                #"""
                trello-5dbc2f0c7e6f1d0c8c0a0001
                = Board
                # Now
                - a [done] {"notes":"d","due":"2026-11-30T10:00:00Z","url":"https://trello.com/c/1","labels":["red","blue"]}
                - b
                  - x
                  - y [done]
                # Later
                1: left out: prefs of the list (to line 10)
                4: left out: the archived section "Old"
                6: left out: badges of tasks
                7: left out: an archived task
                8: left out: a task of an archived section
                9: left out: the title "Steps" of a checklist
                10: left out: subtasks of tasks that are left out
                """#
            ])
    }

    @Test func googlesListsAreLists() throws {
        let text = """
            {"kind":"tasks#taskLists","items":[{"kind":"tasks#taskList","id":"MTUzNjc4OTQ2MjM5MDY","title":"Home",
            "items":[{"id":"b","title":"sub","parent":"a","position":"00000000000000000001","status":"completed"},
            {"id":"c","title":"first","position":"00000000000000000000","status":"needsAction","due":"2026-11-30T00:00:00.000Z","notes":"n"},
            {"id":"a","title":"second","position":"00000000000000000002","status":"needsAction","links":[{"type":"email","link":"https://x"}]},
            {"id":"d","title":"gone","deleted":true}]},{"id":"e","title":"Empty"}]}
            """
        #expect(
            try read(.googleTasks, text) == [
                #"""
                google-tasks-MTUzNjc4OTQ2MjM5MDY
                = Home
                - first {"notes":"n","due":"2026-11-30"}
                - second {"url":"https://x"}
                  - sub [done]
                1: left out: kind around lists (to line 5)
                1: left out: kind of the list (to line 5)
                4: left out: links.type of tasks
                5: left out: an archived task
                """#, "google-tasks-Empty\n= Empty",
            ])
    }

    @Test func microsoftsListsAreLists() throws {
        let text = """
            {"value":[{"id":"AAMkADIyAAAhrbPWAAA=","displayName":"Tasks","tasks":[
            {"id":"t","title":"a","status":"completed","importance":"high","body":{"content":"n","contentType":"text"},"dueDateTime":{"dateTime":"2026-11-30T00:00:00.0000000","timeZone":"UTC"},"categories":["c"],
            "checklistItems":[{"displayName":"s","isChecked":true},{"displayName":"u","isChecked":false}]}]}]}
            """
        #expect(
            try read(.microsoftToDo, text) == [
                #"""
                microsoft-to-do-AAMkADIyAAAhrbPWAAA=
                = Tasks
                - a [done] {"notes":"n","due":"2026-11-30","priority":1,"labels":["c"]}
                  - s [done]
                  - u
                2: left out: body.contentType, dueDateTime.timeZone of tasks (to line 3)
                """#
            ])
    }

    /// Graph has the midnight of the person's time zone, in UTC.
    @Test(
        arguments: [
            ("2026-11-30T00:00:00.0000000", "2026-11-30"), ("2026-11-29T23:00:00", "2026-11-30"),
            ("2026-11-29T11:00:00.0000000", "2026-11-30"), ("2026-11-30T10:00:00", "2026-11-30"),
            ("2026-12-31T18:30:00.0000000Z", "2027-01-01"),
        ])
    func aDueDateOfGraphKeepsItsDay(time: String, day: String) throws {
        let task = #"{"title":"a","status":"notStarted","dueDateTime":{"dateTime":"\#(time)"}}"#
        let list = try ListFileFormat.microsoftToDo.read(#"{"value":[\#(task)]}"#)
        #expect(list.list.tasks.map(\.content.data) == [#"{"due":"\#(day)"}"#])
    }

    /// Takeout has a time, and in later files several.
    @Test func aDueDateOfTakeoutKeepsItsTime() throws {
        let text = """
            {"kind":"tasks#taskLists","items":[{"title":"L","recurrences":[{"id":"r"}],"items":[
            {"title":"a","due":"2026-11-30T17:30:00Z"},{"title":"b","due":"2026-11-30T00:00:00.000Z"},
            {"title":"c","scheduled_time":[{"current":true,"start":"2026-11-30T04:00:00Z"}]},
            {"title":"d","due":"2026-11-30T04:00:00Z","scheduled_time":[{"start":"2026-11-30T04:00:00Z"},{"start":"2026-12-01T04:00:00Z"}]}]}]}
            """
        #expect(
            try read(.googleTasks, text) == [
                #"""
                google-tasks-L
                = L
                - a {"due":"2026-11-30T17:30:00Z"}
                - b {"due":"2026-11-30"}
                - c {"due":"2026-11-30T04:00:00Z"}
                - d {"notes":"scheduled_time.start: 2026-12-01T04:00:00Z","due":"2026-11-30T04:00:00Z"}
                1: left out: kind around lists (to line 4)
                1: left out: recurrences of the list (to line 4)
                3: left out: scheduled_time.current of tasks
                """#
            ])
    }

    @Test(
        arguments: [
            (
                .trello,
                #"{"name":"L","lists":["wrong",{"id":"a","name":"A"}],"cards":["wrong",[1],{"id":"c","name":"b","idList":"a"},null],"checklists":[7,{"idCard":"c","name":"","checkItems":["wrong"]}]}"#,
                "# A\n- b", 5
            ),
            (
                .deck,
                #"{"title":"L","stacks":{"1":{"title":"A","cards":["wrong",{"title":"b"}]},"2":"wrong"}}"#,
                "# A\n- b", 2
            ),
            (
                .microsoftToDo,
                #"[{"displayName":"L","tasks":[{"title":"b","checklistItems":["wrong"]},true]}]"#,
                "- b", 2
            ),
            (
                .vikunja, #"[{"title":"L","tasks":[{"title":"b"},"wrong"],"positions":["wrong"]}]"#,
                "- b", 2
            ),
        ] as [(ListFileFormat, String, String, Int)])
    func aValueThatIsNoTaskIsReported(
        format: ListFileFormat, text: String, list: String, count: Int
    ) throws {
        let imported = try format.read(text)
        #expect(TextOutline(imported.list, []).description == list)
        let more = count > 1 ? ", and \(count - 1) more" : ""
        #expect(
            imported.report.contains("1: left out: a value that is not an object\(more)"),
            "\(imported.report)")
    }

    @Test func whatAMemberHasInsideIsReported() throws {
        let text =
            #"[{"title":"L","hex_color":"","tasks":[{"title":"a","labels":["l",{"title":"m","id":3}],"#
            + #""comments":[{"comment":"n","author":"Bo"},"lost"],"due_date":{"x":1},"#
            + #""related_tasks":{"parenttask":[],"precedes":[{"id":4}]}}]}]"#
        let imported = try ListFileFormat.vikunja.read(text)
        #expect(
            TextOutline(imported.list, [.data]).description
                == #"- a {"notes":"n","labels":["l","m"]}"#)
        #expect(
            imported.report == [
                "1: left out: comments, comments.author, due_date, labels.id, related_tasks.precedes of tasks"
            ])
    }

    @Test func aBoardWithoutATitleIsAList() throws {
        #expect(
            try read(.deck, #"{"stacks":[{"title":"A","cards":[{"title":"b"}]}]}"#) == [
                "deck-f\n= untitled\n# A\n- b"
            ])
    }

    @Test(
        arguments: [
            (.microsoftToDo, "{\"value\":[TASK]}", "microsoft-to-do-f\n= untitled\n- a"),
            (.googleTasks, "{\"items\":[TASK]}", "google-tasks-f\n= untitled\n- a"),
            (
                .vikunja,
                "[{\"hex_color\":\"\",\"projects\":[{\"title\":\"P\",\"tasks\":[TASK]}]}]",
                "vikunja-P\n= P\n- a\n1: left out: status of tasks"
            ),
        ] as [(ListFileFormat, String, String)])
    func otherFormsOfPrograms(format: ListFileFormat, text: String, list: String) throws {
        let task = "{\"title\":\"a\",\"status\":\"deferred\"}"
        #expect(try read(format, text.replacing("TASK", with: task)) == [list])
    }

    @Test func vikunjasProjectsAreLists() throws {
        let text = """
            [{"id":1,"title":"P","hex_color":"","is_archived":true,"buckets":[{"id":2,"title":"B","position":1}],
            "positions":[{"task_id":4,"position":1},{"task_id":3,"position":2},{"task_id":3,"position":0}],
            "task_buckets":[{"task_id":3,"bucket_id":2}],
            "tasks":[{"id":3,"title":"b","done":true,"due_date":"0001-01-01T00:00:00Z","priority":5,"labels":[{"title":"l"}]},
            {"id":4,"title":"a","description":"d","bucket_id":2,"due_date":"2026-11-30T10:00:00+01:00","priority":1},
            {"id":5,"title":"s","related_tasks":{"parenttask":[{"id":4,"title":"a"}]}}]},{"id":2,"title":"Q","tasks":null}]
            """
        #expect(
            try read(.vikunja, text) == [
                #"""
                vikunja-P
                = P
                # B
                - a {"notes":"d","due":"2026-11-30T10:00:00+01:00","priority":3}
                  - s
                - b [done] {"priority":1,"labels":["l"]}
                1: changed: an archived list, to one that is not (to line 6)
                6: left out: related_tasks.parenttask.title of tasks
                """#, "vikunja-Q\n= Q",
            ])
    }

    @Test(arguments: [#"{"boards":{"7":BOARD}}"#, #"{"7":BOARD}"#, "BOARD"])
    func decksBoardsAreLists(form: String) throws {
        let board = """
            {"id":7,"title":"B","stacks":{"1":{"id":1,"title":"Two","order":2,"deletedAt":0,"cards":[]},
            "2":{"id":2,"title":"One","order":1,"deletedAt":0,"cards":[
            {"id":3,"title":"b","order":2,"archived":false,"duedate":"2026-11-30T10:00:00+00:00","done":"2026-11-29T10:00:00+00:00","labels":[{"title":"l"}],"comments":[{"id":1,"message":"m"}]},
            {"id":4,"title":"a","order":1,"archived":false,"duedate":null,"description":"d","comments":[]},
            {"id":5,"title":"c","order":0,"archived":true}]}}}
            """
        #expect(
            try read(.deck, form.replacing("BOARD", with: board)) == [
                #"""
                deck-B
                = B
                # One
                - a {"notes":"d"}
                - b [done] {"notes":"m","due":"2026-11-30T10:00:00Z","labels":["l"]}
                # Two
                3: left out: comments.id, the time of completion of tasks
                5: left out: an archived task
                """#
            ])
    }

    @Test func aSubtaskGetsTheSectionOfItsTask() throws {
        let text = """
            [{"title":"L","buckets":[{"id":1,"title":"A"},{"id":2,"title":"B"}],"tasks":[
            {"id":1,"title":"a","bucket_id":1},
            {"id":2,"title":"b","bucket_id":2,"related_tasks":{"parenttask":[{"id":1}]}}]}]
            """
        #expect(
            try read(.vikunja, text) == [
                """
                vikunja-L
                = L
                # A
                - a
                  - b
                # B
                3: changed: the section of a subtask, to that of its task
                """
            ])
    }

    @Test func equalOrMissingIDsDoubleNothing() throws {
        let boards = #"""
            {"boards":[{"title":"B","stacks":[{"title":"s1","cards":[{"title":"a"}]},
            {"title":"s2","cards":[{"title":"b"}]}]},{"title":"B","stacks":[{"title":"c"}]}]}
            """#
        #expect(
            try read(.deck, boards) == [
                "deck-B\n= B\n# s1\n- a\n# s2\n- b", "deck-B-2\n= B\n# c",
            ])
    }

    @Test func invalidJSONIsAnError() {
        #expect(
            ListFileFormat.trello.refusal(of: "{\n\"a\":1.}")
                == ImportError(
                    line: 2, pointer: "/a", reason: "The number is malformed, at byte 8."))
    }
}
