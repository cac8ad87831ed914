extension Setting {
    static let aws: [Setting] = [
        Setting("AWS_REGION", "", "the region, unless S3_REGION is set", isCommon: true) {
            $0.unread.aws.region = try region($1)
        },
        Setting(
            "AWS_ACCESS_KEY_ID", "", "the ID of the access key for S3", isSecret: true,
            isCommon: true
        ) {
            $0.unread.stores[.s3, default: UnreadStore()].credentials.keyID = try headerText($1)
        },
        Setting("AWS_SECRET_ACCESS_KEY", "", "the secret of the access key", isSecret: true, isCommon: true) {
            $0.unread.stores[.s3, default: UnreadStore()].credentials.secret = $1
        },
        Setting(
            "AWS_SESSION_TOKEN", "", "the session token of a temporary access key", isSecret: true,
            isCommon: true
        ) {
            $0.unread.stores[.s3, default: UnreadStore()].credentials.sessionToken = try headerText($1)
        },
        Setting(
            "AWS_ENDPOINT_URL_STS", "",
            "the endpoint for assuming roles, such as http://127.0.0.1:9000; AWS by default",
            isCommon: true
        ) {
            $0.unread.aws.roleService = try endpoint($1)
        },
        Setting(
            "AWS_WEB_IDENTITY_TOKEN_FILE", "",
            "the file with the token of an account in Kubernetes, if there is no access key; AWS sets it",
            isCommon: true
        ) {
            $0.unread.aws.webIdentityFile = $1
        },
        Setting("AWS_ROLE_ARN", "", "the role of that account; AWS sets it", isCommon: true) {
            $0.unread.aws.role = try roleName($1)
        },
        Setting("AWS_ROLE_SESSION_NAME", "alcedo", "the name that AWS logs for that role", isCommon: true) {
            guard (2...64).contains($1.utf8.count),
                $1.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "_+=,.@-".utf8.contains($0) })
            else { throw Rejected("2 to 64 letters, digits and _+=,.@-") }
            $0.unread.aws.session = $1
        },
        Setting(
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "",
            "the path on 169.254.170.2 where a task gets keys, if there is no access key; AWS sets it",
            isCommon: true
        ) {
            guard $1.hasPrefix("/"), case let container = ObjectStore.Endpoint.awsContainer,
                let place = ObjectStore.Endpoint("\(container.text)\($1)")
            else {
                throw Rejected("a path")
            }
            $0.unread.aws.taskService = place
        },
        Setting(
            "AWS_CONTAINER_CREDENTIALS_FULL_URI", "",
            "the URL where a pod gets keys, if there is no access key; AWS sets it", isCommon: true
        ) {
            $0.unread.aws.containerService = try endpoint($1)
        },
        Setting(
            "AWS_CONTAINER_AUTHORIZATION_TOKEN", "", "the token for that URL; AWS sets it", isSecret: true,
            isCommon: true
        ) {
            $0.unread.aws.containerToken = try headerText($1)
        },
        Setting(
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "", "the file with the token for that URL; AWS sets it",
            isCommon: true
        ) {
            $0.unread.aws.containerFile = $1
        },
        Setting(
            "AWS_EC2_METADATA_DISABLED", "false", "whether the role of the machine is not used",
            isCommon: true
        ) {
            $0.unread.aws.isMachineOff = try truth($1)
        },
        Setting(
            "AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://169.254.169.254",
            "the URL where the machine gets keys, if nothing else gives some", isCommon: true
        ) {
            $0.unread.aws.machineService = try endpoint($1)
        },
    ]
}

/// The texts about AWS, for S3.
struct UnreadAWS: Sendable {
    var region: String?
    var roleService: ObjectStore.Endpoint?
    var webIdentityFile = ""
    var role = ""
    var session = "alcedo"
    var taskService: ObjectStore.Endpoint?
    var containerService: ObjectStore.Endpoint?
    var containerToken = ""
    var containerFile = ""
    var isMachineOff = false
    var machineService = ObjectStore.Endpoint.awsMachine
}

extension SettingTexts {
    /// The keys for S3: those that are given, or those of where the server runs.
    func keys(
        _ texts: UnreadTexts, for setting: String, region: String, hasEndpoint: Bool
    ) throws(SettingFailure) -> AWSKeys {
        let own = texts.stores[.s3]?.credentials ?? AWSCredentials()
        if !own.keyID.isEmpty, !own.secret.isEmpty { return .own(own) }
        if own.keyID.isEmpty, own.secret.isEmpty,
            let kind = try identity(texts.aws, region: region, hasEndpoint: hasEndpoint)
        {
            return .identity(TemporaryCredential(AWSIdentity(kind: kind)))
        }
        throw SettingFailure(
            "\(name(of: setting)) needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which sign requests; "
                + "public buckets have https addresses")
    }

    /// Where keys are asked for, in the order of AWS's own programs; nil if nobody gives them.
    private func identity(
        _ aws: UnreadAWS, region: String, hasEndpoint: Bool
    ) throws(SettingFailure) -> AWSIdentity.Kind? {
        if !aws.webIdentityFile.isEmpty {
            guard !aws.role.isEmpty else {
                throw SettingFailure("\(name(of: "AWS_WEB_IDENTITY_TOKEN_FILE")) needs AWS_ROLE_ARN")
            }
            return .webIdentity(
                file: aws.webIdentityFile, role: aws.role, session: aws.session,
                service: aws.roleService ?? .aws("sts", region: region))
        }
        if let place = aws.taskService ?? aws.containerService {
            return .container(place, token: aws.containerToken, file: aws.containerFile)
        }
        // A service elsewhere knows nothing of the machines of AWS: there, no key is a mistake.
        return hasEndpoint || aws.isMachineOff ? nil : .machine(aws.machineService)
    }
}
