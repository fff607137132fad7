import ReorderEngine
import ReorderImportExport
import Testing

@Suite struct TodoistTests {
    private static let header =
        "TYPE,CONTENT,DESCRIPTION,IS_COLLAPSED,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,"
        + "TIMEZONE,DURATION,DURATION_UNIT,DEADLINE,DEADLINE_LANG"

    private func outline(_ csv: String) throws -> String {
        TextOutline(try ListFileFormat.todoist.read(csv).list, [.collapsed, .data]).description
    }

    @Test func aBackupBecomesAList() throws {
        let csv = #"""
            \#(Self.header)
            meta,view_style=board,,,,,,,,,,,,,
            ,,,,,,,,,,,,,,
            task,Fenster ölen @Haus,"Mit Leinöl, dünn",True,2,1,,,jährlich,de,Europe/Berlin,,,,
            task,"""Rahmen"" zuerst",,,4,2,Ana (12),Bo (7),,,,30,minute,2026-07-19,de
            note,"Zeile 1
            Zeile 2",,,,,Ana (12),,2026-01-08T07:02:05Z,,,,,,
            note,לא לשכוח,,,,,,,,,,,,,
            ,,,,,,,,,,,,,,
            section,Leer,,False,,,,,,,,,,,
            section,仕事,,False,,,,,,,,,,,
            task,報告書,,,1,,,,,,,,,,
            """#
        #expect(
            try outline(csv) == #"""
                - Fenster ölen @Haus [collapsed] \#
                {"description":"Mit Leinöl, dünn","priority":2,"date":"jährlich",\#
                "date_lang":"de","timezone":"Europe/Berlin"}
                  - "Rahmen" zuerst \#
                {"author":"Ana (12)","responsible":"Bo (7)","duration":30,"duration_unit":"minute",\#
                "deadline":"2026-07-19","deadline_lang":"de","notes":[\#
                {"content":"Zeile 1\nZeile 2","author":"Ana (12)","date":"2026-01-08T07:02:05Z"},\#
                {"content":"לא לשכוח"}]}
                # Leer
                # 仕事
                - 報告書 {"priority":1}
                """#)
    }

    @Test func theColumnsOfOlderTemplatesAreAccepted() throws {
        let csv =
            "TYPE,CONTENT,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE\n"
            + "task,a,4,1,,,,,\ntask,b,4,2,,,,,\ntask,c,,3\ntask,d"
        #expect(try outline(csv) == "- a\n  - b\n    - c\n- d")
    }

    @Test(arguments: [",", ";", "\t"])
    func otherDelimitersAreAccepted(delimiter: String) throws {
        let rows = [
            ["TYPE", "CONTENT", "INDENT"], ["task", "a", "1"], ["task", "\"b\(delimiter)\"", "2"],
        ]
        let csv = rows.map { $0.joined(separator: delimiter) + "\r\n" }.joined()
        #expect(try outline("\u{FEFF}" + csv) == "- a\n  - b\(delimiter)")
    }

    @Test func unsupportedContentIsSkippedAndReported() throws {
        let csv = """
            TYPE,CONTENT,DESCRIPTION,INDENT,COLOUR
            note,about the project,,,
            section,S,described,,
            task,a,,2,red
            task,b,,4,
            """
        let imported = try ListFileFormat.todoist.read(csv)
        #expect(TextOutline(imported.list, []).description == "# S\n- a\n  - b")
        #expect(
            imported.report == [
                "1: left out: the columns COLOUR",
                "2: left out: a note without a task above it",
                "3: left out: a section's description",
                "4: changed: an INDENT deeper than the task above allows (to line 5)",
            ])
    }

    @Test(
        arguments: [
            ("TYPE,TITLE", 1, "The first row must name Todoist's columns; CONTENT is missing."),
            ("CONTENT\n", 1, "The first row must name Todoist's columns; TYPE is missing."),
            ("TYPE,CONTENT,content", 1, "The column CONTENT occurs twice."),
            (
                "TYPE,CONTENT\n\ntask,a\nlabel,b", 4,
                "The row's type is \"label\"; it must be task, section, note or meta."
            ),
            (
                "TYPE,CONTENT\n,b", 2,
                "The row's type is \"\"; it must be task, section, note or meta."
            ),
            ("TYPE,CONTENT\ntask,a,b", 2, "The row has 3 fields, but the first row has 2."),
            ("TYPE,CONTENT,PRIORITY\ntask,a,5", 2, "The priority must be 1, 2, 3 or 4."),
            ("TYPE,CONTENT,INDENT\ntask,a,0", 2, "The indent must be a number, at least 1."),
            ("TYPE,CONTENT,INDENT\ntask,a,x", 2, "The indent must be a number, at least 1."),
            (
                "TYPE,CONTENT\n\"task\",\"a\n\nb\"\ntask,\"c", 5,
                "The quoted field that begins here is not closed."
            ),
            (
                "TYPE,CONTENT\ntask,\"a\"b", 2,
                "The closing quote of a field must be followed by a delimiter; "
                    + "quotes inside a quoted field must be doubled."
            ),
        ] as [(String, Int?, String)])
    func errorsAreReportedWithTheirLine(csv: String, line: Int?, reason: String) {
        #expect(
            ListFileFormat.todoist.refusal(of: csv) == ImportError(line: line, reason: reason))
    }

    @Test func aTaskWhoseNotesExceedTheDataLimitIsRefused() {
        let note = "note," + String(repeating: "x", count: 5_000) + "\n"
        let csv = "TYPE,CONTENT\ntask,a\n\(note)task,b\n\(note)\(note)"
        #expect(ListFileFormat.todoist.refusal(of: csv)?.line == 4)
    }

    @Test func aCombiningMarkAfterAQuoteIsPartOfTheField() throws {
        #expect(try outline("TYPE,CONTENT\ntask,\"\u{301}a\"") == "- \u{301}a")
    }

    @Test func aListIsWrittenAsTodoistRows() throws {
        let list = try ReorderableList(
            settings: ListSettings(title: "T"), sections: [("s", "One, two"), ("e", "Empty")],
            tasks: [
                ReorderableList.Entry(content: TaskContent(id: "a", title: " \"a\" ", done: true)),
                ReorderableList.Entry(
                    content: TaskContent(
                        id: "b", title: "b\r\nc", collapsed: true,
                        data: #"{"x":1,"priority":1,"date":null,"notes":[1,{"content":"n"},{}]}"#),
                    section: "s"),
                ReorderableList.Entry(
                    content: TaskContent(id: "c", title: "c", data: "[1]"), parent: "b"),
            ])
        #expect(
            ListFileFormat.todoist.text(of: list)
                == [
                    Self.header, "task,\" \"\"a\"\" \",,,4,1,,,,,,,,,",
                    "section,\"One, two\",,False,,,,,,,,,,,",
                    "task,\"b\r\nc\",,True,1,1,,,,,,,,,", "note,n,,,,,,,,,,,,,",
                    "task,c,,,4,2,,,,,,,,,", "section,Empty,,False,,,,,,,,,,,", "",
                ].joined(separator: "\r\n"))
    }
}
