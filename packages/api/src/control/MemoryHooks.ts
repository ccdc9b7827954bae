import { readFileSync } from "node:fs"

import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { machineMemory } from "@atrium/actors/servers/MachineMemory"
import { type MemoryFigures, MemoryLook } from "@atrium/actors/servers/MemoryLook"
import { MiB } from "@atrium/wire/limits/Limit"
import { Effect, Schema } from "effect"

import { HookRefused, type Hooks, verb } from "./Hook.ts"
import { ServerId } from "./ServerHooks.ts"

/** Servers that are taken for near their limit; of the machine all is true. */
export class PressedServers {
  readonly #pressed = new Set<string>()

  readonly figures: (typeof MemoryFigures)["Service"] = {
    machine: () => machineMemory(),
    isPressed: (serverId) => this.#pressed.has(serverId)
  }

  press(serverId: string, level: "none" | "high"): void {
    if (level === "high") this.#pressed.add(serverId)
    else this.#pressed.delete(serverId)
  }
}

const Pressure = Schema.Struct({ server: ServerId, level: Schema.Literals(["none", "high"]) })
const Room = Schema.Struct({ project: Schema.NonEmptyString, room: Schema.NonEmptyString })

export const makeMemoryHooks = Effect.fnUntraced(function* (pressed: PressedServers) {
  const look = yield* MemoryLook
  const awake = yield* AwakeRooms
  const hooks: Hooks = {
    "memory/pressure": verb(Pressure, ({ server, level }) =>
      Effect.gen(function* () {
        pressed.press(server, level)
        yield* look.now
        return { server, level }
      })
    ),
    "memory/heap": verb(Room, ({ project, room }) =>
      Effect.gen(function* () {
        const found = awake
          .all()
          .find(({ key }) => key.projectId === project && key.roomId === room)
        const heapBytes = heapBytesOf(found?.incarnation()?.process.pid ?? 0)
        if (heapBytes !== null) return { heapBytes }
        return yield* new HookRefused({ message: "room: none of that id has a process" })
      })
    )
  }
  return hooks
})

/** The heap that a process was started with, as the system shows its command line; `null` = it is not there. */
const heapBytesOf = (pid: number): number | null => {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, "utf8")
    const [, mib] = /--max-old-space-size=(\d+)/.exec(line) ?? []
    return mib === undefined ? null : Number(mib) * MiB
  } catch {
    return null
  }
}
