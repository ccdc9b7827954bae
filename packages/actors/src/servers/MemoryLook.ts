import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { Clock, Context, Effect, Layer, Schedule, type Scope } from "effect"

import { machineMemory, type MachineMemory } from "./MachineMemory.ts"
import { machineLevel, type RoomMemory, type Sample } from "./Pressure.ts"

/** Memory beside that of rooms. Test mode can play a shortage here. Source: D-49. */
export const MemoryFigures = Context.Reference<{
  readonly machine: () => MachineMemory | null
  /** Whether this server counts as near its limit, even when it is not. */
  readonly isPressed: (serverId: string) => boolean
}>("@atrium/actors/servers/MemoryFigures", {
  defaultValue: () => ({ machine: () => machineMemory(), isPressed: () => false })
})

/** A server of this runner whose rooms' memory is looked at. */
export interface WatchedServer {
  readonly serverId: string
  /** The rooms that run now, with their memory. */
  rooms(): ReadonlyArray<RoomMemory>
  sampled(sample: Sample): void
}

/** Looks at the memory of all servers of this runner, with one timer. */
export class MemoryLook extends Context.Service<
  MemoryLook,
  {
    /** Looks at the server's memory until the scope ends. The first look is over when this is. */
    watch(server: WatchedServer): Effect.Effect<void, never, Scope.Scope>
    /** Looks at once. */
    readonly now: Effect.Effect<void>
  }
>()("@atrium/actors/servers/MemoryLook") {
  static readonly layer = Layer.effect(
    MemoryLook,
    Effect.gen(function* () {
      const figures = yield* MemoryFigures
      const servers = new Set<WatchedServer>()
      const now = Effect.map(Clock.currentTimeMillis, (nowMs) =>
        lookAt([...servers], { ...figures, nowMs })
      )
      const watch = (server: WatchedServer) =>
        Effect.andThen(
          Effect.acquireRelease(
            Effect.sync(() => servers.add(server)),
            () => Effect.sync(() => servers.delete(server))
          ),
          now
        )
      // A shortage of memory passes in the machine's time, whatever the service's clock shows.
      yield* now.pipe(Effect.repeat(Schedule.spaced(ServerLimits.memoryLook.ms)), Effect.forkScoped)
      return { watch, now }
    })
  )
}

type Figures = (typeof MemoryFigures)["Service"]

/** Gives each server its sample. Of those that a short machine hurts, the one with the largest room yields. */
const lookAt = (
  servers: ReadonlyArray<WatchedServer>,
  { machine, isPressed, nowMs }: Figures & { readonly nowMs: number }
): void => {
  const level = machineLevel(machine())
  const looks = servers.map((server) => ({ server, rooms: server.rooms() }))
  const all = looks.flatMap(({ rooms }) => rooms)
  const isAnyEmpty = all.some(({ occupied }) => !occupied)
  const most = all.reduce((bytes, room) => Math.max(bytes, room.bytes), 0)
  let yielded = isAnyEmpty
  for (const { server, rooms } of looks) {
    if (isPressed(server.serverId)) {
      server.sampled({ nowMs, rooms, machine: "near", yields: true })
      continue
    }
    const yields = !yielded && rooms.some(({ bytes }) => bytes === most)
    if (yields) yielded = true
    server.sampled({ nowMs, rooms, machine: level, yields })
  }
}
