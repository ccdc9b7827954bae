import { signal } from "@atrium/api/testing/load/rooms/RelaySchema"
import { joinRoom, type JoinPlace, type Seat } from "@atrium/api/testing/load/RoomSeat"
import { projectOfBench } from "@atrium/api/testing/load/Servers"

import { type ProxyKind, type Proxy, startProxy } from "./Proxies.ts"
import { Runners } from "./Runners.ts"
import type { Row } from "./Verdict.ts"

/** The files of `deploy/` name three. */
const runnerCount = 3
const projectsMax = 40
const warmUp = 30
const samples = 400
const closeBy = 1
const room = "hall"

interface Joins {
  readonly spans: ReadonlyArray<number>
  readonly refused: number
}

/**
 * Joins through a proxy that goes round the runners, in turns with joins at the runner that has the room.
 * Each runner has a room, and somebody of each runner is in it.
 */
export const behindProxy = async (
  kind: ProxyKind,
  say: (line: string) => void
): Promise<ReadonlyArray<Row> | null> => {
  const runners = await Runners.start(runnerCount)
  try {
    const proxy = await startProxy(kind, runners.urls)
    if (proxy === null) {
      say(`skipped: ${kind} is not installed (Debian: apt-get install ${kind})`)
      return null
    }
    try {
      say(`cluster: joins through ${kind} in front of ${runnerCount} runners`)
      return await compare(kind, runners, proxy)
    } finally {
      await proxy.end()
    }
  } finally {
    await runners.remove()
  }
}

const compare = async (
  kind: ProxyKind,
  runners: Runners,
  proxy: Proxy
): Promise<ReadonlyArray<Row>> => {
  const owned = await roomOnEach(runners)
  const direct = owned.map(({ place }) => place)
  const proxied = direct.map((place) => ({ ...place, port: proxy.port }))
  const spans: Record<"direct" | "proxied", Array<number>> = { direct: [], proxied: [] }
  let refused = 0
  for (let at = -warmUp; at < samples; at++) {
    for (const [side, places] of [
      ["direct", direct],
      ["proxied", proxied]
    ] as const) {
      const place = places[Math.abs(at) % places.length]
      if (place === undefined) continue
      const ms = await joinAndLeave(place, at)
      if (ms === null) refused++
      else if (at >= 0) spans[side].push(ms)
    }
  }
  for (const { leave } of owned) leave()
  return rowsOf(kind, { spans: spans.direct, refused: 0 }, { spans: spans.proxied, refused })
}

const joinAndLeave = async (place: JoinPlace, at: number): Promise<number | null> => {
  const player = `p${Math.abs(at) % 16}`
  const seat = await joinRoom(place, { schema: signal, room, player, from: "127.0.0.1" }).catch(
    () => null
  )
  seat?.socket.leave()
  return seat?.joinedAfterMs ?? null
}

interface OwnedRoom {
  /** The runner that has the room. */
  readonly place: JoinPlace
  leave(): void
}

/** Makes projects until each runner has a room, with a client of each runner in it. */
const roomOnEach = async (runners: Runners): Promise<ReadonlyArray<OwnedRoom>> => {
  const places = runners.urls.map((url, at) => ({
    pid: runners.service(at).pid,
    port: Number(new URL(url).port)
  }))
  const owned = new Map<number, OwnedRoom>()
  for (let made = 0; made < projectsMax && owned.size < places.length; made++) {
    const project = await projectOfBench(runners.service(0), "RelaySchema.ts")
    const before = await runners.roomsAwake()
    const seats: Array<Seat> = []
    for (const [at, place] of places.entries()) {
      const joining = { schema: signal, room, player: `holder${at}`, from: "127.0.0.1" }
      seats.push(await joinRoom({ ...place, ...project }, joining))
    }
    const after = await runners.roomsAwake()
    const owner = after.findIndex((rooms, at) => rooms > (before[at] ?? 0))
    const place = places[owner]
    const leave = (): void => seats.forEach(({ socket }) => socket.leave())
    if (place === undefined || owned.has(owner)) leave()
    else owned.set(owner, { place: { ...place, ...project }, leave })
  }
  if (owned.size < places.length) throw new Error(`${owned.size} runners have a room`)
  return [...owned.values()]
}

const rowsOf = (kind: ProxyKind, direct: Joins, proxied: Joins): ReadonlyArray<Row> => {
  const more = at(proxied.spans, 0.5) - at(direct.spans, 0.5)
  const joins = direct.spans.length + proxied.spans.length + proxied.refused
  return [
    {
      event: `joins through ${kind}`,
      measured: `${joins - proxied.refused} of ${joins} came in`,
      goal: "all",
      met: proxied.refused === 0
    },
    {
      event: `p50 of a join through ${kind}`,
      measured:
        `${ms(at(proxied.spans, 0.5))}, direct ${ms(at(direct.spans, 0.5))} ` +
        `(p99 ${ms(at(proxied.spans, 0.99))} and ${ms(at(direct.spans, 0.99))})`,
      goal: `at most ${closeBy} ms more than direct`,
      met: more <= closeBy
    }
  ]
}

const at = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN

const ms = (value: number): string => `${value.toFixed(2)} ms`
