import RandomRuns
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
            task,"""Rahmen"" @heute zuerst",,,4,2,Ana (12),Bo (7),2026-07-18,,,30,minute,2026-07-19,de
            note,"Zeile 1
            Zeile 2",,,,,Ana (12),,2026-01-08T07:02:05Z,,,,,,
            note,לא לשכוח,,,,,,,,,,,,,
            ,,,,,,,,,,,,,,
            section,Leer,,False,,,,,,,,,,,
            section,仕事,,False,,,,,,,,,,,
            task,報告書,,,1,1,,,,,,,,,
            """#
        let imported = try ListFileFormat.todoist.read(csv)
        #expect(imported.idText(fileName: "Inbox") == "todoist-Inbox")
        #expect(
            TextOutline(imported.list, [.collapsed, .data]).description == #"""
                - Fenster ölen [collapsed] \#
                {"notes":"Mit Leinöl, dünn\nDATE: jährlich","priority":2,"labels":["Haus"]}
                  - "Rahmen" @heute zuerst \#
                {"notes":"RESPONSIBLE: Bo (7)\nDURATION: 30\nDURATION_UNIT: minute\n\#
                DEADLINE: 2026-07-19\nZeile 1\nZeile 2 (AUTHOR: Ana (12)) (DATE: 2026-01-08T07:02:05Z)\n\#
                לא לשכוח","due":"2026-07-18","labels":["heute"]}
                # Leer
                # 仕事
                - 報告書 {"priority":1}
                """#)
        #expect(
            imported.report == [
                "2: left out: a row of the type \"meta\"",
                "4: left out: AUTHOR, DATE_LANG, DEADLINE_LANG, TIMEZONE of tasks (to line 5)",
            ])
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

    @Test func unsupportedContentIsLeftOutAndReported() throws {
        let csv = """
            TYPE,CONTENT,DESCRIPTION,IS_COLLAPSED,PRIORITY,INDENT,COLOUR,DATE
            note,about the project,,,,,,
            meta,view_style=board,,,,,,
            section,S,described,True,4,1,,
            task,a,,maybe,,2,red,
            task,b,,,,4,blue,
            note,c,text,,,,,today
            task,d,,,9,0,,
            task,e,,,high?,x,,
            note,,,,,,,today
            label,f,,,,,,
            """
        let imported = try ListFileFormat.todoist.read(csv)
        #expect(
            TextOutline(imported.list, [.data]).description
                == "# S\n- a {\"notes\":\"IS_COLLAPSED: maybe\"}\n  - b {\"notes\":\"c (DESCRIPTION: text) (DATE: today)\"}\n"
                + "- d {\"notes\":\"PRIORITY: 9\"}\n"
                + "- e {\"notes\":\"PRIORITY: high?\\nINDENT: x\\n(DATE: today)\"}")
        #expect(
            imported.report == [
                "2: left out: a comment without a task above it",
                "3: left out: a row of the type \"meta\"",
                "4: left out: DESCRIPTION of a section",
                "5: left out: COLOUR of tasks (to line 6)",
                "11: left out: a row of the type \"label\"",
            ])
    }

    @Test(
        arguments: [
            // Surplus fields that are empty.
            ("TYPE,CONTENT,PRIORITY,INDENT\ntask,a,4,1,,,\ntask,b,4,2, ,\n", "- a\n  - b"),
            (" type ,Content\nTask,a\ntask ,b\nSECTION,S\n", "- a\n- b\n# S"),
            ("TYPE,CONTENT,PRIORITY,INDENT\ntask,a, 2 , 1 ", "- a {\"priority\":2}"),
            ("sep=;\r\nTYPE;CONTENT\r\ntask;a, b\r\n", "- a, b"),
            (
                "TYPE,CONTENT,IS_COLLAPSED\ntask,a,1\ntask,b,TRUE\ntask,c,0\n",
                "- a [collapsed]\n- b [collapsed]\n- c"
            ),
            ("TYPE,CONTENT\n , \ntask,a\nNote\n", "- a"),
        ])
    func unusualFormsAreAccepted(csv: String, outline: String) throws {
        let imported = try ListFileFormat.todoist.read(csv)
        #expect(TextOutline(imported.list, [.collapsed, .data]).description == outline)
        #expect(imported.report == [])
    }

    @Test func utf16IsAccepted() throws {
        let units = Array("\u{FEFF}TYPE\tCONTENT\ntask\tחלב\n".utf16)
        let bytes = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let list = try ListFileFormat.todoist.read(bytes).list
        #expect(TextOutline(list, []).description == "- חלב")
    }

    @Test func contentWithoutQuotesIsJoinedIfTheColumnsAreCertain() throws {
        let csv = """
            TYPE,CONTENT,PRIORITY,INDENT,AUTHOR
            task,Check access (email, calendar, docs),2,1,,,
            section,Risks, Open Questions,,,,
            task,b,1,2,A,
            """
        let imported = try ListFileFormat.todoist.read(csv)
        #expect(
            TextOutline(imported.list, [.data]).description == """
                - Check access (email, calendar, docs) {"priority":2}
                # Risks, Open Questions
                - b {"priority":1}
                """)
        #expect(
            imported.report == [
                "2: changed: an unquoted title with delimiters, joined to one title (to line 3)",
                "4: left out: AUTHOR of tasks",
            ])
    }

    @Test(
        arguments: [
            (
                "TYPE,CONTENT\ntask,a,b", 2,
                "The row has 3 fields, but the header has 2. "
                    + "A field that contains the delimiter must be in quotes."
            ),
            (
                "sep=,\nTYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT\ntask,a (b, c),,1,1,", 3,
                "The row has 7 fields, but the header has 5. "
                    + "A field that contains the delimiter must be in quotes."
            ),
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

    @Test func anEmptyFileContainsNoList() throws {
        #expect(try ListFileFormat.todoist.readIfAny([])?.list == nil)
        #expect(try ListFileFormat.todoist.readIfAny(Array("TYPE,CONTENT\n".utf8))?.list == nil)
    }

    @Test func textsThatExceedTheDataLimitAreShortened() throws {
        let csv =
            "TYPE,CONTENT,DESCRIPTION,DATE\n"
            + "task,a,\(long("é\t", 5_000)),2026-11-30\n"
            + "task,b,short,\nnote,\(long("n", 5_000)),,\nnote,\(long("o", 5_000)),,today\n"
            + "note,third,,\nnote,\(long("p", 9_000)),,\ntask,c,,\(long("\u{1}", 9_000))\n"
        let imported = try ListFileFormat.todoist.read(csv)
        let reason = "because a task's data has at most 8192 bytes"
        #expect(
            imported.report == [
                "2: shortened: the notes, \(reason) (to line 8)"
            ])
        let data = try imported.list.tasks.map { try #require($0.content.data) }
        #expect(data[0].hasPrefix("{\"notes\":\"é\\té\\t"))
        #expect(data[0].hasSuffix("\",\"due\":\"2026-11-30\"}"))
        #expect(data[1].contains("\"short\\n\(long("n", 5_000))\\nooo"))
        #expect(
            data.allSatisfy { (8_000...8_192).contains($0.utf8.count) }, "\(data.map(\.utf8.count))"
        )
    }

    @Test func longTitlesAndDeepLevelsAreLimited() throws {
        let long = String(repeating: "x", count: 5_000)
        let csv =
            "TYPE,CONTENT,INDENT\n" + (1...18).map { "task,\($0),\($0)\n" }.joined()
            + "task,\(long),1\nsection,\(long),\n"
        let imported = try ListFileFormat.todoist.read(csv)
        #expect(imported.list.tasks.map(\.depth) == Array(0..<16) + [15, 15, 0])
        #expect(imported.list.sections.first?.title.utf8.count == 4_096)
        #expect(
            imported.report == [
                "18: changed: a task nested deeper than 16 levels (to line 19)",
                "20: shortened: a title with more than 4096 bytes of UTF-8 (to line 21)",
            ])
    }

    /// Each cell that is not a number or truth value has a word that no other cell has.
    @Test func eachCellIsInTheListOrInTheReport() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        let columns = [
            "TYPE", "CONTENT", "DESCRIPTION", "IS_COLLAPSED", "PRIORITY", "INDENT", "AUTHOR",
            "DATE", "COLOUR", "DURATION", "",
        ]
        let longText = long("y", 5_000)
        for round in 0..<RandomRun.operations(20_000) / 200 {
            let header = columns.shuffled(using: &random)
            let rows = (0..<15).map { row in
                header.enumerated().map { column, name in
                    let word = "word\(row)_\(column)x"
                    let some: [String] =
                        switch name {
                        case "TYPE": ["task", "task", "note", "section", "meta", "Task "]
                        case "INDENT": ["", "1", "2", "5", "-3", "99"]
                        case "DESCRIPTION", "CONTENT":
                            ["", word, "\"\(word)\n\(longText)\"", "\"\(word), b\""]
                        default: ["", "", "1", word]
                        }
                    return some[random.below(some.count)]
                }
            }
            let csv = ([header] + rows).map { $0.joined(separator: ",") + "\n" }.joined()
            let imported = try ListFileFormat.todoist.read(csv)
            let outline = TextOutline(imported.list, [.data]).description
            let words = Set(
                outline.replacing("\\n", with: " ").utf8.split {
                    $0 < UInt8(ascii: "0") || $0 == UInt8(ascii: "\\")
                }
                .map { String(Substring($0)) })
            let reported = Set(imported.remarks.flatMap { Array($0.lines) })
            var line = 2
            for row in rows {
                for cell in row where cell.contains("word") {
                    let word = String(cell.split { "\", \n".contains($0) }[0])
                    try #require(
                        words.contains(word) || reported.contains(line),
                        "seed \(RandomRun.seed), text \(round), line \(line):\n\(csv)\n\(outline)"
                    )
                }
                line += 1 + row.count { $0.contains("\n") }
            }
        }
    }

    private func long(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
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
                        id: "b", title: "b\r\nc @x", collapsed: true,
                        data:
                            #"{"x":1,"priority":1,"due":"2026-11-30","notes":"n","labels":["x","y","y z"]}"#
                    ),
                    section: "s"),
                ReorderableList.Entry(
                    content: TaskContent(
                        id: "c", title: "c", data: #"{"priority":9,"due":"soon"}"#),
                    parent: "b"),
            ])
        #expect(
            ListFileFormat.todoist.text(of: list)
                == [
                    Self.header, "task,\" \"\"a\"\" \",,,4,1,,,,,,,,,",
                    "section,\"One, two\",,False,,,,,,,,,,,",
                    "task,\"b\r\nc @x @y\",n,True,1,1,,,2026-11-30,,,,,,",
                    "task,c,,,4,2,,,,,,,,,", "section,Empty,,False,,,,,,,,,,,", "",
                ].joined(separator: "\r\n"))
    }
}
