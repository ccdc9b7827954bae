import { setTimeout as pause } from "node:timers/promises"

import { Client } from "@atrium/sdk/client"
import { defineSchema } from "@atrium/sdk/schema"

/** What the suite wants done with our client library: docs/conformance-adapter.md. */
export interface LibraryClient {
  readonly baseUrl: string
  readonly project: string | null
  readonly room: string
  readonly type: string
  readonly forMs: number
}

interface Fate {
  joined: boolean
  ended: boolean
  /** The library's words for why it did not come in. */
  why: string | null
  readonly sockets: Array<string>
}

/** Joins a room with the SDK, as a program of a player does, and tells what became of it. */
export const fateOf = async (client: LibraryClient): Promise<Fate> => {
  const fate: Fate = { joined: false, ended: false, why: null, sockets: [] }
  const watched = class extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols)
      fate.sockets.push(url)
    }
  }
  const { project, room, forMs } = client
  const game = new Client(client.baseUrl, {
    ...(project === null ? {} : { project }),
    webSocket: watched
  })
  // The welcome brings the schema of the room.
  const schema = defineSchema({ type: client.type })
  const joined = await game.joinOrCreate(schema, { roomId: room }).catch((error: unknown) => {
    fate.why = String(error)
    return null
  })
  if (joined === null) return fate
  fate.joined = true
  const ended = new Promise<void>((resolve) => {
    joined.onLeave(() => resolve())
  })
  await Promise.race([ended.then(() => (fate.ended = true)), pause(forMs)])
  if (fate.ended) await pause(forMs)
  else await joined.leave()
  return fate
}
