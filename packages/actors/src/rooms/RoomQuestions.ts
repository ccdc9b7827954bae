import type { Tier } from "@atrium/domain/meters/Caps"
import { roomsMibOf, type ServerTerms } from "@atrium/domain/projects/ServerSettings"
import { entryBar, isInert } from "@atrium/domain/rooms/InertRoom"
import { deletesAtMs, retentionInForce } from "@atrium/domain/rooms/Retention"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { Clock, Effect, Option } from "effect"

import type { DeployedType } from "../deployments/DeployedType.ts"
import type { DeploymentRow } from "../deployments/DeploymentRow.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { roomPath } from "../migrations/StatePath.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { relaySeatCaps } from "../relay/RelaySessions.ts"
import { RoomSaves } from "../saves/RoomSaves.ts"
import { typeToStart } from "./RoomMachine.ts"
import { newestSnapshot, roomPrefix } from "./RoomObjects.ts"
import type { BranchOf, RoomFacts, RoomRow } from "./RoomRows.ts"
import { RoomEvent, type RoomState, typeOf } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"
import { type TermsOfWake, WakeTerms } from "./WakeTerms.ts"

/** The fields that a caller names when it wakes a room. */
interface WakeAsked {
  readonly type: string | null
  readonly create: boolean
  /** The kind of client that joins; absent = the service itself wakes the room. */
  readonly client?: "player" | "test"
}

/** The questions to the stores whose answers a room's events carry. */
export type RoomQuestions = Effect.Success<ReturnType<typeof makeRoomQuestions>>

export const makeRoomQuestions = Effect.fnUntraced(function* (key: RoomKey) {
  const deployments = yield* DeploymentStore
  const projects = yield* ProjectStore
  const rooms = yield* RoomStore
  const objects = yield* ObjectStore
  const saves = yield* RoomSaves
  let branch: BranchOf | null = null
  let isBlank = false
  const terms = yield* makeTermsOfWake(key, () => branch)
  const deployed = Effect.map(deployments.current(key.projectId), Option.getOrNull)

  /** A branch stays on the version of its save. */
  const versionNow = Effect.suspend(() =>
    branch === null
      ? deployed
      : Effect.map(deployments.find(key.projectId, branch.version), Option.getOrNull)
  )

  const typeNow = Effect.fnUntraced(function* (type: string | null) {
    if (type === null) return null
    return typeIn(yield* versionNow, type)
  })

  const planNow = Effect.map(projects.find(key.projectId), (project) =>
    Option.getOrElse(
      Option.map(project, ({ plan }) => plan),
      () => "free" as const
    )
  )

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

  return {
    ...terms,
    /** Remembers the fields of the room's row that never change, and whether there is neither a row nor a stored state. */
    learn: (row: Pick<RoomRow, "branch"> | null, state: RoomState): void => {
      branch = row?.branch ?? null
      isBlank = row === null && state._tag === "Absent"
    },
    /** Whether the next start is the first one of a room of which nothing is stored: true once. */
    takeBlank: (): boolean => {
      const blank = isBlank
      isBlank = false
      return blank
    },
    inert: () => isInert({ ...key, isBranch: branch !== null }),
    sweep,
    factsOf: Effect.fnUntraced(function* (type: string | null) {
      const now = yield* typeNow(type)
      return now === null ? null : factsOf(now, yield* planNow)
    }),
    /** Whether the project's rooms run no code. */
    relay: Effect.map(deployed, (deployment) => deployment?.relay === true),
    /** Whether the row says that the game has started. */
    started: Effect.map(rooms.load(key), (row) => row?.started === true),
    /** Finds a save; `null` = the room has no such save, or a newer version has discarded it. */
    save: Effect.fnUntraced(function* (saveId: string) {
      const save = yield* saves.find(key, saveId)
      if (save === null) return null
      const { type, version } = save.manifest
      const to = (yield* versionNow)?.version ?? version
      const steps = yield* deployments.steps(key.projectId, to)
      const path = roomPath(steps, { from: version, to, type })
      return path._tag === "Led" ? { version, saveId } : null
    })
  }
})

/** The wakes of a room, and what the last of them has read. */
const makeTermsOfWake = Effect.fnUntraced(function* (
  key: RoomKey,
  branchNow: () => BranchOf | null
) {
  const deployments = yield* DeploymentStore
  const terms = yield* WakeTerms
  let facts: RoomFacts | null = null
  /** Claimed for the start that is under way, and not used yet. */
  let claimed: number | null = null
  let serverTerms: ServerTerms | null = null

  /** What this version makes of the room; the row shows it from now on. */
  const kindOf = Effect.fnUntraced(function* (type: string, now: TermsOfWake) {
    // A branch stays on the version of its save.
    const version = branchNow()?.version ?? now.version
    if (version === null) return null
    const deployment = Option.getOrNull(yield* deployments.find(key.projectId, version))
    const typed = typeIn(deployment, type)
    if (typed === null) return null
    facts = factsOf(typed, now.plan)
    claimed = now.epoch
    const classes = typed.deployment.roomTypes.map((each) => each.class)
    serverTerms = { plan: now.plan, roomsMib: roomsMibOf(classes) }
    return { type: typed.found.type, class: typed.found.class, version }
  })

  return {
    /** A wake, with what decides whether the room may start. */
    wake: Effect.fnUntraced(function* (state: RoomState, { client, ...asked }: WakeAsked) {
      claimed = null
      serverTerms = null
      const isBranch = branchNow() !== null
      const bar = client === undefined ? null : entryBar({ ...key, isBranch }, client === "test")
      if (bar !== null) return RoomEvent.WakeAsked({ ...asked, kind: null, wall: null, bar })
      const type = typeToStart(state, asked.type)
      const now = type === null ? null : yield* terms.read(key.projectId)
      const kind = type === null || now === null ? null : yield* kindOf(type, now)
      return RoomEvent.WakeAsked({
        ...asked,
        kind,
        wall: kind === null ? null : (now?.wall ?? null)
      })
    }),
    /** What the row shows of the room's type. */
    facts: () => facts,
    /** The terms of servers; `null` = the last wake had to read none. */
    terms: () => serverTerms,
    /** The epoch of the start that was asked for; `null` = it has been taken. */
    takeEpoch: (): number | null => {
      const epoch = claimed
      claimed = null
      return epoch
    }
  }
})

/** A room type and the deployment that declares it. */
interface Typed {
  readonly deployment: DeploymentRow
  readonly found: DeployedType
}

const typeIn = (deployment: DeploymentRow | null, type: string): Typed | null => {
  const found = deployment?.roomTypes.find((candidate) => candidate.type === type)
  return deployment === null || found === undefined ? null : { deployment, found }
}

/** A relay room takes fewer players than its type declares where the plan's seats are fewer. */
const factsOf = ({ deployment, found }: Typed, plan: Tier): RoomFacts => {
  if (!deployment.relay) return found
  const { players } = relaySeatCaps(plan, found.maxClients)
  return { type: found.type, class: found.class, maxClients: players }
}
