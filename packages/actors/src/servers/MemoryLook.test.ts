import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { MiB } from "@atrium/wire/limits/Limit"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import type { MachineMemory } from "./MachineMemory.ts"
import { MemoryFigures, MemoryLook, type WatchedServer } from "./MemoryLook.ts"
import type { RoomMemory, Sample } from "./Pressure.ts"

const room = (roomId: string, mib: number, occupied = true): RoomMemory => ({
  roomId,
  epoch: 1,
  bytes: mib * MiB,
  occupied,
  ring: null
})

const watched = (serverId: string, rooms: () => ReadonlyArray<RoomMemory>) => {
  const samples: Array<Sample> = []
  const server: WatchedServer = { serverId, rooms, sampled: (sample) => samples.push(sample) }
  return { samples, server, last: () => samples.at(-1) }
}

/** A machine as the test has it. */
const play = () => {
  const played = { machine: null as MachineMemory | null, pressed: new Set<string>() }
  const figures = {
    machine: () => played.machine,
    isPressed: (serverId: string) => played.pressed.has(serverId)
  }
  const layer = MemoryLook.layer.pipe(Layer.provide(Layer.succeed(MemoryFigures, figures)))
  return { played, layer }
}

const short: MachineMemory = { totalBytes: 1000 * MiB, availableBytes: 10 * MiB }

it.effect(
  "[C-140] a server is looked at at once, then twice a second, and no more when it is gone",
  () => {
    const { layer } = play()
    const { server, samples } = watched("srv_1", () => [room("a", 1)])
    return Effect.gen(function* () {
      const look = yield* MemoryLook
      yield* Effect.scoped(
        Effect.gen(function* () {
          // The first look of the timer is over.
          yield* TestClock.adjust(0)
          yield* look.watch(server)
          expect(samples).toEqual([
            { nowMs: 0, rooms: [room("a", 1)], machine: "calm", yields: expect.any(Boolean) }
          ])
          yield* TestClock.adjust(ServerLimits.memoryLook.ms - 1)
          expect(samples).toHaveLength(1)
          yield* TestClock.adjust(1)
          expect(samples.map(({ nowMs }) => nowMs)).toEqual([0, ServerLimits.memoryLook.ms])
        })
      )
      yield* TestClock.adjust(10 * ServerLimits.memoryLook.ms)
      expect(samples).toHaveLength(2)
    }).pipe(Effect.provide(layer))
  }
)

it.effect(
  "[C-140] on a short machine the server with the largest room yields, none while a room is empty",
  () => {
    const { played, layer } = play()
    let isEmpty = false
    const one = watched("srv_1", () => [room("a", 20), room("b", 30)])
    const other = watched("srv_2", () => [room("c", 40), room("d", 5, !isEmpty)])
    const none = watched("srv_3", () => [])
    return Effect.gen(function* () {
      const look = yield* MemoryLook
      played.machine = short
      for (const { server } of [one, other, none]) yield* look.watch(server)
      yield* look.now
      const seen = () => [one, other, none].map(({ last }) => [last()?.machine, last()?.yields])
      expect(seen()).toEqual([
        ["near", false],
        ["near", true],
        ["near", false]
      ])
      isEmpty = true
      yield* look.now
      expect(seen().map(([, yields]) => yields)).toEqual([false, false, false])
    }).pipe(Effect.scoped, Effect.provide(layer))
  }
)

it.effect(
  "[D-49] a server that is pressed is near its limit and yields, the others are not",
  () => {
    const { played, layer } = play()
    const pressed = watched("srv_1", () => [room("a", 1)])
    const other = watched("srv_2", () => [room("b", 2)])
    return Effect.gen(function* () {
      const look = yield* MemoryLook
      for (const { server } of [pressed, other]) yield* look.watch(server)
      played.pressed.add("srv_1")
      yield* look.now
      expect(pressed.last()).toMatchObject({ machine: "near", yields: true })
      expect(other.last()?.machine).toBe("calm")
      played.pressed.clear()
      yield* look.now
      expect(pressed.last()?.machine).toBe("calm")
    }).pipe(Effect.scoped, Effect.provide(layer))
  }
)
