extension Setting {
    static let videos: [Setting] = [
        Setting(
            "ENABLE_VIDEO_THUMBNAILS", "false",
            "whether a frame is shown of sources that are videos; needs a build with the trait Video"
        ) {
            let isOn = try truth($1)
            #if Video
                $0.responses.showsVideoFrames = isOn
            #else
                if isOn {
                    throw Rejected("false, as this build lacks the package trait Video")
                }
            #endif
        },
        Setting(
            "VIDEO_THUMBNAIL_SECOND", "1", "the time of the frame, in seconds from the start of the video"
        ) {
            $0.urls.defaults.videoSecond = try decimal($1, 0...1_000_000)
        },
    ]
}
