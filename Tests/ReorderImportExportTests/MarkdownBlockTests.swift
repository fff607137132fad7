import RandomRuns
import ReorderImportExport
import Testing

/// Blocks of Markdown in and around tasks, as in CommonMark.
@Suite struct MarkdownBlockTests {
    /// The outline and the remarks.
    private func read(_ markdown: String) throws -> String {
        let imported = try ListFileFormat.markdown.read(markdown)
        let outline = TextOutline(imported.list, [.done]).description
        return ([outline] + imported.report).joined(separator: "\n")
    }

    @Test func aFenceAfterAListMarkEndsWithItsBlock() throws {
        let markdown = """
            1. ```sh
               npm install
               - no task
               ```
            2. second
               ~~~
               # code
               ~~~
               - [x] third
            - ```
              one line
            - fourth
            """
        #expect(
            try read(markdown) == """
                - npm install
                - second
                  - third [done]
                - one line
                - fourth
                1: left out: a code block, except its first line (to line 4)
                6: left out: a code block (to line 8)
                10: left out: a code block, except its first line (to line 11)
                """)
    }

    @Test func aHeadingInATaskIsItsTitleOrLeftOut() throws {
        let markdown = """
            - ### One ###
              text
            - [ ] two

              ## Inside
              - child
            - Three
              ===
            # Section
            """
        #expect(
            try read(markdown) == """
                - One
                - two
                  - child
                - Three
                # Section
                2: left out: a paragraph of a task
                5: left out: a heading inside a task
                """)
    }

    @Test func htmlEndsATitle() throws {
        let markdown = """
            <details>
            <summary>- none</summary>

            - a
            </details>

            - <div>
              more
            - <b>b</b>
            - <img src="c">
            - <!-- hidden -->
            - d <!-- kept -->
              <script>

              - none
              </script>
            - e
            """
        #expect(
            try read(markdown) == """
                - a
                - <div>
                - <b>b</b>
                - <img src="c">
                -\u{20}
                - d <!-- kept -->
                - e
                1: left out: HTML (to line 2)
                5: left out: HTML
                7: left out: HTML, except its first line (to line 8)
                11: left out: a comment
                13: left out: HTML (to line 16)
                """)
    }

    @Test func tablesEndATitle() throws {
        let markdown = """
            - a
              | x | y |
              |---|:-:|
              | 1 | 2 |
            - b
              x | y
              --- |
            - | c | d |
              | - | - |
            text
            head |
            ---- |
            cell
            - e
            """
        #expect(
            try read(markdown) == """
                - a
                - b x | y --- |
                - | c | d |
                - e
                2: left out: a table (to line 4)
                8: left out: a table, except its first line (to line 9)
                10: left out: text outside tasks
                11: left out: a table (to line 13)
                """)
    }

    @Test func quotesAreReadLikeTheirContent() throws {
        let markdown = """
            > # Title
            > - [ ] one
            >   - [x] two
            wraps
            > text
            - > three
              > - four
            """
        let imported = try ListFileFormat.markdown.read(markdown)
        #expect(imported.list.settings.title == "Title")
        #expect(
            try read(markdown) == """
                - one
                  - two wraps text [done]
                - three
                  - four
                """)
    }

    @Test func aParagraphWithALineBelowItIsAHeading() throws {
        let markdown = "two\nlines\n---\n- a\nb\n---\n- c\n-\n"
        #expect(try read(markdown) == "# two lines\n- a b\n- c\n- \n6: left out: a rule")
    }

    @Test func bulletsCanBeIndentedByEye() throws {
        let markdown = """
            1. a
              - two columns
                - child
               1. number
            -   b
              - two columns
            - c
                    - eight columns
            -      six blanks
              1984. is a year
             2. one column

            text
                - after text

                code
                - code
            """
        #expect(
            try read(markdown) == """
                - a
                  - two columns
                    - child
                  - number
                - b
                  - two columns
                - c
                  - eight columns
                - six blanks 1984. is a year
                - one column
                - after text
                13: left out: text outside tasks
                16: left out: a code block (to line 17)
                """)
    }

    @Test func marksInManyContainersAreText() throws {
        let marks = String(repeating: "- ", count: 100_000)
        let imported = try ListFileFormat.markdown.read(
            marks + "x\n" + String(repeating: ">", count: 100_000))
        #expect(imported.list.count == 64)
        #expect(
            imported.report == [
                "1: changed: a task nested deeper than 16 levels",
                "1: shortened: a title with more than 4096 bytes of UTF-8",
                "2: left out: text outside tasks",
            ])
    }

    // MARK: Nothing is left out silently

    private static let pieces = [
        "", "", "  ", "    ", "   ", "\t", "- ", "- [ ] ", "* [x] ", "+   ", "1. ", "2) ", "- - ",
        "> ", ">", "# ", "## ", "- ### ", "```", "~~~~", "<div ", "</details ", "<!-- ", "--> ",
        "<script>", "</script> ", "<b>", "| ", "---", "===", "\\", "&amp; ", "`",
    ]
    private static let wordless = [
        "", "---", "***", "|---|", "```", "~~~~", "  ```", "===", "-", ">",
    ]

    @Test func eachLineIsInTheListOrInTheReport() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        for round in 0..<RandomRun.operations(20_000) / 20 {
            let lines = (1...20).map { number in
                if random.below(5) == 0 { return Self.wordless[random.below(Self.wordless.count)] }
                let start = (0..<random.below(4)).map { _ in
                    Self.pieces[random.below(Self.pieces.count)]
                }
                let end = Self.pieces[random.below(Self.pieces.count)]
                return start.joined() + "word\(number)x" + (random.below(3) == 0 ? " \(end)" : "")
            }
            let text = lines.joined(separator: "\n")
            guard let imported = try ListFileFormat.markdown.readIfAny(Array(text.utf8)) else {
                continue
            }
            let outline = TextOutline(imported.list).description
            let reported = Set(imported.remarks.flatMap { Array($0.lines) })
            for (index, line) in lines.enumerated() where line.contains("word") {
                try #require(
                    outline.contains("word\(index + 1)x") || reported.contains(index + 1),
                    "seed \(RandomRun.seed), text \(round), line \(index + 1):\n\(text)\n\(outline)"
                )
            }
        }
    }
}
