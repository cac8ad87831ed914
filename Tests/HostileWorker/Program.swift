import AlcedoWorker
import CIsolation
import CSeccomp

/// A helper program of the tests, which does what a decoder that has been taken over might do.
///
/// It restricts itself as the others do, and then misbehaves as the bytes say that it is asked to decode. Under
/// another name it runs as on a kernel that lacks something.
@main
enum Program {
    static func main() {
        _ = SystemCall.parent
        let path = alcedo_started_path().map { String(cString: $0) } ?? ""
        Kernel(rawValue: path.split(separator: "/").last.map(String.init) ?? "")?.imitate()
        DecodeWorker([HostileCodec()]).run()
    }
}

/// A system whose workers can be restricted less.
private enum Kernel: String {
    case withoutLandlock = "without-landlock"
    case withoutSeccomp = "without-seccomp"

    /// As a container whose own filter ends what sets a filter.
    case endsFilters = "ends-filters"

    /// Has some system calls fail from now on.
    func imitate() {
        // SCMP_ACT_ALLOW, SCMP_ACT_ERRNO(ENOSYS) and SCMP_ACT_KILL_PROCESS.
        let (allows, fails, ends): (UInt32, UInt32, UInt32) = (0x7FFF_0000, 0x0005_0026, 0x8000_0000)
        guard let filter = seccomp_init(allows) else { return }
        defer { seccomp_release(filter) }
        func add(_ name: String, _ action: UInt32, _ conditions: [scmp_arg_cmp] = []) {
            let number = seccomp_syscall_resolve_name(name)
            seccomp_rule_add_array(filter, action, number, UInt32(conditions.count), conditions)
        }
        switch self {
        case .withoutLandlock: add("landlock_create_ruleset", fails)
        case .withoutSeccomp, .endsFilters:
            let action = self == .endsFilters ? ends : fails
            add("seccomp", action)
            // PR_SET_SECCOMP.
            add("prctl", action, [scmp_arg_cmp(arg: 0, op: SCMP_CMP_EQ, datum_a: 22, datum_b: 0)])
        }
        seccomp_load(filter)
    }
}
