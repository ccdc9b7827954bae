import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"
import fc from "fast-check"
import { expect, test } from "vitest"

import { groupOf, homeOf, nthOf, serverIndexOf } from "./ServerIndex.ts"
import {
  type Chosen,
  choosePlace,
  type Seen,
  type SeenHome,
  type SeenServer,
  type Unplaced
} from "./ServerPlacing.ts"

const home = (number: number, load: number, rest: Partial<SeenHome> = {}): SeenHome => ({
  home: number,
  load,
  setting: "open",
  freeBytes: null,
  ...rest
})

const server = (nth: number, on: number, cost: number): SeenServer => ({
  nth,
  home: on,
  cost,
  spare: false,
  sinceMs: 1
})

const spare = (nth: number, on: number): SeenServer => ({ ...server(nth, on, 0), spare: true })

const short = { freeBytes: ServerLimits.machineNear.max }

/** The first servers of a home have refused the room. */
const refusals = (count: number, on: number): ReadonlySet<number> =>
  new Set(Array.from({ length: count }, (_, nth) => serverIndexOf(on, nth)))

interface Case {
  readonly servers?: ReadonlyArray<SeenServer>
  readonly homes?: ReadonlyArray<SeenHome>
  readonly sentTo?: number
  readonly free?: boolean
  readonly room?: Partial<Unplaced>
}

const chosen = ({ servers = [], homes, sentTo, free, room }: Case): string => {
  const seen: Seen = {
    servers,
    homes: homes ?? [home(1, 30), home(2, 12), home(3, 60)],
    last: Math.max(-1, ...servers.map(({ nth }) => nth)),
    free: free ?? false,
    sentTo: sentTo ?? null
  }
  const none = new Set<number>()
  return words(
    choosePlace(seen, { class: "standard", own: 1, without: none, leaving: none, ...room })
  )
}

const words = (it: Chosen | null): string =>
  it === null
    ? "none"
    : it._tag === "Held"
      ? `server ${nthOf(it.serverIndex)} on ${homeOf(it.serverIndex)}`
      : `starts ${it.nth} on ${it.home}${it.instead === null ? "" : " anew"}`

const cases: ReadonlyArray<readonly [says: string, given: Case, chosen: string]> = [
  ["the first server starts on the least loaded runner", {}, "starts 0 on 2"],
  [
    "of equal runners it is the one that asks",
    { homes: [home(3, 6), home(1, 6), home(2, 6)] },
    "starts 0 on 1"
  ],
  [
    "of equal others it is the lowest",
    { homes: [home(3, 6), home(1, 9), home(2, 6)] },
    "starts 0 on 2"
  ],
  [
    "a server with room goes on, on a busy runner too",
    { servers: [server(0, 3, 114)] },
    "server 0 on 3"
  ],
  [
    "a full server is passed by",
    { servers: [server(0, 3, 120), server(1, 1, 6)] },
    "server 1 on 1"
  ],
  ["without room a further server starts", { servers: [server(0, 3, 115)] }, "starts 1 on 2"],
  [
    "a server that has refused the room is passed by",
    { servers: [server(0, 3, 6)], room: { without: new Set([serverIndexOf(3, 0)]) } },
    "starts 1 on 2"
  ],
  [
    "a server without rooms, or of a runner that has ended, starts on the least loaded runner",
    { servers: [spare(0, 3)] },
    "starts 0 on 2 anew"
  ],
  [
    "a server with room goes before a spare one",
    { servers: [spare(0, 9), server(1, 3, 6)] },
    "server 1 on 3"
  ],
  [
    "a cordoned runner is passed by, with the servers that it has",
    { servers: [server(0, 2, 6)], homes: [home(1, 30), home(2, 12, { setting: "cordoned" })] },
    "starts 1 on 1"
  ],
  [
    "a runner that ends is passed by",
    { servers: [server(0, 2, 6)], room: { leaving: new Set([2]) } },
    "starts 1 on 1"
  ],
  [
    "a runner that is short of memory is passed by, with the servers that it has",
    { servers: [server(0, 2, 6)], homes: [home(1, 30), home(2, 12, short)] },
    "starts 1 on 1"
  ],
  [
    "a runner has enough memory when the room's share fits into it",
    {
      homes: [
        home(1, 30),
        home(2, 12, { freeBytes: ServerLimits.machineNear.max + 64 * 1024 * 1024 })
      ]
    },
    "starts 0 on 2"
  ],
  [
    "where every runner is short of memory their servers decide",
    { homes: [home(1, 30, short), home(2, 12, short)] },
    "starts 0 on 2"
  ],
  [
    "where no runner is open the server says so",
    { servers: [server(0, 2, 6)], homes: [home(2, 12, { setting: "cordoned" })] },
    "server 0 on 2"
  ],
  ["without any runner the own one says so", { homes: [] }, "server 0 on 1"],
  [
    "a room goes to the runner that it was sent to",
    { servers: [server(0, 2, 6)], sentTo: 3 },
    "starts 1 on 3"
  ],
  [
    "a room goes to a server of the runner that it was sent to",
    { servers: [server(0, 2, 6), server(1, 3, 6)], sentTo: 3 },
    "server 1 on 3"
  ],
  [
    "a room that was sent to a runner that is gone goes where any does",
    { servers: [server(0, 2, 6)], sentTo: 7 },
    "server 0 on 2"
  ],
  ["the free plan's server starts on the least loaded runner", { free: true }, "starts 0 on 2"],
  [
    "the free plan's server refuses what it has no room for",
    { free: true, servers: [server(0, 3, 120)] },
    "server 0 on 3"
  ],
  [
    "the free plan's server stays on a cordoned runner",
    {
      free: true,
      servers: [server(0, 3, 6)],
      homes: [home(1, 30), home(3, 6, { setting: "cordoned" })]
    },
    "server 0 on 3"
  ],
  [
    "the free plan's server leaves a runner that is drained",
    {
      free: true,
      servers: [server(0, 3, 6)],
      homes: [home(1, 30), home(3, 6, { setting: "draining" })]
    },
    "starts 0 on 1 anew"
  ],
  [
    "the free plan's server leaves a runner that ends",
    { free: true, servers: [server(0, 2, 6)], room: { leaving: new Set([2]) } },
    "starts 0 on 1 anew"
  ],
  [
    "the free plan's server goes with the room that is sent",
    { free: true, servers: [server(0, 2, 6)], sentTo: 3 },
    "starts 0 on 3 anew"
  ],
  [
    "a further server goes to a runner that has not refused the room, though it has more load",
    { servers: [server(0, 2, 6)], room: { without: refusals(1, 2) } },
    "starts 1 on 1"
  ],
  [
    "the only runner starts a further server though it has refused the room",
    { servers: [server(0, 2, 6)], homes: [home(2, 12)], room: { without: refusals(1, 2) } },
    "starts 1 on 2"
  ],
  [
    "a start asks at most 32 servers",
    { homes: [home(2, 12)], room: { without: refusals(ServerLimits.serversAsked.max, 2) } },
    "none"
  ],
  [
    "a start asks the 32nd server",
    { homes: [home(2, 12)], room: { without: refusals(ServerLimits.serversAsked.max - 1, 2) } },
    "starts 0 on 2"
  ],
  [
    "where every runner ends the server is asked once",
    {
      servers: [server(0, 2, 6)],
      homes: [home(2, 12)],
      room: { without: refusals(1, 2), leaving: new Set([2]) }
    },
    "none"
  ],
  [
    "where no runner is open the server of one that has ended is not asked",
    { servers: [spare(0, 9)], homes: [home(2, 12, { setting: "cordoned" })] },
    "server 0 on 1"
  ],
  [
    "a project starts its last server",
    { servers: [server(ServerLimits.serversPerProject.max - 2, 3, 120)] },
    `starts ${ServerLimits.serversPerProject.max - 1} on 2`
  ],
  [
    "a project whose servers are all full has none for the room",
    { servers: [server(ServerLimits.serversPerProject.max - 1, 3, 120)] },
    "none"
  ]
]

test.each(cases)("[D-46] [C-434] %s", (_, given, expected) => {
  expect(chosen(given)).toBe(expected)
})

test("[C-433] an index says which server it is and which home has it, up to the last server", () => {
  const last = ServerLimits.serversPerProject.max - 1
  expect([nthOf(7), homeOf(7), groupOf(homeOf(7))]).toEqual([7, 0, "default"])
  const index = serverIndexOf(12, last)
  expect([nthOf(index), homeOf(index), groupOf(homeOf(index))]).toEqual([last, 12, "home-12"])
  expect(index + 1).toBe(serverIndexOf(13, 0))
})

test("[C-434] runners that start servers for any rooms differ by one server's load at the most", () => {
  const anyRooms = fc.array(fc.constantFrom<RoomClass>("standard", "large", "xlarge"), {
    maxLength: 400
  })
  fc.assert(
    fc.property(anyRooms, (rooms) => {
      const loads = new Map([1, 2, 3].map((each) => [each, 0]))
      // Each room is of a project of its own, so each one starts a server.
      for (const room of rooms) {
        const homes = [...loads].map(([each, load]) => home(each, load))
        const none = new Set<number>()
        const seen = { servers: [], homes, last: -1, free: false, sentTo: null }
        const it = choosePlace(seen, { class: room, own: 1, without: none, leaving: none })
        if (it?._tag !== "Started") throw new Error("no server was there")
        loads.set(it.home, (loads.get(it.home) ?? 0) + RoomClasses[room].cost)
      }
      const each = [...loads.values()]
      expect(Math.max(...each) - Math.min(...each)).toBeLessThanOrEqual(RoomClasses.xlarge.cost)
    }),
    { numRuns: 100 }
  )
})
