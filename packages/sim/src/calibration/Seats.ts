import { Client, type ClientRoom } from "@atrium/sdk/client"
import type { AnyRoomSchema } from "@atrium/sdk/schema"

import { loadSocket } from "../load/LoadSocket.ts"
import { mintedTokens } from "../load/LoadTokens.ts"

/** A player in a room, and how long the join took. */
export interface Seat<S extends AnyRoomSchema> {
  readonly room: ClientRoom<S>
  readonly joinMs: number
}

/** Joins rooms of one project. */
export class Seats {
  readonly traffic = { bytesIn: 0, bytesOut: 0 }
  readonly #url: string
  readonly #project: string
  readonly #webSocket = loadSocket(this.traffic, null)

  constructor(url: string, project: string) {
    this.#url = url
    this.#project = project
  }

  /** All players are one: the service limits how many identities a project has in a minute. */
  #token: Promise<string> | null = null

  async join<S extends AnyRoomSchema>(schema: S, roomId: string): Promise<Seat<S>> {
    this.#token ??= mintedTokens(this.#url, this.#project)("", null)
    const token = await this.#token
    const client = new Client(this.#url, {
      project: this.#project,
      getToken: () => token,
      webSocket: this.#webSocket
    })
    const startedAtMs = performance.now()
    const room = await client.joinOrCreate(schema, { roomId })
    return { room, joinMs: performance.now() - startedAtMs }
  }
}

interface Leaver {
  readonly room: { leave(): Promise<void> }
}

/** All of them leave for good. */
export const leaveAll = async (seats: ReadonlyArray<Leaver>): Promise<void> => {
  await Promise.all(seats.map(({ room }) => room.leave()))
}
