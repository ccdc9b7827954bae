import { Tracer } from "effect"

/** What a span of the store's listings says of them. */
const listingSpan = "ObjectStore.listWith"

/**
 * What the service is doing, as its own tracing tells: which of its steps are under way, and how
 * often the objects of a project were listed. A request that is being answered is no step: it may be
 * the one that asks, and an actor's answers an order to stay.
 */
export class LiveWork {
  readonly #open = new Set<Tracer.Span>()
  readonly #listings = new Map<string, number>()

  readonly tracer = Tracer.make({
    span: (options) => {
      const span = new WatchedSpan(options, (ended) => this.#ended(ended))
      if (options.kind !== "server") this.#open.add(span)
      return span
    }
  })

  #ended(span: Tracer.Span): void {
    this.#open.delete(span)
    const prefix = span.name === listingSpan ? span.attributes.get("prefix") : undefined
    if (typeof prefix !== "string") return
    // `rooms/<project>/<room>/…`
    const project = prefix.split("/")[1] ?? ""
    this.#listings.set(project, this.listings(project) + 1)
  }

  /** Names of the steps that are under way. */
  get underWay(): ReadonlyArray<string> {
    return [...this.#open].map(({ name }) => name)
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
