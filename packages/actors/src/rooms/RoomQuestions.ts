import { WakeMeters } from "@atrium/domain/meters/Caps"
import { deletesAtMs, retentionInForce } from "@atrium/domain/rooms/Retention"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { Clock, Effect, Option } from "effect"

import type { DeployedType } from "../deployments/DeployedType.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { CapWalls } from "../meters/CapWalls.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { relaySeatCaps } from "../relay/RelaySessions.ts"
import { RoomSaves } from "../saves/RoomSaves.ts"
import { typeToStart } from "./RoomMachine.ts"
import { newestSnapshot, roomPrefix } from "./RoomObjects.ts"
import type { RoomFacts } from "./RoomRows.ts"
import { RoomEvent, type RoomState, typeOf } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

/** The questions to the stores whose answers a room's events carry. */
export type RoomQuestions = Effect.Success<ReturnType<typeof makeRoomQuestions>>

export const makeRoomQuestions = Effect.fnUntraced(function* (key: RoomKey) {
  const deployments = yield* DeploymentStore
  const projects = yield* ProjectStore
  const rooms = yield* RoomStore
  const objects = yield* ObjectStore
  const saves = yield* RoomSaves
  const walls = yield* CapWalls
  let facts: RoomFacts | null = null

  const deployed = Effect.map(deployments.current(key.projectId), Option.getOrNull)

  const typeNow = Effect.fnUntraced(function* (type: string | null) {
    if (type === null) return null
    const deployment = yield* deployed
    const found = deployment?.roomTypes.find((candidate) => candidate.type === type)
    return deployment === null || found === undefined ? null : { deployment, found }
  })

  /** A relay room takes fewer players than its type declares where the plan's seats are fewer. */
  const factsNow = Effect.fnUntraced(function* (relay: boolean, found: DeployedType) {
    if (!relay) return found
    const plan = Option.map(yield* projects.find(key.projectId), (project) => project.plan)
    const { players } = relaySeatCaps(
      Option.getOrElse(plan, () => "free" as const),
      found.maxClients
    )
    return { type: found.type, class: found.class, maxClients: players }
  })

  /** What the current deployment makes of a type; the row shows it from now on. */
  const kindOf = Effect.fnUntraced(function* (type: string | null) {
    const now = yield* typeNow(type)
    if (now === null) return null
    facts = yield* factsNow(now.deployment.relay, now.found)
    return { type: now.found.type, class: now.found.class, version: now.deployment.version }
  })

  /** The exact moment when the room's retention lapses, from what is stored. Source: D-07. */
  const sweep = Effect.fnUntraced(function* (state: RoomState) {
    const row = yield* rooms.load(key)
    const declared = (yield* typeNow(typeOf(state)))?.found.retention ?? null
    const retention = retentionInForce({ override: row?.retentionOverride ?? null, declared })
    const newest = newestSnapshot(key, yield* objects.list(roomPrefix(key)))
    const activeAtMs = newest?.entry.storedAtMs ?? row?.lastSeenMs ?? null
    return RoomEvent.SweepAsked({
      nowMs: yield* Clock.currentTimeMillis,
      deletesAtMs: activeAtMs === null ? null : deletesAtMs(retention, activeAtMs)
    })
  })

  /** A wake, with what decides whether the room may start. */
  const wake = Effect.fnUntraced(function* (
    state: RoomState,
    asked: { readonly type: string | null; readonly create: boolean }
  ) {
    const kind = yield* kindOf(typeToStart(state, asked.type))
    const wall = kind === null ? null : yield* walls.of(key.projectId, WakeMeters)
    return RoomEvent.WakeAsked({ ...asked, kind, wall })
  })

  return {
    wake,
    sweep,
    facts: () => facts,
    factsOf: Effect.fnUntraced(function* (type: string | null) {
      const now = yield* typeNow(type)
      return now === null ? null : yield* factsNow(now.deployment.relay, now.found)
    }),
    /** Whether the project's rooms run no code. */
    relay: Effect.map(deployed, (deployment) => deployment?.relay === true),
    /** Whether the row says that the game has started. */
    started: Effect.map(rooms.load(key), (row) => row?.started === true),
    save: (saveId: string) =>
      Effect.map(saves.find(key, saveId), (save) =>
        save === null ? null : { version: save.manifest.version, saveId }
      )
  }
})
