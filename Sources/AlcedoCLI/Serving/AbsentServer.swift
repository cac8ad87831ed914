#if !Server
    /// `alcedo serve` in a build without the trait Server.
    struct ServeCommand: Command {
        static let name = "serve"
        static let synopsis = "serve …"
        static let summary = "Not in this build: it needs the package trait Server."
        static let details = unavailability ?? ""
        static let examples: [Example] = []
        static let options: [Arguments.Option] = []
        static let unavailability: String? =
            "alcedo serve is not in this build; build it with the package trait Server"

        init(_ arguments: Arguments) {}

        func run() async throws -> ExitCode { .failure }
    }
#endif
