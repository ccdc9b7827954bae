import { type ProjectId, roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { MiB } from "@atrium/wire/limits/Limit"
import { Effect } from "effect"

import type { AwakeRoom } from "../rooms/AwakeRoom.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { MemoryLook } from "./MemoryLook.ts"
import type { RoomMemory, Sample } from "./Pressure.ts"
import { type ServerAction, ServerEvent, type ServerState } from "./ServerMachine.ts"
import { serverIdOf } from "./ServerProtocol.ts"

/** The parts of a server that a look at its memory needs. */
interface Relieving {
  readonly projectId: ProjectId
  readonly index: number
  readonly rooms: () => ReadonlyArray<AwakeRoom>
  readonly state: () => ServerState
  readonly decide: (event: ServerEvent) => ReadonlyArray<ServerAction>
}

/** What is done for the server's memory to one of its rooms. */
interface Relief {
  readonly of: { readonly roomId: string; readonly epoch: number }
  readonly act: (room: AwakeRoom) => void
}

/**
 * Has the server's memory looked at for as long as the scope lasts, and does what its machine orders
 * for it: an empty room is put away by its own actor, the largest one loses its process.
 */
export const makeServerRelief = Effect.fnUntraced(function* (server: Relieving) {
  const look = yield* MemoryLook
  const actorOf = yield* RoomActor.client
  const { projectId, index, decide } = server
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const serverId = serverIdOf(projectId, index)

  const told = (line: string, about: object): void => {
    run(Effect.annotateLogs(Effect.logWarning(line), { project: projectId, ...about }))
  }

  // A report that gets lost is made again: the room is still there, and empty.
  const sleep = (room: AwakeRoom, epoch: number): void => {
    run(
      actorOf(roomKeyText(room.key))
        .PutAway({ epoch, serverIndex: index, reason: "pressure" })
        .pipe(
          Effect.timeout(ServiceLimits.actorCall.ms),
          Effect.catchCause((cause) => Effect.logWarning("a room was not put to sleep", cause))
        )
    )
  }

  const restart = (room: AwakeRoom): void => {
    told("the server's largest room is restarted to have memory back", { room: room.key.roomId })
    room.incarnation()?.process.kill("pressure")
  }

  /** `null` = the action answers a room that starts. */
  const reliefOf = (action: ServerAction): Relief | null => {
    switch (action._tag) {
      case "SleepRoom":
        return { of: action, act: (room) => sleep(room, action.epoch) }
      case "RestartRoom":
        return { of: action, act: restart }
      case "ResizeRing":
        return { of: action, act: (room) => room.incarnation()?.replays?.resize(action.ring) }
      case "Boot":
      case "Admit":
      case "RefuseFull":
      case "RefuseFree":
      case "RefuseNear":
      case "RefuseCordoned":
      case "RefuseClosing":
        return null
    }
  }

  const perform = (action: ServerAction): void => {
    const relief = reliefOf(action)
    if (relief === null) return
    const { roomId, epoch } = relief.of
    const room = server.rooms().find((held) => held.key.roomId === roomId)
    if (room?.epoch() === epoch) relief.act(room)
  }

  const sampled = (sample: Sample): void => {
    const before = server.state().pressure._tag
    const actions = decide(ServerEvent.MemorySampled(sample))
    const { pressure, roomsMib } = server.state()
    if (pressure._tag !== before) {
      const bytes = sample.rooms.reduce((sum, room) => sum + room.bytes, 0)
      const usedMib = Math.round(bytes / MiB)
      told(lines[pressure._tag], { server: serverId, usedMib, roomsMib, machine: sample.machine })
    }
    for (const action of actions) perform(action)
  }

  yield* look.watch({
    serverId,
    rooms: () => server.rooms().flatMap(memoryOf),
    sampled
  })
})

const lines = {
  Shrunk: "the server is near its memory limit: the replays of its rooms are shortened",
  Near: "the server is near its memory limit and takes no new rooms",
  Calm: "the server has memory again and takes rooms"
} as const

/** None while no process runs. */
const memoryOf = (room: AwakeRoom): ReadonlyArray<RoomMemory> => {
  const incarnation = room.incarnation()
  if (incarnation === null) return []
  return [
    {
      roomId: room.key.roomId,
      epoch: room.epoch(),
      bytes: incarnation.process.usedBytes ?? 0,
      occupied: room.gate.connections > 0,
      ring: incarnation.replays?.ring() ?? null
    }
  ]
}
