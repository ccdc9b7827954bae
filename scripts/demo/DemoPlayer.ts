import type { Client } from "@atrium/sdk/client"

import { arena } from "../../examples/arena/schema.ts"

type ArenaRoom = Awaited<ReturnType<typeof Client.prototype.joinOrCreate<typeof arena>>>
type Player = NonNullable<ReturnType<ArenaRoom["state"]["players"]["get"]>>
type Coin = NonNullable<ReturnType<ArenaRoom["state"]["coins"]["get"]>>

const hashesKept = 200

/** One player of the demo: a client of the SDK that runs after coins. */
export class DemoPlayer {
  /** One character. */
  readonly mark: string
  readonly room: ArenaRoom
  /** Lines of chat that this client received, by their text. */
  readonly heard: Array<{ readonly from: number; readonly text: string }> = []
  /** Hash of the whole state after each of the last patches, by tick. */
  readonly hashes = new Map<number, string>()
  patches = 0

  private constructor(mark: string, room: ArenaRoom) {
    this.mark = mark
    this.room = room
    room.onMessage("chat", (line) => this.heard.push(line))
    room.onStateChange(() => {
      this.patches += 1
      this.hashes.set(room.tick, room.stateHash())
      const [oldest] = this.hashes.keys()
      if (this.hashes.size > hashesKept && oldest !== undefined) this.hashes.delete(oldest)
    })
  }

  static async join(client: Client, who: { mark: string; roomId: string }): Promise<DemoPlayer> {
    return new DemoPlayer(who.mark, await client.joinOrCreate(arena, { roomId: who.roomId }))
  }

  /** This player in the room, as the room has it. */
  get self(): Player | undefined {
    const { state, sessionId } = this.room
    return [...state.players].find(({ client }) => client === sessionId)
  }

  /** Heads for the nearest coin, but leaves to `rival` the one that is nearest to that. */
  chase(rival: DemoPlayer | null): void {
    const { self } = this
    if (self === undefined) return
    const left = rival?.self === undefined ? null : this.#nearest(rival.self, null)
    const coin = this.#nearest(self, left)
    if (coin === null) return
    const [x, y] = [coin.x - self.x, coin.y - self.y]
    const length = Math.max(1, Math.hypot(x, y))
    this.room.send("input", { dx: x / length, dy: y / length })
  }

  stand(): void {
    this.room.send("input", { dx: 0, dy: 0 })
  }

  say(text: string): void {
    this.room.send("chat", { from: 0, text })
  }

  #nearest(to: { readonly x: number; readonly y: number }, except: Coin | null): Coin | null {
    let nearest: Coin | null = null
    for (const coin of this.room.state.coins) {
      if (coin.id === except?.id) continue
      if (nearest === null || distance(coin, to) < distance(nearest, to)) nearest = coin
    }
    return nearest
  }
}

interface Point {
  readonly x: number
  readonly y: number
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y)
