import { roomsMibOf } from "@atrium/domain/projects/ServerSettings"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { MiB } from "@atrium/wire/limits/Limit"
import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"
import fc from "fast-check"
import { expect, test } from "vitest"

import { step as roomStep } from "../rooms/RoomMachine.ts"
import { RoomEvent, RoomState } from "../rooms/RoomState.ts"
import { calm, relieve, type RoomMemory } from "./Pressure.ts"
import { emptyServer, type ServerAction, ServerEvent, step } from "./ServerMachine.ts"

// The server's rules told plainly: fractions of a budget that is 1, rooms with their memory and
// clients, and a note of what was done to whom.

interface Guest {
  readonly class: RoomClass
  readonly epoch: number
  mib: number
  clients: number
}

interface Story {
  readonly guests: Map<string, Guest>
  plan: "free" | "card"
  roomsMib: number
  near: boolean
  machine: "calm" | "between" | "near"
  yields: boolean
  nowMs: number
  restartedAtMs: number | null
  asleep: { readonly roomId: string; readonly epoch: number; readonly atMs: number } | null
}

const perServer = { standard: 20, large: 8, xlarge: 3 } as const

const share = (guests: Iterable<Guest>): number => {
  // Exact: 120 is a multiple of 20, 8 and 3.
  let parts = 0
  for (const guest of guests) parts += 120 / perServer[guest.class]
  return parts
}

class Server {
  state = emptyServer

  happens(event: ServerEvent): ReadonlyArray<ServerAction> {
    const [state, actions] = step(this.state, event)
    this.state = state
    return actions
  }
}

type Told = fc.Command<Story, Server>

const command = (name: string, run: (story: Story, server: Server) => void): Told => ({
  check: () => true,
  run: (story, server) => {
    run(story, server)
    agree(story, server)
  },
  toString: () => name
})

/** What must hold after whatever happened. */
const agree = ({ guests, near }: Story, { state }: Server): void => {
  expect(state.places.map(({ roomId }) => roomId).toSorted()).toEqual([...guests.keys()].toSorted())
  expect(share(guests.values())).toBeLessThanOrEqual(120)
  expect(state.places.reduce((sum, { cost }) => sum + cost, 0)).toBe(share(guests.values()))
  expect(state.pressure._tag).toBe(near ? "Near" : "Calm")
}

const tags = (actions: ReadonlyArray<ServerAction>) => actions.map(({ _tag }) => _tag)

const ask = (roomId: string, asked: { readonly class: RoomClass; readonly declared: RoomClass }) =>
  command(`ask(${roomId} ${asked.class})`, (story, server) => {
    const { guests, plan, near } = story
    const known = guests.get(roomId)
    const epoch = (known?.epoch ?? 0) + 1
    const before = server.state
    const roomsMib = roomsMibOf([asked.class, asked.declared])
    const terms = { plan, roomsMib }
    const actions = server.happens(ServerEvent.AdmitAsked({ roomId, epoch, ...asked, terms }))
    if (known !== undefined) {
      guests.set(roomId, { ...known, epoch })
      return expect(tags(actions)).toEqual(["Admit"])
    }
    const isFull = share(guests.values()) + 120 / perServer[asked.class] > 120
    const refusal =
      plan === "free" && (isFull || guests.size >= 10)
        ? "RefuseFree"
        : isFull
          ? "RefuseFull"
          : near
            ? "RefuseNear"
            : null
    if (refusal !== null) {
      expect(tags(actions)).toEqual([refusal])
      // A refused start holds no place, and leaves everything as it was.
      return expect(server.state).toBe(before)
    }
    expect(tags(actions)).toEqual(guests.size === 0 ? ["Boot", "Admit"] : ["Admit"])
    story.roomsMib = guests.size === 0 ? roomsMib : Math.max(story.roomsMib, roomsMib)
    guests.set(roomId, { class: asked.class, epoch, mib: 1, clients: 1 })
    expect(server.state.roomsMib).toBe(story.roomsMib)
  })

const leave = (roomId: string, late: boolean) =>
  command(`leave(${roomId}${late ? " late" : ""})`, ({ guests }, server) => {
    const epoch = guests.get(roomId)?.epoch ?? 1
    const actions = server.happens(
      ServerEvent.RoomGone({ roomId, epoch: late ? epoch - 1 : epoch })
    )
    expect(actions).toEqual([])
    if (!late) guests.delete(roomId)
  })

const set = (roomId: string, change: Pick<Guest, "mib" | "clients">) =>
  command(`set(${roomId} ${change.mib} MiB, ${change.clients} clients)`, ({ guests }) => {
    const guest = guests.get(roomId)
    if (guest !== undefined) Object.assign(guest, change)
  })

const change = (fields: Partial<Pick<Story, "plan" | "machine" | "yields">>) =>
  command(`change(${JSON.stringify(fields)})`, (story) => void Object.assign(story, fields))

const look = (afterMs: number) =>
  command(`look(${afterMs})`, (story, server) => {
    story.nowMs += afterMs
    const { guests, machine, yields, nowMs } = story
    const rooms: ReadonlyArray<RoomMemory> = [...guests].map(([roomId, guest]) => ({
      roomId,
      epoch: guest.epoch,
      bytes: guest.mib * MiB,
      occupied: guest.clients > 0
    }))
    // One that it does not hold any more is of no interest, however large.
    const gone = { roomId: "gone", epoch: 1, bytes: 9999 * MiB, occupied: false }
    const sample = { nowMs, machine, yields, rooms: [...rooms, gone] }
    const actions = server.happens(ServerEvent.MemorySampled(sample))
    const mib = rooms.reduce((sum, { bytes }) => sum + bytes / MiB, 0)
    const ownNear = rooms.length > 0 && mib >= story.roomsMib * 0.9
    const ownCalm = rooms.length === 0 || mib <= story.roomsMib * 0.85
    const wasNear = story.near
    story.near = ownNear || machine === "near" || (wasNear && !(ownCalm && machine === "calm"))
    if (!story.near || !wasNear) story.asleep = null
    expect(actions).toEqual(story.near ? reliefOf(story, rooms, ownNear) : [])
  })

/** The expected relief and its room. An occupied room is never put to sleep; it is restarted at most. */
const reliefOf = (story: Story, rooms: ReadonlyArray<RoomMemory>, ownNear: boolean) => {
  const bySize = rooms.toSorted((one, other) => other.bytes - one.bytes)
  const { nowMs, asleep, restartedAtMs, yields } = story
  const empty = bySize.find(({ occupied }) => !occupied)
  if (empty !== undefined) {
    const isGoing = rooms.some(
      (room) => room.roomId === asleep?.roomId && room.epoch === asleep.epoch && !room.occupied
    )
    if (asleep !== null && isGoing && nowMs - asleep.atMs < 20_000) return []
    story.asleep = { roomId: empty.roomId, epoch: empty.epoch, atMs: nowMs }
    return [{ _tag: "SleepRoom", roomId: empty.roomId, epoch: empty.epoch }]
  }
  const [first] = bySize
  const isEarly = restartedAtMs !== null && nowMs - restartedAtMs < 50_000
  if (first === undefined || isEarly || !(ownNear || yields) || first.bytes < 16 * MiB) return []
  story.restartedAtMs = nowMs
  return [{ _tag: "RestartRoom", roomId: first.roomId, epoch: first.epoch }]
}

const anyRoom = fc.nat(24).map((id) => `room${id}`)
const anyClass = fc.constantFrom<RoomClass>("standard", "standard", "standard", "large", "xlarge")
const anyLevel = fc.constantFrom("calm" as const, "between" as const, "near" as const)

const commands = fc.commands(
  [
    ...Array.from({ length: 3 }, () =>
      fc
        .tuple(anyRoom, fc.record({ class: anyClass, declared: anyClass }))
        .map(([roomId, asked]) => ask(roomId, asked))
    ),
    fc.tuple(anyRoom, fc.boolean()).map(([roomId, late]) => leave(roomId, late)),
    ...Array.from({ length: 2 }, () =>
      fc
        .tuple(anyRoom, fc.record({ mib: fc.nat(1100), clients: fc.nat(1) }))
        .map(([roomId, fields]) => set(roomId, fields))
    ),
    ...Array.from({ length: 2 }, () =>
      fc.constantFrom(0, 500, 19_999, 20_000, 49_999, 50_000).map(look)
    ),
    fc.constantFrom("free" as const, "card" as const).map((plan) => change({ plan })),
    fc.tuple(anyLevel, fc.boolean()).map(([machine, yields]) => change({ machine, yields }))
  ],
  { maxCommands: 150 }
)

const fresh = (): Story => ({
  guests: new Map(),
  plan: "card" as const,
  roomsMib: 0,
  near: false,
  machine: "calm" as const,
  yields: false,
  nowMs: 0,
  restartedAtMs: null,
  asleep: null
})

test("[memory.server.refuses-new] [D-46] after any sequence of events a server agrees with its reference model", () => {
  fc.assert(
    fc.property(commands, (told) => {
      fc.modelRun(() => ({ model: fresh(), real: new Server() }), told)
    }),
    { numRuns: 1000 }
  )
})

test("[limits.free.awake] [T-42] the free plan takes 10 rooms, or as many as the budget holds, on one server", () => {
  for (const [roomClass, most] of [
    ["standard", ServerLimits.roomsAwakeFree.max],
    ["large", 8],
    ["xlarge", 3]
  ] as const) {
    const server = new Server()
    const terms = { plan: "free" as const, roomsMib: roomsMibOf([roomClass]) }
    const asks = (roomId: string) =>
      tags(
        server.happens(ServerEvent.AdmitAsked({ roomId, epoch: 1, class: roomClass, terms }))
      ).at(-1)
    for (let room = 0; room < most; room++) expect(asks(`room${room}`)).toBe("Admit")
    expect(asks("one-more")).toBe("RefuseFree")
    expect(server.state.places).toHaveLength(most)
    server.happens(ServerEvent.RoomGone({ roomId: "room0", epoch: 1 }))
    expect(asks("one-more")).toBe("Admit")
  }
})

test("[budget.sized-for-largest] no mixture of rooms with 70 percent of their ceilings makes a server near", () => {
  fc.assert(
    fc.property(fc.array(anyClass, { minLength: 1, maxLength: 30 }), (asked) => {
      const server = new Server()
      const roomsMib = roomsMibOf(asked)
      const rooms = asked.flatMap((each, index): ReadonlyArray<RoomMemory> => {
        const roomId = `room${index}`
        const terms = { plan: "card" as const, roomsMib }
        const event = ServerEvent.AdmitAsked({ roomId, epoch: 1, class: each, terms })
        const isIn = tags(server.happens(event)).includes("Admit")
        const bytes = RoomClasses[each].memoryMiB * MiB * 0.7
        return isIn ? [{ roomId, epoch: 1, bytes, occupied: true }] : []
      })
      const sample = { nowMs: 0, rooms, machine: "calm" as const, yields: true }
      expect(server.happens(ServerEvent.MemorySampled(sample))).toEqual([])
      expect(server.state.pressure._tag).toBe("Calm")
    })
  )
})

test("[C-141] a server that stays near its limit restarts a room again and again, and closes none", () => {
  const lateMs = fc.array(fc.nat(ServiceLimits.actorCall.ms - 1), { minLength: 40, maxLength: 40 })
  fc.assert(
    fc.property(lateMs, (late) => {
      const at = { type: "arena", class: "standard" as const, version: 1, epoch: 1, serverIndex: 0 }
      let room: RoomState = RoomState.Awake({ at, slot: 0, restarts: [] })
      let pressure = calm
      const left = [...late]
      for (let nowMs = 0; left.length > 0; nowMs += ServerLimits.memoryLook.ms) {
        const rooms = [{ roomId: "only", epoch: 1, bytes: 60 * MiB, occupied: true }]
        const sample = { nowMs, rooms, machine: "near" as const, yields: true }
        const [next, relief] = relieve(pressure, sample, 64)
        pressure = next
        if (relief === null) continue
        // The actor hears of it a little later; then the room is up again.
        const exited = RoomEvent.ProcessExited({
          epoch: 1,
          serverIndex: 0,
          nowMs: nowMs + (left.shift() ?? 0)
        })
        const [restarting] = roomStep(room, exited)
        expect(restarting._tag).toBe("Restarting")
        if (restarting._tag !== "Restarting") return
        room = RoomState.Awake({ at, slot: 0, restarts: restarting.restarts })
      }
    })
  )
})
