import { lounge } from "@atrium/api/testing/load/rooms/BenchSchemas"
import type { BenchService, HelperChild } from "@atrium/api/testing/load/Servers"
import { median } from "@atrium/api/testing/load/Statistics"
import { Client } from "@atrium/sdk/client"
import { watchPresence } from "@atrium/sdk/presence"

import type { Bench } from "./Bench.ts"
import type { Figure } from "./Figure.ts"

interface Watched {
  readonly bench: Bench
  readonly service: BenchService
  readonly reference: HelperChild
}

/** W7, of presence: from the start of a join until somebody who watches the player hears of it. */
export const presenceWatch = async (
  { bench, service, reference }: Watched,
  { joins, rounds }: { readonly joins: number; readonly rounds: number }
): Promise<Figure> => {
  const { project, url } = service
  const clientOf = (player: string) =>
    new Client(url, { project, token: service.credential(player) })
  // It keeps the room awake.
  await clientOf("host").joinOrCreate(lounge, { roomId: "lounge" })
  const [atrium, raw]: [Array<number>, Array<number>] = [[], []]
  let players = 0
  for (let round = 0; round <= rounds; round++) {
    bench.progress(`W7: presence: a watch hears of a join, round ${round} of ${rounds}`)
    reference.write(`watch 1 ${joins} ${round}`)
    const rawMs = Number(await reference.line())
    const each: Array<number> = []
    for (let join = 0; join < joins; join++) {
      each.push(await heardAfterMs(clientOf(`watched ${++players}`), `watched ${players}`))
    }
    // The first ones warm the code up.
    if (round > 0) {
      atrium.push(median(each))
      raw.push(rawMs)
    }
  }
  return {
    name: "presence: a join, until a watch hears of it, p50",
    unit: "ms",
    rounds: atrium,
    reference: {
      name: "plain pg, notify",
      rounds: raw,
      weakness: "it writes a row and notifies; nobody joins"
    },
    goal: null
  }
}

const heardAfterMs = async (client: Client, player: string): Promise<number> => {
  let watches: () => void = () => undefined
  let hears: (atMs: number) => void = () => undefined
  const watching = new Promise<void>((resolve) => (watches = resolve))
  const heard = new Promise<number>((resolve) => (hears = resolve))
  const stop = watchPresence(client, [player], {
    onChange: ([there]) => (there?.roomId === "lounge" ? hears(performance.now()) : watches())
  })
  await watching
  const startedAtMs = performance.now()
  const room = await client.joinOrCreate(lounge, { roomId: "lounge" })
  const ms = (await heard) - startedAtMs
  stop()
  await room.leave()
  return ms
}
