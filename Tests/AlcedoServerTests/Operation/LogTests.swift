import AlcedoServer
import AlcedoTestSupport
import AlcedoWaiting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `The log` {
    @Test func `the log has one line of JSON whatever a text contains`() throws {
        var line = LogLine()
        line.add("path", "/a\"b\\c\u{1B}[31m\r\n\u{7F}\u{85}\u{2028}ü\u{0}")
        line.add("long", String(repeating: "ü", count: 5000), limit: 100)
        #expect(line.line.filter(\.isNewline).count == 1)
        #expect(
            !line.line.dropLast().unicodeScalars.contains { $0.properties.generalCategory == .control })
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(line.line.utf8)) as? [String: String])
        #expect(object["path"] == "/a\"b\\c\u{1B}[31m\r\n\u{7F}\u{85}\u{2028}ü\u{0}")
        #expect(object["long"] == String(repeating: "ü", count: 50) + "…")
    }

    @Test func `the log drops lines and counts them if its output blocks, and blocks no caller`() async {
        let (gate, written) = (Gate(), Recorder<String>())
        let writer = LogWriter(bound: 10) { lines in
            gate.wait()
            written.append(lines)
        }
        for number in 0..<1000 { writer.append("\(number)\n") }
        #expect(writer.lost == 990)
        gate.open()
        await writer.flush(within: 600)
        #expect(written.values.joined() == (0..<10).map { "\($0)\n" }.joined())
        #expect(written.values.count <= 10)
    }
}
