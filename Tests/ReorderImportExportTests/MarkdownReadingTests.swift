import ReorderEngine
import ReorderImportExport
import Testing

@Suite struct MarkdownReadingTests {
    private func outline(_ markdown: String) throws -> String {
        TextOutline(try ListFileFormat.markdown.read(markdown).list).description
    }

    @Test func headingsCheckboxesAndNestingFormAList() throws {
        let markdown = """
            # Move to Tokyo 引っ越し

            - [ ] Cancel the flat
              - [x] write the letter
              - [ ] hand over the keys

            ## 役所

            - [ ] 転出届
            - [X] マイナンバーカード

            ## إلى المطار

            - [ ] تذكرة الطيران
              - [x] جواز السفر
            """
        #expect(
            try outline(markdown) == """
                = Move to Tokyo 引っ越し
                - Cancel the flat
                  - write the letter [done]
                  - hand over the keys
                # 役所
                - 転出届
                - マイナンバーカード [done]
                # إلى المطار
                - تذكرة الطيران
                  - جواز السفر [done]
                """)
    }

    @Test func everyKindOfBulletIsATask() throws {
        let markdown = "- a\n* b\n+ c\n1. d\n23) e\n- [x] f\n* [ ] g\n4. [X] h\n"
        #expect(
            try outline(markdown)
                == "= untitled\n- a\n- b\n- c\n- d\n- e\n- f [done]\n- g\n- h [done]")
    }

    @Test(arguments: ["  ", "    ", "\t", "   "])
    func spacesOrTabsNestTasks(indentation: String) throws {
        let markdown = """
            - a
            \(indentation)- b
            \(indentation)\(indentation)- c
            \(indentation)- d
            - e
            """
        #expect(try outline(markdown) == "= untitled\n- a\n  - b\n    - c\n  - d\n- e")
    }

    @Test func aNumberedItemsChildrenMayBeIndentedLikeABullets() throws {
        #expect(try outline("1. a\n  - b\n   - c\n10. d") == "= untitled\n- a\n  - b\n  - c\n- d")
    }

    @Test func anIndentedListIsAtTheTopLevel() throws {
        #expect(try outline("    - a\n      - b\n    - c") == "= untitled\n- a\n  - b\n- c")
    }

    @Test func aLessIndentedLineStaysUnderTheSameParent() throws {
        #expect(try outline("- a\n      - b\n   - c") == "= untitled\n- a\n  - b\n  - c")
    }

    @Test func linesBelowATaskContinueItsTitle() throws {
        #expect(
            try outline("- [ ] a long\n  title that\nwraps\n- b") == """
                = untitled
                - a long title that wraps
                - b
                """)
    }

    @Test func laterHeadingsOfAnyLevelAreSections() throws {
        let markdown = "# T\n- a\n# One #\n### Two\n- b\n\nThree\n===\n- c\n\nFour\n---\n"
        #expect(try outline(markdown) == "= T\n- a\n# One\n# Two\n- b\n# Three\n- c\n# Four")
    }

    @Test func aHeadingAfterTasksIsASection() throws {
        #expect(try outline("- a\n\n# One\n- b") == "= untitled\n- a\n# One\n- b")
    }

    @Test func escapesAndReferencesAreDecoded() throws {
        let markdown = ##"""
            - \# not a heading, \[x\] no box, 100\% a\_b \\ C:\new
            - Q&amp;A &lt;b&gt; &#8364; &#x20AC; &copy; &#0; & &#xD800;
            - `\d+\.\d &amp;` and \`no code\_
            - **bold** [link](https://example.com/a_b) ~~gone~~
            """##
        #expect(
            try outline(markdown) == ##"""
                = untitled
                - # not a heading, [x] no box, 100% a_b \ C:\new
                - Q&A <b> € € &copy; \##u{FFFD} & \##u{FFFD}
                - `\d+\.\d &amp;` and `no code_
                - **bold** [link](https://example.com/a_b) ~~gone~~
                """##)
    }

    @Test func otherTextIsSkippedAndReported() throws {
        let markdown = """
            ---
            tags: [home]
            ---
            # T
            Some words
            about it.

            - a

              A paragraph.
            ***
            > - [ ] quoted
            <!-- - [ ] hidden
            - [ ] too -->
            | a | b |
            ```sh
            - [ ] in code
            ```
            - b
            ~~~
            - [ ] in code to the end
            """
        let imported = try ListFileFormat.markdown.read(markdown)
        #expect(TextOutline(imported.list).description == "= T\n- a\n- quoted\n- b")
        #expect(
            imported.report == [
                "1: left out: front matter (to line 3)",
                "5: left out: text outside tasks (to line 6)",
                "10: left out: a paragraph of a task",
                "11: left out: a rule",
                "13: left out: a comment (to line 14)",
                "15: left out: text outside tasks",
                "16: left out: a code block (to line 18)",
                "20: left out: a code block without an end (to line 21)",
            ])
    }

    @Test func allLineEndsAreAccepted() throws {
        for end in ["\n", "\r\n", "\r"] {
            let markdown = "\u{FEFF}# T" + end + "- a" + end + "  - b" + end
            #expect(try outline(markdown) == "= T\n- a\n  - b")
        }
    }

    @Test func combiningMarksDoNotHideSyntax() throws {
        #expect(try outline("- [ ] \u{301}a\n-\u{301}") == "= untitled\n- \u{301}a -\u{301}")
    }

    @Test func deeperTasksBecomeTasksOfTheSixteenthLevel() throws {
        func nested(_ levels: Int) -> String {
            (0..<levels).map { String(repeating: "  ", count: $0) + "- x\n" }.joined()
        }
        #expect(try ListFileFormat.markdown.read(nested(16)).report == [])
        let imported = try ListFileFormat.markdown.read(nested(18) + "- y")
        #expect(imported.list.tasks.map(\.depth) == Array(0..<16) + [15, 15, 0])
        #expect(
            imported.report == [
                "17: changed: a task nested deeper than 16 levels (to line 18)"
            ])
    }

    @Test func longTitlesAreShortened() throws {
        let longest = String(repeating: "é", count: 2_048)
        for (line, text) in [
            (1, "# \(longest)x"), (2, "# t\n- \(longest)é"), (2, "- a\n## \(longest)x"),
        ] {
            let imported = try ListFileFormat.markdown.read(text)
            #expect(
                imported.report == [
                    "\(line): shortened: a title with more than 4096 bytes of UTF-8"
                ])
            let titles = TextOutline(imported.list).description.split(separator: "\n")
                .map { $0.dropFirst(2) }
            #expect(titles.contains { $0 == longest })
        }
        #expect(
            Array(try ListFileFormat.markdown.read("- x\(longest)").list.tasks)[0].content.title
                == "x" + longest.dropLast())
        for text in ["- \(longest)", "- " + String(repeating: "&#97;", count: 4_096)] {
            #expect(try ListFileFormat.markdown.read(text).report == [])
        }
    }

    @Test func invalidTextIsRefusedWithItsLine() {
        func line(_ bytes: [UInt8]) -> Int? {
            do {
                _ = try ListFileFormat.markdown.read(bytes)
                return nil
            } catch {
                return (error as? ImportError)?.line
            }
        }
        #expect(line(Array("- a\n- b".utf8) + [0xFF]) == 2)
        #expect(line(Array("- a\n\n- b".utf8) + [0]) == 3)
    }

    @Test func utf16WithAByteOrderMarkIsAccepted() throws {
        let units = Array("\u{FEFF}# שבת\r\n- [x] 🍞\r\n".utf16)
        let littleEndian = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let bigEndian = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [littleEndian, bigEndian] {
            let imported = try ListFileFormat.markdown.read(bytes)
            #expect(TextOutline(imported.list).description == "= שבת\n- 🍞 [done]")
        }
        for bytes in [Array(littleEndian.dropLast()), littleEndian + [0x00, 0xD8]] {
            #expect(
                throws: ImportError(reason: "The file is not valid UTF-16. Save it as UTF-8 text.")
            ) {
                try ListFileFormat.markdown.read(bytes)
            }
        }
    }

    @Test func aFileWithoutAnyTaskOrHeadingContainsNoList() throws {
        for text in ["", "\n\n", "just words", "<html>", "```\n- code\n```", "---\na: 1\n---\n"] {
            #expect(try ListFileFormat.markdown.readIfAny(Array(text.utf8))?.list == nil)
        }
    }
}
