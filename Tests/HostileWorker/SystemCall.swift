import CSeccomp
import Glibc

/// A system call with its arguments, read from `call <name> <argument>…`.
///
/// An argument is a number, `parent` or `self` for a process, or `page` for the address of a page of memory.
struct SystemCall {
    /// The program that has started this one; read before that is forbidden.
    static let parent = getppid()

    let name: String

    private let number: Int
    private var arguments: [Int] = []

    /// Nil if this system has no such call.
    init?(_ text: String) {
        let words = text.split(separator: " ").dropFirst()
        guard let name = words.first else { return nil }
        self.name = String(name)
        number = Int(seccomp_syscall_resolve_name(self.name))
        guard number >= 0 else { return nil }
        arguments = words.dropFirst().map { Self.value(of: $0) }
    }

    /// Calls the system; the error number is in `errno`.
    func perform() -> Int32 {
        typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
        guard let function = dlsym(nil, "syscall") else { return -1 }
        // Safe because integers are passed to a variadic function as to any other on the systems that Alcedo runs on.
        let call = unsafeBitCast(function, to: Call.self)
        let all = arguments + Array(repeating: 0, count: 6 - arguments.count)
        return call(number, all[0], all[1], all[2], all[3], all[4], all[5]) < 0 ? -1 : 0
    }

    private static func value(of word: Substring) -> Int {
        switch word {
        case "parent": Int(parent)
        case "self": Int(getpid())
        case "page":
            Int(bitPattern: mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        default: word.hasPrefix("0x") ? Int(word.dropFirst(2), radix: 16) ?? 0 : Int(word) ?? 0
        }
    }
}
