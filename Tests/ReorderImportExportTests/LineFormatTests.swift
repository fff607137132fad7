import ReorderImportExport
import Testing

/// Lines and outlines of other programs.
@Suite struct LineFormatTests {
    private func read(_ format: ListFileFormat, _ text: String) throws -> String {
        let imported = try format.read(text)
        let outline = TextOutline(imported.list, [.title, .done, .data]).description
        return ([outline] + imported.report).joined(separator: "\n")
    }

    @Test func todoTxt() throws {
        let text = """
            (A) Call Mum @phone +Family
            x 2026-11-30 2026-11-01 Pay +Bills for March due:2026-12-01 pri:B @home

            (D) 2026-11-01 Read
            xylophone (B) t:2026-01-01 due:soon
            x
            """
        #expect(
            try read(.todoTxt, text) == #"""
                = untitled
                - Call Mum {"priority":1,"labels":["@phone","+Family"]}
                - Pay +Bills for March [done] {"due":"2026-12-01","priority":2,"labels":["+Bills","@home"]}
                - Read {"notes":"priority: D"}
                - xylophone (B) t:2026-01-01 due:soon
                - x
                2: left out: the dates of creation or completion of tasks (to line 4)
                """#)
    }

    @Test func aRangeOfTimesIsALineOfTheNotes() throws {
        let text = "- a @due(2026-11-30 10:00-11:30)\n"
        #expect(
            try read(.taskPaper, text)
                == "= untitled\n- a {\"notes\":\"due: 2026-11-30 10:00-11:30\"}")
    }

    @Test func theValueOfATagCanHaveParentheses() throws {
        #expect(
            try read(.taskPaper, "- a @search(b \\(not @done\\) c) @d\n")
                == #"= untitled\n- a {"labels":["search(b \\(not @done\\) c)","d"]}"#
                .replacing("\\n", with: "\n"))
    }

    @Test func todoTxtCanHaveThePriorityAfterTheDate() throws {
        #expect(
            try read(.todoTxt, "x 2026-11-30 (B) a\n2026-11-30 (B) b\n") == #"""
                = untitled
                - a [done] {"priority":2}
                - (B) b
                1: left out: the dates of creation or completion of tasks (to line 2)
                """#)
    }

    @Test func taskPaper() throws {
        let text = """
            loose
            - first @done(2026-11-01)
            \tnote of first

            \t  and more
            \t\t- deep @due(2026-11-30 10:00) @priority(2)
            Home: @flag
            about home
            \t- mail @ann about it @today
            \t\tPart:
            \t\t\t- inner
            \t- last @due(someday)
            """
        #expect(
            try read(.taskPaper, text) == #"""
                = untitled
                - first [done] {"notes":"note of first\n\n  and more"}
                  - deep {"due":"2026-11-30T10:00:00","priority":2}
                # Home
                - mail @ann about it {"labels":["ann","today"]}
                  - Part
                    - inner
                - last {"notes":"due: someday"}
                1: left out: text outside tasks
                2: left out: the time of completion of tasks
                7: left out: the tags of a project
                8: left out: text outside tasks
                """#)
    }

    @Test func orgWithSections() throws {
        let text = """
            #+TITLE: Plans
            #+TODO: TODO ASK(a) | DONE MAYBE
            #+STARTUP: overview
            intro
            * Work :office:
            ** TODO [#A] a b\t\t:x:y:
            DEADLINE: <2026-11-30 Mon 9:30 +1w> SCHEDULED: <2026-11-29 Sun>
            :PROPERTIES:
            :ID: 11111111-2222-3333-4444-555555555555
            :EFFORT: 1h
            :END:
              Text

                - [ ] item

            *** MAYBE sub
            CLOSED: [2026-11-01 Sun]
            * Home
            ***** ASK far
            SCHEDULED: <2026-12-01 Tue>
            :LOGBOOK:
            CLOCK: x
            :END:
            """
        #expect(
            try read(.org, text) == #"""
                = Plans
                # Work
                - a b {"notes":"DEADLINE: 2026-11-30 Mon 9:30 +1w\nSCHEDULED: 2026-11-29 Sun\nText\n\n  - [ ] item","due":"2026-11-30T09:30:00","priority":1,"labels":["x","y"]}
                  - sub [done] {"labels":["MAYBE"]}
                # Home
                - far {"due":"2026-12-01","labels":["ASK"]}
                2: left out: a setting (to line 3)
                4: left out: text outside tasks
                5: left out: the tags and priority of a section
                10: left out: a property
                17: left out: CLOSED of tasks
                21: left out: the drawer LOGBOOK (to line 22)
                """#)
        #expect(
            try ListFileFormat.org.read(text).list.tasks.map(\.id).first
                == "11111111-2222-3333-4444-555555555555")
    }

    @Test func orgWithTasksOnly() throws {
        #expect(
            try read(.org, "* TODO a\n** b\n* c\nnot *bold\n*d\n")
                == "= untitled\n- a\n  - b\n- c {\"notes\":\"not *bold\\n*d\"}")
    }

    @Test func levelsCanHaveGaps() throws {
        #expect(
            try read(.org, "** TODO a\n** TODO b\n***** c\n***** d\n*** e\n* TODO f\n")
                == "= untitled\n- a\n- b\n  - c\n  - d\n  - e\n- f")
    }

    @Test func opml() throws {
        let text = """
            <?xml version="1.0"?>
            <!-- c <x> -->
            <opml version="2.0"><head><title>A &amp; B</title><ownerName>me</ownerName></head>
            <body>
            <outline text="a &lt;b&gt; &#65;&#x1F600;" _note="n
            m" color="red">
              <outline text='b "q"' _complete="true"/>
            </outline>
            <outline title="c" _status="checked" htmlUrl="https://x" xmlUrl="https://y"></outline>
            stray</body></opml>
            """
        #expect(
            try read(.opml, text) == #"""
                = A & B
                - a <b> A😀 {"notes":"n\nm"}
                  - b "q" [done]
                - c [done] {"notes":"xmlUrl: https://y","url":"https://x"}
                2: left out: a comment
                3: left out: the element ownerName
                5: left out: color of tasks (to line 6)
                9: left out: text outside outlines (to line 10)
                """#)
    }

    @Test func outlinesAfterASectionHaveNone() throws {
        let text = """
            <opml><body><outline text="S" type="section"><outline text="a"><outline text="b"/></outline>
            </outline><outline text="c"><outline text="d"/></outline>
            <outline text="T" type="section"/><outline text="e"/></body></opml>
            """
        #expect(
            try read(.opml, text) == """
                = untitled
                - c
                  - d
                - e
                # S
                - a
                  - b
                # T
                2: changed: the place of a task after sections (to line 3)
                """)
    }

    @Test(
        arguments: [
            ("<opml><body>", 1, "The element body is not closed."),
            ("<opml>\n<body></opml>", 2, "The element opml is not open here."),
            ("<x/>", 1, "The outermost element must be opml."),
            ("<opml a=1>", 1, "The value of a must be in quotes."),
            ("<opml a='1>", 1, "The value of a is not closed."),
            ("<opml>\n<!-- ", 2, "The part that begins here has no -->."),
            ("<opml>&x;", 1, "The text contains an unknown entity, or an & that must be &amp;."),
            ("<opml", 1, "The tag opml is not closed."), ("<", 1, "A tag has no name."),
            ("<opml b>", 1, "The attribute b has no value."),
        ])
    func wrongXMLIsAnError(text: String, line: Int, reason: String) {
        #expect(ListFileFormat.opml.refusal(of: text) == ImportError(line: line, reason: reason))
    }

    @Test func ics() throws {
        let text = """
            BEGIN:VCALENDAR
            VERSION:2.0
            X-WR-CALNAME:Home\\, sweet
            X-COLOR:red
            BEGIN:VTIMEZONE
            TZID:Europe/Berlin
            END:VTIMEZONE
            BEGIN:VTODO
            UID:0123456789abcdef
            SUMMARY:two \\; li
             nes
            DESCRIPTION:a\\nb\\\\
            DUE;TZID=Europe/Berlin:20261130T100000
            PRIORITY:5
            CATEGORIES:x\\,y,z
            X-APPLE-SORT-ORDER:2
            BEGIN:VALARM
            SUMMARY:no
            END:VALARM
            END:VTODO
            BEGIN:VTODO
            UID:c
            SUMMARY;LANGUAGE="a:b":one
            STATUS:COMPLETED
            DUE;VALUE=DATE:20261130
            X-APPLE-SORT-ORDER:1
            DTSTAMP:20261130T100000Z
            END:VTODO
            BEGIN:VTODO
            SUMMARY:child
            RELATED-TO:c
            RELATED-TO;RELTYPE=SIBLING:d
            URL:https://x
            STATUS:CANCELLED
            DUE;TZID=Custom/Zone:20261130T100000
            nonsense
            END:VTODO
            BEGIN:VEVENT
            SUMMARY:party
            END:VEVENT
            END:VCALENDAR
            """
        #expect(
            try read(.ics, text.replacing("\n", with: "\r\n")) == #"""
                = Home, sweet
                - one [done] {"due":"2026-11-30"}
                  - child [done] {"notes":"DUE: 2026-11-30T10:00:00 Custom/Zone","due":"2026-11-30T10:00:00","url":"https://x","labels":["CANCELLED"]}
                - two ; lines {"notes":"a\nb\\","due":"2026-11-30T10:00:00+01:00","priority":2,"labels":["x,y","z"]}
                4: left out: X-COLOR
                5: left out: a component VTIMEZONE (to line 7)
                17: left out: a component VALARM (to line 19)
                21: left out: DTSTAMP, RELATED-TO of tasks (to line 37)
                36: left out: a line that is not a property
                38: left out: a component VEVENT (to line 40)
                """#)
    }

    @Test func tasksCanBeOutsideACalendar() throws {
        #expect(
            try read(.ics, "BEGIN:VTODO\nSUMMARY:a\nEND:VTODO\nX-A:b\n")
                == "= untitled\n- a\n4: left out: X-A")
    }

    /// Some programs fold lines inside a character.
    @Test func aFoldCanBeInsideACharacter() throws {
        let bytes =
            Array("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:a".utf8) + [0xC3, 0x0A, 0x20, 0xA9]
            + Array("\nEND:VTODO\nEND:VCALENDAR\n".utf8)
        #expect(TextOutline(try ListFileFormat.ics.read(bytes).list, []).description == "- aé")
    }

    @Test(
        arguments: [
            ("BEGIN:VCALENDAR\nBEGIN:VTODO\n", 2, "The component VTODO is not closed."),
            ("BEGIN:VCALENDAR\nEND:VTODO\n", 2, "No such component is open."),
        ])
    func wrongComponentsAreErrors(text: String, line: Int, reason: String) {
        #expect(ListFileFormat.ics.refusal(of: text) == ImportError(line: line, reason: reason))
    }
}
