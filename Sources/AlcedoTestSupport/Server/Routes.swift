import AlcedoWaiting

/// The replies of each path.
final class Routes: Sendable {
    typealias Handler = @Sendable (ReceivedRequest) -> Reply

    enum Route: Sendable {
        /// One after the other; the last one is repeated.
        case plans([ReplyPlan], next: Int)
        case handler(Handler)
    }

    private let routes = Monitor<[String: Route]>([:])
    private let notFound = ReplyPlan(.status(404))

    func set(_ route: Route, for path: String) { routes.update { $0[path] = route } }

    func plan(for request: ReceivedRequest) -> ReplyPlan {
        let (plan, handler) = routes.update { routes -> (ReplyPlan?, Handler?) in
            switch routes[request.path] {
            case .plans(let plans, let next):
                if next < plans.count - 1 { routes[request.path] = .plans(plans, next: next + 1) }
                return (plans[next], nil)
            case .handler(let handler): return (nil, handler)
            case nil: return (nil, nil)
            }
        }
        return plan ?? handler.map { ReplyPlan($0(request)) } ?? notFound
    }
}
