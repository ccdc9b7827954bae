/** The places that a run has in its rooms: it fills one room after another, as a matchmaker does. */
export class LoadRooms {
  readonly #name: string
  readonly #maxClients: number
  #made = 0
  /** Rooms that have a place, by their id; the first one is filled first. */
  readonly #open = new Map<string, number>()
  /** Players in each room that has some. */
  readonly #players = new Map<string, number>()
  readonly #persistent = new Set<string>()
  /** Persistent rooms that everybody has left, the longest ago first. */
  readonly #empty = new Set<string>()

  /** @param name begins the id of each room */
  constructor(name: string, maxClients: number) {
    this.#name = name
    this.#maxClients = maxClients
  }

  /** Rooms that have players. */
  get used(): number {
    return this.#players.size
  }

  /**
   * A place in a room. Players come back to persistent rooms that were left, and to no other.
   *
   * @returns the id of the room
   */
  take(persistent: boolean): string {
    const id =
      [...this.#open.keys()].find((open) => this.#persistent.has(open) === persistent) ??
      (persistent ? this.#returned() : null) ??
      this.#another(persistent)
    const free = (this.#open.get(id) ?? this.#maxClients) - 1
    if (free > 0) this.#open.set(id, free)
    else this.#open.delete(id)
    this.#players.set(id, (this.#players.get(id) ?? 0) + 1)
    return id
  }

  /** A player has gone. @param free the place can be taken at once: the service does not keep it */
  leave(id: string, free: boolean): void {
    const players = (this.#players.get(id) ?? 1) - 1
    if (players > 0) {
      this.#players.set(id, players)
      if (free) this.#open.set(id, (this.#open.get(id) ?? 0) + 1)
      return
    }
    this.#players.delete(id)
    this.#open.delete(id)
    if (this.#persistent.has(id)) this.#empty.add(id)
  }

  /** The service has no place there, whatever was counted here. */
  close(id: string): void {
    this.#open.delete(id)
  }

  #returned(): string | null {
    const [id] = this.#empty
    if (id === undefined) return null
    this.#empty.delete(id)
    return id
  }

  #another(persistent: boolean): string {
    this.#made += 1
    const id = `${this.#name}-${this.#made}`
    if (persistent) this.#persistent.add(id)
    return id
  }
}
