import { joinCredential } from "@atrium/api/testing/load/JoinCredential"
import { joinRoom, type JoinPlace } from "@atrium/api/testing/load/RoomSeat"
import type { Servers } from "@atrium/api/testing/load/Servers"
import { sleep, within } from "@atrium/api/testing/load/Tasks"

import { battlefield, gaugeLookMs, memoryOf, watched } from "./AbuseField.ts"
import { attackers, type Counts } from "./Attacks.ts"
import { GoodRoom, type Steadiness } from "./GoodRoom.ts"
import { good } from "./rooms/abuseSchemas.ts"

export interface AbuseOptions {
  readonly seconds: number
  readonly say: (line: string) => void
}

/** What a run found. */
export interface Abuse {
  readonly quiet: Steadiness
  readonly attacked: Steadiness
  readonly memoryMiB: { readonly quiet: number; readonly peak: number; readonly after: number }
  readonly rejoinMs: number
  /** Until nobody but the good players was connected any more. */
  readonly recoveredMs: number
  readonly attacks: ReadonlyArray<{ readonly name: string; readonly counts: Counts }>
  /** Violations that a busy machine does not excuse. */
  readonly faults: ReadonlyArray<string>
  /** How much less steady the good room was than it may be; `null` = it was steady. */
  readonly unsteady: string | null
}

const goodClients = 8
/** Memory by which the service may grow during the attack and after it; outbound buffers are most of it. */
const growthMiB = { during: 1024, after: 128 }
const rejoinWithinMs = 1_000
const recoversWithinMs = 60_000
/** The attacked room's tick may take so many times as long as undisturbed. */
const steadyWithin = 2
/** The share of the patches that are due which must have come. */
const enoughPatches = 0.95
const slowReadersEndAfterSeconds = 40
/** After the attack, before the players' last patches are counted. */
const settleMs = 1_000

/** Starts a service, lets players play, attacks it beside them, and looks what they noticed. */
export const runAbuse = async (servers: Servers, options: AbuseOptions): Promise<Abuse> => {
  const service = await servers.service({
    ATRIUM_TRUSTED_PROXIES: "127.0.0.1",
    ATRIUM_EXEMPT_ADDRESSES: ""
  })
  const { place, secret } = await battlefield(service)
  const room = await GoodRoom.join(place, {
    clients: goodClients,
    addresses: servers.addresses
  })
  options.say(`${goodClients} players are in a room of 20 ticks a second`)
  const quietMiB = await watched(service, Math.min(20_000, options.seconds * 1000))
  const quiet = room.taken()

  const child = servers.child(import.meta.resolve("./AttackChild.ts"))
  const credentials = Array.from({ length: attackers }, (_, number) =>
    joinCredential({ project: place.project, secret, player: `bad${number}` })
  )
  child.write(JSON.stringify({ port: service.port, project: place.project, credentials }))
  await child.line()
  options.say(`the attack is under way, for ${options.seconds} s`)
  const peakMiB = await watched(service, options.seconds * 1000)
  const attacked = room.taken()
  child.write("stop")
  // Only the attack child writes there.
  const attacks = JSON.parse(await child.line()) as Abuse["attacks"]
  options.say("the attack is over")

  const overAtMs = performance.now()
  const rejoinMs = await rejoined(place, servers)
  const recovered = await within(
    recoversWithinMs,
    async () => {
      return (await service.gauge("atrium_sockets")) <= goodClients
    },
    gaugeLookMs
  )
  const recoveredMs = performance.now() - overAtMs
  // The rooms of the attackers sleep when they have been empty for a while.
  let afterMiB = memoryOf(service)
  await within(
    recoversWithinMs,
    async () => {
      afterMiB = memoryOf(service)
      return afterMiB <= quietMiB + growthMiB.after
    },
    gaugeLookMs
  )
  await sleep(settleMs)
  const calm = room.taken()
  const memoryMiB = { quiet: quietMiB, peak: peakMiB, after: afterMiB }
  const found = {
    quiet,
    attacked,
    memoryMiB,
    rejoinMs,
    recoveredMs,
    attacks,
    unsteady: unsteadiness(quiet, attacked)
  }
  const gone = calm.patches === 0 ? ["the good players have no room any more"] : []
  const stuck = recovered ? [] : [`sockets are left ${recoversWithinMs / 1000} s later`]
  return {
    ...found,
    faults: [...faultsOf(found, room, options.seconds), ...gone, ...stuck]
  }
}

/** How long somebody new, who did nothing wrong, takes to get in. */
const rejoined = async (place: JoinPlace, servers: Servers): Promise<number> => {
  const from = servers.addresses.next()
  const seat = await joinRoom(place, { schema: good, room: "good", player: "late", from })
  seat.socket.leave()
  return seat.joinedAfterMs
}

/** Answers that each attack must have met, or it attacked nothing. */
const mustHaveMet: ReadonlyArray<readonly [attack: string, what: string, afterSeconds?: number]> = [
  ["connection flood", "E_RATE_LIMITED"],
  ["connection flood", "HTTP 429"],
  ["distinct addresses", "E_UNAUTHENTICATED"],
  ["frame flood", "E_RATE_LIMITED"],
  ["giant frames", "E_FRAME_TOO_LARGE"],
  // The kernel's buffers of a client that does not read fill first.
  ["slow readers", "ended", slowReadersEndAfterSeconds],
  ["half-open", "E_HANDSHAKE_TIMEOUT"]
]

type Found = Omit<Abuse, "faults">

const unsteadiness = (quiet: Steadiness, attacked: Steadiness): string | null =>
  attacked.p99 <= steadyWithin * quiet.p99
    ? null
    : `p99 between patches: ${attacked.p99.toFixed(1)} ms, undisturbed ${quiet.p99.toFixed(1)} ms`

const faultsOf = (found: Found, room: GoodRoom, seconds: number): ReadonlyArray<string> => {
  const { attacked, memoryMiB, rejoinMs, attacks } = found
  const due = room.expectedIn(seconds * 1000)
  const faults: Array<string> = []
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  expect(
    attacked.patches >= enoughPatches * due,
    `the good players got ${attacked.patches} of ${due} patches`
  )
  const { during, after } = growthMiB
  expect(memoryMiB.peak <= memoryMiB.quiet + during, `memory grew to ${memoryMiB.peak} MiB`)
  expect(memoryMiB.after <= memoryMiB.quiet + after, `${memoryMiB.after} MiB stayed afterwards`)
  expect(rejoinMs <= rejoinWithinMs, `a new player took ${Math.round(rejoinMs)} ms to get in`)
  for (const [name, what, afterSeconds = 0] of mustHaveMet) {
    if (seconds < afterSeconds) continue
    const counts = attacks.find((attack) => attack.name === name)?.counts ?? {}
    expect((counts[what] ?? 0) > 0, `${name}: nobody met with ${what}`)
  }
  return faults
}
