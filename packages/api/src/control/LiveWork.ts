import { Tracer } from "effect"

/** A start of a server, and what it was started with. */
export interface ServerStart {
  readonly server: string
  readonly boot: string
  readonly vmMemMib: number
  /** Memory for its rooms. */
  readonly roomsMib: number
  readonly connectionsPerIpPerMin: number
}

/** Starts that are remembered of one project. */
const startsMax = 1_000

/**
 * The work of the service, from its own tracing: the steps under way, and how often the objects of a
 * project were listed. A request is no step, as it may be the request that asks for this; and the
 * request of an actor may answer an order to stay.
 */
export class LiveWork {
  readonly #open = new Set<Tracer.Span>()
  readonly #listings = new Map<string, number>()
  readonly #starts = new Map<string, Array<ServerStart>>()

  readonly tracer = Tracer.make({
    span: (options) => {
      const span = new WatchedSpan(options, (ended) => this.#ended(ended))
      if (options.kind !== "server") this.#open.add(span)
      return span
    }
  })

  #ended(span: Tracer.Span): void {
    this.#open.delete(span)
    if (span.name === "ObjectStore.listWith") this.#listed(String(span.attributes.get("prefix")))
    if (span.name === "Server.boot" && span.attributes.has("boot")) this.#started(span.attributes)
  }

  /** @param prefix `rooms/<project>/<room>/…` */
  #listed(prefix: string): void {
    const project = prefix.split("/")[1] ?? ""
    this.#listings.set(project, this.listings(project) + 1)
  }

  #started(told: ReadonlyMap<string, unknown>): void {
    const project = String(told.get("project"))
    const start: ServerStart = {
      server: String(told.get("server")),
      boot: String(told.get("boot")),
      vmMemMib: Number(told.get("vmMemMib")),
      roomsMib: Number(told.get("roomsMib")),
      connectionsPerIpPerMin: Number(told.get("SERVICE_CONNECTIONS_PER_IP_PER_MIN"))
    }
    this.#starts.set(project, [...this.serverStarts(project), start].slice(-startsMax))
  }

  /** Steps that are under way. */
  get underWay(): number {
    return this.#open.size
  }

  /** Starts of a project's servers since the start of the service, the last one last. */
  serverStarts(project: string): ReadonlyArray<ServerStart> {
    return this.#starts.get(project) ?? []
  }

  /** Listings of a project's objects since the start. */
  listings(project: string): number {
    return this.#listings.get(project) ?? 0
  }
}

class WatchedSpan extends Tracer.NativeSpan {
  readonly #ended: (span: Tracer.Span) => void

  constructor(
    options: ConstructorParameters<typeof Tracer.NativeSpan>[0],
    ended: (span: Tracer.Span) => void
  ) {
    super(options)
    this.#ended = ended
  }

  override end(...ending: Parameters<Tracer.NativeSpan["end"]>): void {
    super.end(...ending)
    this.#ended(this)
  }
}
