import { readFileSync } from "node:fs"

import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { MemoryLook } from "@atrium/actors/servers/MemoryLook"
import { MiB } from "@atrium/wire/limits/Limit"
import { Effect, Schema } from "effect"

import { ControlTools } from "../control/ControlTools.ts"
import { HookRefused, type Hooks, verb } from "../control/Hook.ts"
import { ServerId } from "./ServerHooks.ts"

const Pressure = Schema.Struct({ server: ServerId, level: Schema.Literals(["none", "high"]) })
const Room = Schema.Struct({ project: Schema.NonEmptyString, room: Schema.NonEmptyString })

/** Presses the memory of a server, and reads the heap of a room. */
export const hooks = Effect.gen(function* () {
  const { pressed } = yield* ControlTools
  const look = yield* MemoryLook
  const awake = yield* AwakeRooms
  const verbs: Hooks = {
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
        return yield* new HookRefused({ message: "room: no room of that id has a process" })
      })
    )
  }
  return verbs
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
