import ReorderImportExport
import Testing

@Suite struct TableTests {
    private static let tickTick = #"""
        "Date: 2026-06-15+0000"
        "Version: 7.2"
        "Status: 
        0 Normal
        1 Completed
        2 Archived"
        "Folder Name","List Name","Title","Kind","Tags","Content","Is Check list","Start Date","Due Date","Reminder","Repeat","Priority","Status","Created Time","Completed Time","Order","Timezone","Is All Day","Is Floating","Column Name","Column Order","View Mode","taskId","parentId"
        "F","Work","second","TEXT","red, blue","line 1
        line 2","N","","2018-12-11T23:00:00+0000","","","5","0","2022-10-09T15:09:48+0000","","7","Europe/Berlin","true","false",,,"list","1",""
        "F","Work","first","TEXT","","","N","","2018-12-11T23:00:00+0000","","","1","2","","","-1099511627776","Europe/Berlin","false","false",,,"list","2",""
        "","Home","child","TEXT","","","N","","","","FREQ=DAILY","0","-1","","","5","","","false",,,"kanban","3","4"
        "","Home","Pack","CHECKLIST","","for Rome
        ▫socks
        ▪ soap","Y","","","","","3","0","","","9","","","false","Soon",,"kanban","4",""
        "","Home","lost","TEXT","","","N","","today","","","8","7","","","x","","","false",,,"kanban","5","99"

        """#

    @Test func aTickTickFileNeedsNoOption() throws {
        let lists = try ListFileFormat.csv.readAll(Array(Self.tickTick.utf8))
        #expect(lists.map { $0.idText(fileName: nil) } == ["ticktick-Work", "ticktick-Home"])
        #expect(
            lists.map { TextOutline($0.list, [.title, .done, .data]).description } == [
                #"""
                = Work
                - first [done] {"due":"2018-12-11T23:00:00Z","priority":3}
                - second {"notes":"line 1\nline 2","due":"2018-12-12","priority":1,"labels":["red","blue"]}
                """#,
                #"""
                = Home
                - lost {"notes":"Due Date: today\nPriority: 8\nStatus: 7\nOrder: x"}
                # Soon
                - Pack {"notes":"for Rome","priority":2}
                  - socks
                  - soap [done]
                  - child [done] {"notes":"Repeat: FREQ=DAILY","labels":["won't do"]}
                """#,
            ])
        let columns =
            "Created Time, Folder Name, Is All Day, Is Check list, Is Floating, Kind, Timezone, View Mode"
        #expect(
            lists.map(\.report) == [
                [
                    "1: left out: text above the table (to line 6)",
                    "8: left out: \(columns) of tasks (to line 10)",
                ],
                [
                    "11: left out: Is Check list, Is Floating, Kind, View Mode of tasks (to line 15)",
                    "15: changed: a subtask without its task",
                ],
            ])
    }

    /// As in version 3.
    @Test func anOlderTickTickFileNeedsNoOption() throws {
        let text = """
            "Date: 2016-02-12+0000"
            "List Name","Title","Content","Is Checklist","Start Date","Due Date","Reminder","Repeat","Priority","Status","Completed Time","Order","Timezone","Is All Day"
            "Home","Pack","▫socks","Y","","2016-02-13T23:00:00+0000","","","0","2","","0","Europe/Berlin","true"
            """
        let list = try #require(
            try ListFileFormat(recognizing: Array(text.utf8), fileName: "")?.read(text))
        #expect(
            TextOutline(list.list, [.title, .done, .data]).description
                == "= Home\n- Pack [done] {\"due\":\"2016-02-14\"}\n  - socks")
    }

    private static let table = """
        Nr;Task;Bucket;When;Who;Prio;State;Indent
        1;a;S;2026-11-30;Ann;high;Done;1
        2;b;T;30.1.2027;;2;;2
        3;c;S;2026-11-30 09:05;;;in progress;4

        """

    @Test func columnsOfATableAreNamed() throws {
        let columns = [
            "title=task", "section=Bucket", "due=When", "priority=Prio", "done=State",
            "level=Indent",
        ]
        let imported = try #require(
            try ListFileFormat.csv.readAll(Array(Self.table.utf8), columns: columns).first)
        #expect(
            TextOutline(imported.list, [.done, .data]).description == #"""
                # S
                - a [done] {"due":"2026-11-30","priority":1}
                  - b {"due":"2027-01-30","priority":2}
                    - c {"due":"2026-11-30T09:05:00"}
                # T
                """#)
        #expect(
            imported.report == [
                "2: left out: Nr, Who of tasks (to line 4)",
                "3: changed: the section of a subtask, to that of its task",
            ])
    }

    @Test func theColumnsOfAnUnknownTableAreProposed() {
        let error = ListFileFormat.csv.refusal(of: "\n \n\"Task\",Who,Due date,Notes\na\n")
        #expect(error?.line == 3)
        #expect(
            error?.reason
                == "The table's columns are not known: \"Task\", \"Who\", \"Due date\", \"Notes\".")
        #expect(error?.columns == ["title=Task", "due=Due date", "notes=Notes"])
    }

    @Test func wrongColumnsAreErrors() {
        func reason(_ text: String, _ columns: [String]) -> String? {
            do {
                _ = try ListFileFormat.csv.readAll(Array(text.utf8), columns: columns)
                return nil
            } catch {
                return (error as? ImportError)?.reason
            }
        }
        #expect(reason("a,b\n", ["title=c"]) == "The table has no column \"c\", only \"a\", \"b\".")
        #expect(
            reason("a,b\n", ["due=a"]) == "No column has the titles; name it with title=.")
        #expect(
            reason("a,b\n1,2,3\n", ["title=a"]) == "The row has 3 fields, but the header has 2. "
                + "A field that contains the delimiter must be in quotes.")
    }

    @Test func aSubtaskOfItselfIsATask() throws {
        let text = "Task,Id,Parent\na,1,3\nb,2,1\nc,3,2\nd,4,4\n"
        let imported = try #require(
            try ListFileFormat.csv.readAll(
                Array(text.utf8), columns: ["title=Task", "id=Id", "parent=Parent"]
            ).first)
        #expect(TextOutline(imported.list, []).description == "- b\n  - c\n    - a\n- d")
        #expect(
            imported.report == [
                "3: changed: a task below itself", "5: changed: a task below itself",
            ])
    }

    @Test func idsOfThePrograms() throws {
        let long = "0123456789abcdef"
        let text = "Task,Id\na,\(long)\nb,\(long)\nc,short\nd,not valid as an id\n"
        let imported = try #require(
            try ListFileFormat.csv.readAll(Array(text.utf8), columns: ["title=Task", "id=Id"]).first
        )
        #expect(imported.list.tasks.map(\.id) == [long, "n1", "n2", "n3"])
    }

    @Test(
        arguments: [
            ("2026-02-29", nil), ("2028-02-29", "2028-02-29"), ("20261130", "2026-11-30"),
            ("2026-11-30T10:00:00.000Z", "2026-11-30T10:00:00Z"),
            ("20261130T100000Z", "2026-11-30T10:00:00Z"), ("20261130T1000", "2026-11-30T10:00:00"),
            ("2026-11-30T10:00:00+0530", "2026-11-30T10:00:00+05:30"), ("3/4/2026", nil),
            ("2026-11-30T1:0:00", nil), ("2026-11-30x", nil), ("", nil),
            ("2026-11-30T25:00", nil), ("31.4.2026", nil), ("2026-1-1", nil),
        ] as [(String, String?)])
    func datesAreRewritten(text: String, due: String?) throws {
        let imported = try #require(
            try ListFileFormat.csv.readAll(
                Array("T,D\na,\(text)\n".utf8), columns: ["title=T", "due=D"]
            ).first)
        let task = try #require(Array(imported.list.tasks).first)
        #expect(
            task.content.data == due.map { "{\"due\":\"\($0)\"}" }
                ?? (text.isEmpty ? nil : "{\"notes\":\"D: \(text)\"}"))
    }

    @Test func longTextsAreShortened() throws {
        let long = String(repeating: "\"\"", count: 5_000)
        let text = "T,N,L\na,\"\(long)\",b\n"
        let imported = try #require(
            try ListFileFormat.csv.readAll(
                Array(text.utf8), columns: ["title=T", "notes=N", "labels=L"]
            ).first)
        let data = try #require(Array(imported.list.tasks)[0].content.data)
        #expect((8_000...8_192).contains(data.utf8.count) && data.hasSuffix(#""labels":["b"]}"#))
        #expect(
            imported.report == [
                "2: shortened: the notes, because a task's data has at most 8192 bytes"
            ])
    }

    @Test func aTaskAtTheLevelOfSectionsIsATask() throws {
        let text =
            "level,title,section,done,id\n0,,Work,false,s\n0,Root,Work,false,7\n1,Child,Work,true,8\n"
        let imported = try ListFileFormat.csv.read(text)
        #expect(
            TextOutline(imported.list, [.done]).description == "# Work\n- Root\n  - Child [done]")
    }
}
