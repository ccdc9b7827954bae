import type { LatestWrite } from "./LatestWrite.ts"

/** Whether a room is in the public registry, whether its game has begun, and what is shown of it there. */
export interface Lobby {
  readonly isPublic: boolean
  readonly started: boolean
  /** JSON that the registry shows with the room; `null` = none. */
  readonly metadata: string | null
}

/**
 * The registry's view of an awake room. The room's code and PATCH move the same flags; what either
 * has said counts at once, and is stored behind. Spec: Rooms rule 5; D-21.
 */
export class RoomLobby {
  readonly #write: LatestWrite<Lobby>
  #lobby: Lobby

  constructor(stored: Lobby, write: LatestWrite<Lobby>) {
    this.#lobby = stored
    this.#write = write
  }

  get started(): boolean {
    return this.#lobby.started
  }

  /** The room's code has set a flag. */
  change(change: Partial<Lobby>): void {
    this.#lobby = { ...this.#lobby, ...change }
    this.#write.write(this.#lobby)
  }

  /** @returns false when the game has started: then nothing has changed */
  publish(isPublic: boolean): boolean {
    if (this.#lobby.started) return false
    this.change({ isPublic })
    return true
  }
}
