#if !Server
    /// `alcedo serve` in a build without the trait Server.
    struct ServeCommand: AbsentServerCommand {
        static let name = "serve"
        init(_ arguments: Arguments) {}
    }

    /// `alcedo url` in a build without the trait Server.
    struct URLCommand: AbsentServerCommand {
        static let name = "url"
        init(_ arguments: Arguments) {}
    }

    protocol AbsentServerCommand: Command {}

    extension AbsentServerCommand {
        static var synopsis: String { "\(name) …" }
        static var summary: String { "Not in this build: it needs the package trait Server." }
        static var details: String { unavailability ?? "" }
        static var options: [Arguments.Option] { [] }
        static var unavailability: String? {
            "alcedo \(name) is not in this build; build it with make install TRAITS=HEIF,JXL,TIFF,JP2,SVG,Server"
        }

        func run() async throws -> ExitCode { .failure }
    }
#endif
