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

class Server {
  state = emptyServer

  happens(event: ServerEvent): ReadonlyArray<ServerAction> {
    const [state, actions] = step(this.state, event)
    this.state = state
    return actions
  }
}

const tags = (actions: ReadonlyArray<ServerAction>) => actions.map(({ _tag }) => _tag)

const anyClass = fc.constantFrom<RoomClass>("standard", "standard", "standard", "large", "xlarge")

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
        server.happens(
          ServerEvent.AdmitAsked({
            roomId,
            epoch: 1,
            nth: 0,
            intake: "open",
            class: roomClass,
            terms
          })
        )
      ).at(-1)
    for (let room = 0; room < most; room++) expect(asks(`room${room}`)).toBe("Admit")
    expect(asks("one-more")).toBe("RefuseFree")
    expect(server.state.places).toHaveLength(most)
    server.happens(ServerEvent.RoomGone({ roomId: "room0", epoch: 1 }))
    expect(asks("one-more")).toBe("Admit")
  }
})

test("[limits.free.awake] [T-42] a further server holds no room of the free plan, and keeps one that it has", () => {
  const server = new Server()
  const asks = (roomId: string, plan: "free" | "card") => {
    const terms = { plan, roomsMib: 64 }
    const asked = {
      roomId,
      epoch: 1,
      nth: 1,
      intake: "open" as const,
      class: "standard" as const,
      terms
    }
    return tags(server.happens(ServerEvent.AdmitAsked(asked))).at(-1)
  }
  expect(asks("room", "free")).toBe("RefuseFree")
  expect(asks("room", "card")).toBe("Admit")
  expect(asks("room", "free")).toBe("Admit")
})

test("[budget.sized-for-largest] no mixture of rooms with 70 percent of their ceilings makes a server near", () => {
  fc.assert(
    fc.property(fc.array(anyClass, { minLength: 1, maxLength: 30 }), (asked) => {
      const server = new Server()
      const roomsMib = roomsMibOf(asked)
      const rooms = asked.flatMap((each, index): ReadonlyArray<RoomMemory> => {
        const roomId = `room${index}`
        const terms = { plan: "card" as const, roomsMib }
        const event = ServerEvent.AdmitAsked({
          roomId,
          epoch: 1,
          nth: 0,
          intake: "open",
          class: each,
          terms
        })
        const isIn = tags(server.happens(event)).includes("Admit")
        const bytes = RoomClasses[each].memoryMiB * MiB * 0.7
        return isIn ? [{ roomId, epoch: 1, bytes, occupied: true, ring: null }] : []
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
        const rooms = [{ roomId: "only", epoch: 1, bytes: 60 * MiB, occupied: true, ring: null }]
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
