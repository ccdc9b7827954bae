import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"
import fc from "fast-check"
import { expect, test } from "vitest"

import { ServerFills } from "./ServerFills.ts"
import type { Place } from "./ServerMachine.ts"

const projectId = "p_0123456789abcdef"
const none: ReadonlySet<number> = new Set()

const placeOf = (roomId: string, cost: number): Place => ({ roomId, epoch: 1, slot: 0, cost })

/** The servers of one project, which report to the fills. */
class Servers {
  readonly fills = new ServerFills()
  readonly places: Array<ReadonlyArray<Place>> = []

  promise(roomId: string, cost: number, without: ReadonlySet<number> = none): number | null {
    return this.fills.promise({ projectId, roomId, cost, without })
  }

  admit(roomId: string, { index, cost }: { readonly index: number; readonly cost: number }): void {
    this.#report(index, [...(this.places[index] ?? []), placeOf(roomId, cost)])
  }

  release(roomId: string): void {
    this.places.forEach((places, index) => {
      if (places.some((place) => place.roomId === roomId))
        this.#report(
          index,
          places.filter((place) => place.roomId !== roomId)
        )
    })
  }

  #report(index: number, places: ReadonlyArray<Place>): void {
    this.places[index] = places
    this.fills.reported({ projectId, index }, places)
  }
}

type Act = readonly ["start", RoomClass] | readonly ["admit" | "give up" | "end", number]

const anyAct: fc.Arbitrary<Act> = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom<RoomClass>("standard", "large", "xlarge") },
    { weight: 3, arbitrary: fc.nat(200) }
  )
  .chain((drawn) =>
    typeof drawn === "string"
      ? fc.constant<Act>(["start", drawn])
      : fc.constantFrom<Act>(["admit", drawn], ["give up", drawn], ["end", drawn])
  )

test("[D-46] [C-430] a room is placed on the lowest server that has room for it, with those on their way", () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 300 }), (acts) => {
      const servers = new Servers()
      const onTheWay = new Map<string, { readonly index: number; readonly cost: number }>()
      const held = new Map<string, { readonly index: number; readonly cost: number }>()
      const takenOn = (index: number): number =>
        [...onTheWay.values(), ...held.values()]
          .filter((room) => room.index === index)
          .reduce((sum, room) => sum + room.cost, 0)
      acts.forEach(([act, what], step) => {
        if (act === "start") {
          const { cost } = RoomClasses[what]
          let lowest = 0
          while (takenOn(lowest) + cost > 120) lowest++
          expect(servers.promise(`room${step}`, cost)).toBe(lowest)
          onTheWay.set(`room${step}`, { index: lowest, cost })
          return
        }
        const from = [...(act === "end" ? held : onTheWay)]
        const [roomId, room] = from[what % Math.max(1, from.length)] ?? []
        if (roomId === undefined || room === undefined) return
        if (act === "end") {
          held.delete(roomId)
          return servers.release(roomId)
        }
        onTheWay.delete(roomId)
        if (act === "give up") return servers.fills.forget({ projectId, roomId })
        held.set(roomId, room)
        servers.admit(roomId, room)
      })
      for (const roomId of onTheWay.keys()) servers.fills.forget({ projectId, roomId })
      for (const roomId of held.keys()) servers.release(roomId)
      expect(servers.fills.size).toBe(0)
    }),
    { numRuns: 300 }
  )
})

test("[D-46] a room that a server refuses is promised another one, up to the last", () => {
  const servers = new Servers()
  const full = new Set<number>()
  for (;;) {
    const index = servers.promise("room", 6, full)
    if (index === null) break
    expect(full.has(index)).toBe(false)
    full.add(index)
  }
  expect(full.size).toBe(ServerLimits.serversPerProject.max)
  expect(servers.fills.size).toBe(0)
})
