import AlcedoGTK

extension ErrorSamples {
    #if GTK
        static let desktop: [NamedError] =
            named(
                "DesktopThumbnailError", DesktopThumbnailError.self,
                [
                    "noFile": .noFile("/a/b.jpg"), "missing": .missing(file: "/a/b.jpg"),
                    "failedBefore": .failedBefore(file: "/a/b.jpg"),
                ]
            ) { $0 }
    #else
        static let desktop: [NamedError] = []
    #endif
}
