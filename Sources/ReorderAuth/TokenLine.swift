import ReorderJSON

/// One line of a token file.
package struct TokenLine: Sendable {
    package var name: String
    package var digest: TokenDigest
    package var grants: Grants
    /// The grants as written.
    private var forms: [GrantForm]

    package struct FormatError: Error, CustomStringConvertible {
        package var reason: String
        package var description: String { reason }

        init(reason: String) { self.reason = reason }
    }

    package init(
        name: String, digest: TokenDigest, grants forms: [GrantForm]
    ) throws(FormatError) {
        guard TokenTable.isValid(name: name) else {
            throw FormatError(
                reason:
                    "name must have 1 to \(TokenTable.maximumNameBytes) bytes, without characters "
                    + "that control lines or directions")
        }
        do throws(Grants.FormatError) {
            grants = try Grants(forms: forms)
        } catch {
            let member = forms.count == 1 ? "lists" : "grants"
            throw FormatError(reason: "\(member) is invalid. \(error.reason)")
        }
        self.name = name
        self.digest = digest
        self.forms = forms
    }

    init(json: String) throws(FormatError) {
        let text: JSONText
        do throws(JSONError) {
            text = try JSONText(credential: Array(json.utf8))
        } catch {
            throw FormatError(
                reason: error.kind == .duplicateMember
                    ? "a member occurs twice" : "it is not a JSON object")
        }
        var reader = JSONReader(text)
        let form: Form
        do throws(JSONTypeError) {
            form = try Form(from: &reader)
        } catch {
            throw FormatError(reason: error.located)
        }
        try self.init(name: form.name, digest: form.digest, grants: form.grants)
    }

    /// The line without its line end. A single grant is written without `grants`.
    package var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", name)
        writer.member("sha256", digest.hexadecimal)
        if forms.count == 1 {
            writer.members(of: forms[0].members)
        } else {
            writer.grants(forms)
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private struct Form {
        let name: String
        let digest: TokenDigest
        let grants: [GrantForm]

        init(from reader: inout JSONReader) throws(JSONTypeError) {
            var (name, digest) = (String?.none, TokenDigest?.none)
            var grants: [GrantForm]?
            var own = GrantMembers()
            try reader.beginObject()
            while let member = reader.nextMember() {
                switch member {
                case "name": name = try reader.readString()
                case "sha256":
                    digest = TokenDigest(hexadecimal: try reader.readString())
                    guard digest != nil else {
                        throw reader.invalid("It must have 64 hexadecimal digits.")
                    }
                case "grants": grants = try GrantForm.readAll(from: &reader)
                default:
                    guard try own.read(member, from: &reader) else {
                        throw reader.unknownMember(
                            allowed: ["name", "sha256", "grants"] + GrantMembers.names)
                    }
                }
            }
            self.name = try reader.required(name, "name")
            self.digest = try reader.required(digest, "sha256")
            guard grants == nil || own.scope == nil && own.patterns == nil else {
                throw reader.invalid("A line has either grants, or scope and, perhaps, lists.")
            }
            self.grants = if let grants { grants } else { [try own.grant(reader)] }
        }
    }
}
