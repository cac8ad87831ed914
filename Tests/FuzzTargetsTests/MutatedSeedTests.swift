#if DEBUG
    import AlcedoTestSupport
    import FuzzTargets
    import Testing

    /// What libFuzzer does with coverage, a few thousand times without: sound files with some bytes changed.
    struct `A changed file` {
        private static let targets = FuzzTarget.all.filter { $0.mutations > 0 }.map(\.name)

        /// Larger files take longer, and few of their changes are in headers.
        private static let mostBytes = 6000

        @Test(arguments: targets) func `a changed file is read without a trap`(name: String) throws {
            let target = try #require(FuzzTarget.all.first { $0.name == name })
            let seeds = try Self.seeds(of: target)
            try #require(!seeds.isEmpty)
            for seed in seeds { target.body(seed) }
            // Always the same changes; a trap ends the run, so the target's name has to tell which.
            var generator = SeededGenerator(seed: 0xA1CED0)
            for index in 0..<target.mutations {
                var bytes = seeds[index % seeds.count]
                for _ in 0..<Int.random(in: 1...4, using: &generator) { bytes.mutate(&generator) }
                target.body(bytes)
            }
        }

        private static func seeds(of target: FuzzTarget) throws -> [[UInt8]] {
            let folders = Fixture.list("").filter { $0 != "/fuzz" }
            let files = folders.flatMap { folder in
                target.seeds.flatMap { Fixture.list(folder, withExtension: $0) }
            }
            let all = try (files + Fixture.list("fuzz/\(target.name)")).sorted().map(Fixture.data)
            return all.filter { $0.count <= mostBytes }
        }
    }

    extension [UInt8] {
        /// One change, as fuzzers make them.
        fileprivate mutating func mutate(_ generator: inout SeededGenerator) {
            guard let place = indices.randomElement(using: &generator) else { return append(0) }
            // Headers come first.
            let index = Bool.random(using: &generator) ? place : place % 200 % count
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: self[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            case 1: self[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            case 2:
                let number: UInt32 =
                    [0, 1, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
                    .randomElement(using: &generator) ?? 0
                for (offset, byte) in Swift.withUnsafeBytes(of: number, Array.init).enumerated()
                where index + offset < count {
                    self[index + offset] = byte
                }
            case 3: self[index] = UInt8.random(in: .min ... .max, using: &generator)
            case 4: removeSubrange(index..<Swift.min(count, index + 1 + place % 16))
            case 5: insert(contentsOf: self[index..<Swift.min(count, index + 1 + place % 64)], at: index)
            default: if place > count / 2 { removeSubrange(place...) }
            }
        }
    }
#endif
