import type { Sample } from "@atrium/actors/servers/Pressure"

import type { AwakeRoom } from "./AwakeRoom.ts"
import type { ServerActor } from "./ServerActor.ts"
import { Group } from "./Work.ts"

/** One process of the service, with what lives in it. */
export class Runner {
  readonly id: number
  readonly group = new Group(null)
  /** See AwakeRooms.ts of actors. */
  readonly awake = new Map<string, AwakeRoom>()
  readonly servers = new Set<ServerActor>()
  /** It goes down and takes no room any more. */
  closing = false

  constructor(id: number) {
    this.id = id
  }
}

/** `lookAt` in actors/server/MemoryLook.ts. */
export const lookAtMemory = (
  servers: Iterable<ServerActor>,
  figures: {
    readonly level: Sample["machine"]
    readonly isPressed: (serverId: string) => boolean
    readonly nowMs: number
  }
): void => {
  const { level, isPressed, nowMs } = figures
  const looks = [...servers].map((server) => ({ server, rooms: server.memory }))
  const all = looks.flatMap(({ rooms }) => rooms)
  const most = all.reduce((bytes, room) => Math.max(bytes, room.bytes), 0)
  let yielded = all.some(({ occupied }) => !occupied)
  for (const { server, rooms } of looks) {
    if (isPressed(server.id)) {
      server.sampled({ nowMs, rooms, machine: "near", yields: true })
      continue
    }
    const yields = !yielded && rooms.some(({ bytes }) => bytes === most)
    if (yields) yielded = true
    server.sampled({ nowMs, rooms, machine: level, yields })
  }
}
