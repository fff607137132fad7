import ReorderEngine
import ReorderImportExport
import Testing

/// Files as other programs get them.
@Suite struct WrittenFormatTests {
    private static let long = "aa" + String(repeating: "牛奶", count: 14)

    private static func sample() throws -> ReorderableList {
        let data = [
            "flour":
                #"{"notes":"two\nbags, \"big\"","due":"2026-12-01T10:00:00+01:00","labels":["shop; near","x"],"priority":1,"url":"https://x.org/?a=1&b","other":1}"#,
            "x":
                #"{"notes":7,"due":"soon","labels":"a","priority":4,"url":"javascript:x\nATTACH:y"}"#,
        ]
        func entry(
            _ id: String, _ title: String, section: String? = nil, parent: String? = nil,
            completedAt: Int64? = nil
        ) -> ReorderableList.Entry {
            ReorderableList.Entry(
                content: TaskContent(
                    id: id, title: title, done: completedAt != nil, data: data[id],
                    stamps: TaskStamps(completedAt: completedAt)),
                section: section, parent: parent)
        }
        return try ReorderableList(
            settings: ListSettings(title: "Home & garden; "),
            sections: [("s", "To do"), ("e", "Empty")],
            tasks: [
                entry("bread", "Bread"), entry("flour", "Flour", parent: "bread"),
                entry("x", "x =1+1 @home\n\u{1}", section: "s", completedAt: 1_764_547_200_000),
                entry(
                    "0123456789abcdef", Self.long, section: "s",
                    parent: "x"),
            ])
    }

    @Test func csv() throws {
        let rows = [
            "\u{FEFF}level,title,section,done,due,priority,labels,notes,url,id",
            "1,Bread,,false,,,,,,bread",
            "2,Flour,,false,2026-12-01T10:00:00+01:00,1,\"shop near, x\","
                + "\"two\nbags, \"\"big\"\"\",https://x.org/?a=1&b,flour",
            "0,,To do,,,,,,,s", "1,\"x =1+1 @home\n\u{FFFD}\",To do,true,,,,,,x",
            "2,\(Self.long),To do,false,,,,,,0123456789abcdef",
            "0,,Empty,,,,,,,e", "",
        ]
        #expect(ListFileFormat.csv.text(of: try Self.sample()) == rows.joined(separator: "\r\n"))
    }

    @Test func todoTxt() throws {
        #expect(
            ListFileFormat.todoTxt.text(of: try Self.sample()) == """
                Bread id:1
                (A) Flour @shop;_near @x due:2026-12-01 p:1
                x 2025-12-01 \\x =1+1 \\@home \u{FFFD} +To_do id:2
                \(Self.long) +To_do p:2

                """)
    }

    @Test func opml() throws {
        #expect(
            ListFileFormat.opml.text(of: try Self.sample()) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <opml version="2.0">
                <head><title>Home &amp; garden; </title></head>
                <body>
                <outline text="Bread">
                  <outline text="Flour" _note="two&#10;bags, &quot;big&quot;" due="2026-12-01T10:00:00+01:00" priority="1" category="shop near,x" url="https://x.org/?a=1&amp;b"/>
                </outline>
                <outline text="To do" type="section">
                  <outline text="x =1+1 @home&#10;\u{FFFD}" _complete="true" complete="true" _status="checked">
                    <outline text="\(Self.long)"/>
                  </outline>
                </outline>
                <outline text="Empty" type="section">
                </outline>
                </body>
                </opml>

                """)
    }

    @Test func ics() throws {
        let lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//reorderd//reorderd//EN",
            #"X-WR-CALNAME:Home & garden\; "#, "BEGIN:VTODO", "UID:bread@list",
            "DTSTAMP:19700101T000000Z", "SUMMARY:Bread", "STATUS:NEEDS-ACTION",
            "X-APPLE-SORT-ORDER:1", "END:VTODO", "BEGIN:VTODO", "UID:flour@list",
            "DTSTAMP:19700101T000000Z", "SUMMARY:Flour", #"DESCRIPTION:two\nbags\, "big""#,
            "DUE:20261201T090000Z", #"CATEGORIES:shop\; near,x"#, "PRIORITY:1",
            "URL:https://x.org/?a=1&b", "STATUS:NEEDS-ACTION", "RELATED-TO:bread@list",
            "X-APPLE-SORT-ORDER:2", "END:VTODO", "BEGIN:VTODO", "UID:x@list",
            "DTSTAMP:19700101T000000Z", "SUMMARY:x =1+1 @home\\n\u{FFFD}", "STATUS:COMPLETED",
            "COMPLETED:20251201T000000Z", "X-APPLE-SORT-ORDER:3", "END:VTODO", "BEGIN:VTODO",
            "UID:0123456789abcdef", "DTSTAMP:19700101T000000Z",
            // 73 bytes; the next character has three.
            "SUMMARY:aa" + String(repeating: "牛奶", count: 10) + "牛", " 奶牛奶牛奶牛奶",
            "STATUS:NEEDS-ACTION", "RELATED-TO:x@list",
            "X-APPLE-SORT-ORDER:4", "END:VTODO", "END:VCALENDAR", "",
        ]
        #expect(ListFileFormat.ics.text(of: try Self.sample()) == lines.joined(separator: "\r\n"))
    }

    /// Spreadsheets change tables: rows are added without a level, or are moved.
    @Test func aChangedTableIsRead() throws {
        let table = """
            level;title;section;done;due;priority;labels;notes;url;id
            0;;A
            0;;B
            1;in A;A;FALSE
            2;below;A;TRUE
            1;in B;B
            ;new;C
            1;no section
            """
        #expect(
            TextOutline(try ListFileFormat.csv.read(table).list).description == """
                = untitled
                # A
                - in A
                  - below [done]
                # B
                - in B
                - no section
                # C
                - new
                """)
    }

    /// Words with a key that refers to no line are part of the title.
    @Test func onlyReferencesToLinesNestTasks() throws {
        let text = "a id:1\nb p:1\nc p:2 id:3\n\\d \\+e\n"
        #expect(
            TextOutline(try ListFileFormat.todoTxt.read(text).list).description
                == "= untitled\n- a\n  - b\n- c p:2 id:3\n- \\d +e")
    }
}
