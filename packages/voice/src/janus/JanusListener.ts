/** A source of sound in a room of Janus. */
export interface Feed {
  readonly feed: number
  readonly mid: string
}

/** Moves slots of one listener to feeds, all of them in one request. */
type Switch = (streams: ReadonlyArray<Feed & { readonly sub_mid: string }>) => Promise<unknown>

/** What the slots of one listener play: as it is wanted, and as Janus was told. One request is under way at a time. */
export class JanusListener {
  readonly #switch: Switch
  readonly #told: Array<Feed>
  #wanted: ReadonlyArray<Feed>
  #mids: ReadonlyArray<string> | null = null
  #syncing: Promise<void> | null = null

  /** @param silence what all slots play at first */
  constructor(slots: number, silence: Feed, switchTo: Switch) {
    this.#switch = switchTo
    this.#told = Array.from({ length: slots }, () => silence)
    this.#wanted = this.#told
  }

  /** The listener's connection is there, and these are its lines. */
  begin(mids: ReadonlyArray<string>): Promise<void> {
    this.#mids = mids
    return this.#sync()
  }

  /** Resolves when Janus has been told, or has refused. */
  play(feeds: ReadonlyArray<Feed>): Promise<void> {
    this.#wanted = feeds
    return this.#sync()
  }

  #sync(): Promise<void> {
    this.#syncing ??= this.#syncAll()
    return this.#syncing
  }

  async #syncAll(): Promise<void> {
    // `#syncing` is set by now, and nothing comes between the last look and its end.
    await Promise.resolve()
    try {
      for (let changes = this.#changes(); changes.length > 0; changes = this.#changes()) {
        for (const { slot, stream } of changes) this.#told[slot] = stream
        // A feed that has just gone cannot be played: the next change tells what comes in its place.
        await this.#switch(changes.map(({ stream }) => stream)).catch(() => {})
      }
    } finally {
      this.#syncing = null
    }
  }

  #changes() {
    return this.#wanted.flatMap((feed, slot) => {
      const mid = this.#mids?.[slot]
      return mid === undefined || feed.feed === this.#told[slot]?.feed
        ? []
        : [{ slot, stream: { ...feed, sub_mid: mid } }]
    })
  }
}
