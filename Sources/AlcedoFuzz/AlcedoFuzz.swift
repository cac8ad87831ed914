#if !FUZZ
    /// Says how to build it.
    ///
    /// In a build with libFuzzer, which has a main function of its own, `AlcedoFuzz TARGET [OPTION…] [FOLDER…]` has it
    /// try bytes on one part of Alcedo; `AlcedoFuzz --list` names the parts, and `AlcedoFuzz --seeds TARGET` the extensions of
    /// its seeds.
    @main
    enum AlcedoFuzz {
        static func main() {
            print("This build has no libFuzzer. Try: make fuzz SECONDS=60 TARGETS=png")
        }
    }
#endif
