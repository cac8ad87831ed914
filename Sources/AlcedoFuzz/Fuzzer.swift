#if FUZZ
    import AlcedoLocks
    import FuzzTargets
    import Glibc

    /// Seconds of processor time that one input may take.
    private let timeout = 1.5

    private let target = Lock(FuzzTarget.all[0])

    /// Called by libFuzzer first: takes the target's name out of the arguments.
    @_cdecl("LLVMFuzzerInitialize")
    func chooseTarget(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
    ) -> CInt {
        let words = arguments.pointee
        let name = count.pointee > 1 ? words[1].map { String(cString: $0) } : nil
        if name == "--seeds", count.pointee > 2, let wanted = words[2].map({ String(cString: $0) }) {
            print(FuzzTarget.all.first { $0.name == wanted }?.seeds.joined(separator: "\n") ?? "")
            exit(0)
        }
        guard let chosen = FuzzTarget.all.first(where: { $0.name == name }) else {
            print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
            exit(name == "--list" ? 0 : 64)
        }
        target.withLock { $0 = chosen }
        for index in 1..<Int(count.pointee) { words[index] = words[index + 1] }
        count.pointee -= 1
        return 0
    }

    /// Called by libFuzzer with each input; ends the process at a finding.
    @_cdecl("LLVMFuzzerTestOneInput")
    func tryOut(_ base: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let body = target.withLock { $0.body }
        let start = clock()
        body([UInt8](UnsafeBufferPointer(start: base, count: count)))
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        if seconds > timeout { fatalError("it took \(seconds) seconds of processor time") }
        return 0
    }
#endif
