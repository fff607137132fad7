import ReorderJSON

/// Texts to accept and to refuse, selected like the public JSONTestSuite (nst/JSONTestSuite): its
/// y_ cases, its n_ cases, and this server's decision for its i_ cases.
enum JSONSyntaxCases {
    static let accepted: [String] = [
        // Arrays
        "[[]   ]", "[\"\"]", "[]", "[\"a\"]\n", "[false]", "[null, 1, \"1\", {}]", "[null]",
        "[1\n]", " [1]", "[1,null,null,null,2]", "[2] ", " [] ", "[true]", "\t[\r\n1\t,\r2\n]\r\n",
        // Numbers
        "[123e65]", "[0e+1]", "[0e1]", "[ 4]", "[20e1]", "[-0]", "[-0.0]", "[-123]", "[-1]",
        "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]", "[1e+2]", "[123]",
        "[123.456789]", "[-0.\(String(repeating: "0", count: 77))1]", "42", "-0.1", "0",
        "[123.456e-789]", "[123e-10000000]", "[-123123123123123123123123123123]",
        "[100000000000000000000]", "[0e99999999999999999999999]",
        // Objects
        "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}", "{\"asd\":\"sdf\"}", "{}", "{\"\":0}",
        "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }", "{\"a\":[]}", "{\n\"a\": \"b\"\n}",
        "{\"x\":[{\"id\":\"\(String(repeating: "x", count: 40))\"}], \"id\":\"x\"}",
        "{\"title\":\"\\u041f\\u043e\\u043b\\u0442\\u043e\\u0440\\u0430\" }",
        // Strings
        #"["\u0060\u012a\u12AB"]"#, #"["\uD801\udc37"]"#, #"["\ud83d\ude39\ud83d\udc8d"]"#,
        #"["\"\\\/\b\f\n\r\t"]"#, #"["\\u0000"]"#, #"["\""]"#, #"["a/*b*/c/*d//e"]"#,
        #"["\\a"]"#, #"["\\n"]"#, #"["\u0012"]"#, #"["\uFFFF"]"#, #"[ "asd"]"#,
        #"["\uDBFF\uDFFF"]"#, #"["new\u00A0line"]"#, "[\"\u{10FFFF}\"]", "[\"\u{FFFF}\"]",
        #"["\u002c"]"#, "[\"π\"]", "[\"\u{1BFFF}\"]", "[\"asd \"]", "\" \"", "\"\"", "\"asd\"",
        #"["\uD834\uDd1e"]"#, #"["\u0821"]"#, #"["\u0123"]"#, "[\"\u{2028}\"]",
        "[\"\u{2029}\"]", #"["\u0061\u30af\u30EA\u30b9"]"#, #"["new\u000Aline"]"#,
        "[\"\u{7F}\"]", #"["\uA66D"]"#, #"["\u005C"]"#, "[\"⍂㈴⍂\"]", #"["\uDBFF\uDFFE"]"#,
        #"["\uD83F\uDFFE"]"#, #"["\u200B"]"#, #"["\u2064"]"#, #"["\uFDD0"]"#, #"["\uFFFE"]"#,
        #"["\u0022"]"#, "[\"€𝄞\"]", "[\"a\u{7F}a\"]", "[\"\u{FEFF}\"]",
        // Literals
        "true", "false", "null", " true ",
    ]

    /// Valid by RFC 8259, but refused.
    static let refusedBeyondTheStandard: [(JSONError.Kind, [String])] = [
        (.duplicateMember, [#"{"a":"b","a":"c"}"#, #"{"a":"b","a":"b"}"#]),
        (.nul, [#"{"foo\u0000bar": 42}"#, #"["\u0000"]"#]),
    ]

    static let refused: [(JSONError.Kind, [String])] = [
        (.empty, ["", " ", "\n\t"]),
        (.byteOrderMark, ["\u{FEFF}", "\u{FEFF}{}"]),
        (
            .unexpectedEnd,
            [
                "[\"x\"", "[\"a\",\n4\n,1,", "[\"\"", "[1,", "[1,\n1\n,1", "[{}", "{\"a\":",
                "{\"a\"", "{\"a\":\"a", "\"", #"["\"]"#, #"["\\\"]"#, "[\"asd]", "[", "[\"a",
                "{", "{\"a", "[1", "[ false, nul", "[ true, fals", "[ false, tru", "-", "1e", "1.",
                "{\"asd\":\"asd\"", "{\"x\": true,", "{\"\":", "[\"\\", "\"\\",
            ]
        ),
        (
            .expectedValue,
            [
                "[,1]", "[1,,2]", "[\"x\",,]", "[\"\",]", "[x", "[,]", "[   , \"\"]", "[1,]",
                "[1,,]", "[\u{B}]", "[*]", "[fals]", "[nul]", "[tru]", "[++1234]", "[+1]",
                "[+Inf]", "[.-1]", "[.2e-3]", "[\"x\", truth]", "[Inf]", "[NaN]", "[１]",
                "[Infinity]", "[.123]",
                "{\"x\"::\"b\"}", "[é]", #"[\u0020"asd"]"#, "[\\n]", "['single quote']", "abc",
                "[\u{2060}]", "<.>", "[<null>]", "aå", "[True]", "]", "[']", "å", "é", "*",
                #"[\u000A""]"#, "[\u{C}]", "{\"a\":/*comment*/\"b\"}", "[\u{0}]", "}", ",",
            ]
        ),
        (
            .expectedName,
            [
                "{[: \"x\"}\n", "{🇨🇭}", "{key: 'value'}", "{:\"b\"}", "{1:1}", "{9999E9999:1}",
                "{null:null,null:null}", "{\"id\":0,,,,,}", "{'a':0}", "{\"id\":0,}",
                "{\"a\":\"b\",,\"c\":\"d\"}", "{a: \"b\"}", "{]", "{,", "{[", "{'a'",
            ]
        ),
        (
            .expectedColon,
            [
                "{\"x\", null}", "{\"a\" b}", "{\"a\" \"b\"}", "{ \"foo\" : \"bar\", \"a\" }",
                "{\"a\"=1}",
            ]
        ),
        (
            .expectedCommaOrEnd,
            [
                "[1 true]", "[\"\": 1]", "[3[4]]", "[1:2]", "[1truth]",
                "[-1.0.]", "[0.1.2]", "[1 000.0]", "[1+2]", "[0x1]", "[0x42]", "[-123.123foo]",
                "[-1x]", "[1.2a-3]", "[1.8H-308]", "{\"a\":\"a\" 123}", "[1}", "{\"a\":1]",
            ]
        ),
        (
            .trailingBytes,
            [
                "[\"\"],", "[\"x\"]]", "123\u{0}", "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}//",
                "{\"a\":\"b\"}/", "{\"a\":\"b\"}#", "\"\"x", "[1]x", "[1]]", "1]", "[][]", "2@",
                "{}}", "{\"a\": true} \"x\"", "{\"a\":\"b\"}#{}", "1 2", "truefalse", "nullx",
            ]
        ),
        (
            .invalidNumber,
            [
                "[-]", "[-01]", "[-2.]", "[-NaN]", "[0.3e+]", "[0.3e]", "[0.e1]", "[0E+]", "[0E]",
                "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1eE2]", "[2.e+3]", "[2.e-3]",
                "[2.e3]", "[9.e+]", "[0e+-1]", "[-Infinity]", "[-foo]", "[- 1]", "[-012]",
                "[-.123]", "[1ea]", "[1.]", "[012]", "00", "-00",
            ]
        ),
        (
            .numberOutOfRange,
            [
                "[0.4e006699999999999999999999999999999999]", "[-1e+9999]", "[1.5e+9999]",
                "[-123123e100000]", "[123123e100000]", "1E400", "1e309", "1.8e308", "-1.8e308",
                "0.00018e312", "1\(String(repeating: "0", count: 309))",
            ]
        ),
        (.controlCharacter, ["[\"new\nline\"]", "[\"\t\"]", "[\"\u{1}\"]", "[\"\u{1F}\"]"]),
        (.nul, ["[\"a\u{0}a\"]", "{\"\u{0}\":1}"]),
        (
            .invalidEscape,
            [
                #"["\x00"]"#, "[\"\\\t\"]", "[\"\\🌀\"]", #"["\u00A"]"#, #"["\a"]"#,
                #"["\uqqqq"]"#, "\"\\UA66D\"", "[\"\\\u{0}\"]", #"["\u"]"#, #"["\u12"#,
            ]
        ),
        (
            .loneSurrogate,
            [
                #"["\uD800\"]"#, #"["\uD800\u"]"#, #"["\uD800\u1"]"#, #"["\uD800\u1x"]"#,
                #"["\uD834\uDd"]"#, #"["\uD800\uD800\x"]"#, #"{"\uDFAA":0}"#, #"["\uDADA"]"#,
                #"["\uD888\u1234"]"#, #"["\uD800\n"]"#, #"["\uDd1ea"]"#, #"["\uD800\uD800\n"]"#,
                #"["\ud800abc"]"#, #"["\uDd1e\uD834"]"#, #"["\uDFAA"]"#, #"["\uDBFF"#,
            ]
        ),
    ]

    /// Bytes that a Swift string can't contain.
    static let refusedBytes: [(JSONError.Kind, [[UInt8]])] = [
        (
            .invalidUTF8,
            [
                [0xFF], [0xFE], [0x80], [0xBF], [0x81], [0xE9], [0xC0, 0xAF], [0xC1, 0xBF],
                [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE0, 0xFF],
                [0xE6, 0x97], [0xE6, 0x97, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
                [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x8C],
                [0xF0, 0x9F, 0x8C, 0x41], [0xF4, 0x90, 0x80, 0x80], [0xF4, 0xBF, 0xBF, 0xBF],
                [0xF5, 0x80, 0x80, 0x80], [0xFA], [0xFC, 0x80, 0x80, 0x80, 0x80, 0x80],
                [0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF],
            ].map { Array("[\"x".utf8) + $0 + Array("\"]".utf8) }
        ),
        (.invalidEscape, [Array("[\"\\".utf8) + [0xE5] + Array("\"]".utf8)]),
        (.invalidEscape, [Array("[\"\\u".utf8) + [0xE5] + Array("\"]".utf8)]),
        (.expectedValue, [[0xE5], Array("[".utf8) + [0xFF] + Array("]".utf8)]),
        (.expectedValue, [[0xEF, 0xBB] + Array("{}".utf8)]),
        // UTF-16, with a byte order mark and without.
        (
            .expectedValue,
            [[0xFF, 0xFE, 0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D, 0x00]]
        ),
        (.expectedValue, [[0x00, 0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D]]),
        (.expectedValue, [[0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D, 0x00]]),
        (.expectedName, [Array("{".utf8) + [0xB9] + Array("\":\"0\",}".utf8)]),
        (.invalidUTF8, [Array("{\"".utf8) + [0xB9] + Array("\":\"0\"}".utf8)]),
        (.expectedCommaOrEnd, [Array("[0".utf8) + [0xE5] + Array("]\n".utf8)]),
        (.expectedCommaOrEnd, [Array("[123".utf8) + [0xE5] + Array("]".utf8)]),
        (.invalidNumber, [Array("[1e".utf8) + [0xE5] + Array("]".utf8)]),
        (.expectedCommaOrEnd, [Array("[1e1".utf8) + [0xE5] + Array("]".utf8)]),
    ]
}
