import AlcedoLocks
import CFaults

/// A fault of the system's calls, until it is removed; see `CFaults.h`.
final class Fault: Sendable {
    private let number: Int32

    /// How many such calls there were; nil before it is removed.
    ///
    /// Its number may be another one's afterwards.
    private let removed = Lock<Int?>(nil)

    /// Adds a fault: `"hang read,pread /folder 2"`.
    init(_ text: String) {
        number = alcedo_faults_add(text)
        precondition(number >= 0, "not a fault: \(text)")
    }

    deinit { remove() }

    /// How many such calls there were, hit or not.
    var calls: Int { Int(alcedo_faults_calls(number)) }

    /// How many calls hang now.
    var hung: Int { Int(alcedo_faults_hung(number)) }

    /// The name of the call that was hit last.
    var hit: String {
        var name = [CChar](repeating: 0, count: Int(FAULT_NAME))
        alcedo_faults_hit(number, &name)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Blocks the thread until so many calls hang; false if they don't within the time.
    func waitUntilHung(_ count: Int = 1, milliseconds: Int) -> Bool {
        alcedo_faults_wait(number, Int32(count), Int32(milliseconds)) == 1
    }

    /// Removes it, once or again, and lets its calls go on; returns how many such calls there were.
    @discardableResult
    func remove() -> Int {
        removed.withLock { removed in
            let calls = removed ?? Int(alcedo_faults_remove(number))
            removed = calls
            return calls
        }
    }
}
