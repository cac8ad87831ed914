import AlcedoHTTPServer
import AlcedoTestSupport
import AlcedoWaiting
import Foundation
import Testing

@testable import AlcedoServer

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

    private func line(_ format: LogFormat) -> String {
        var line = LogLine(format)
        line.add("level", "warn")
        line.add("id", "a")
        line.add("path", "/a b\u{1B}\"")
        line.add("status", 404)
        line.add("reason", "x=1\n")
        line.add("empty", "")
        line.add("ms", Duration.microseconds(1500))
        line.add("aborted", true)
        return line.line
    }

    @Test func `the log quotes in logfmt what is more than a word, and keeps each line one`() {
        let logfmt =
            #"level=warn id=a path="/a b\u001b\"" status=404 reason="x=1\u000a" empty="" ms=1.5 aborted=true"#
        #expect(line(.logfmt) == logfmt + "\n")
    }

    @Test func `the log leaves out names that readers know when it is pretty`() {
        let pretty = #"warn id=a /a b\u001b\" 404 reason="x=1\u000a" empty="" ms=1.5 aborted=true"#
        #expect(line(.pretty) == pretty + "\n")
    }

    @Test(arguments: [(LogLevel.info, 5), (.warn, 4), (.error, 2)])
    func `the log leaves out what matters less than its level`(level: LogLevel, count: Int) async {
        let lines = Recorder<String>()
        let log = RequestLog(LogWriter { lines.append($0) }, format: .logfmt, level: level)
        log.write("start", "a")
        log.write("warning", "b")
        log.write("error", "c")
        for status in [404, 500] {
            log.write(
                RequestLog.Entry(
                    id: "i", method: "GET", client: "192.0.2.1", path: "/",
                    response: ServerResponse(HTTPResponse(status: status)), bytes: 0, isSent: true,
                    time: .zero, sending: .zero))
        }
        await log.writer.flush(within: 600)
        let text = lines.values.joined()
        #expect(text.filter(\.isNewline).count == count, "\(text)")
        #expect(text.contains("level=error id=i method=GET client=192.0.2.1 path=/ status=500 "))
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
