import type { LifeNote } from "@atrium/domain/life/LifeEvent"
import { isInert } from "@atrium/domain/rooms/InertRoom"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { type AnyRoomSchema, fromDescriptor } from "@atrium/wire/schema"
import { Effect, Option } from "effect"

import type { DeployedType } from "../deployments/DeployedType.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { pathOfState } from "../migrations/LeadState.ts"
import { playersSince } from "../migrations/StatePath.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import type { RelayRoomSettings } from "../relay/LiveRelay.ts"
import { relaySeatCaps } from "../relay/RelaySessions.ts"
import { ServerWaking, StartFailed } from "../servers/ServerProtocol.ts"
import type { IncarnationStart } from "./IncarnationStart.ts"
import { deployedType, readable } from "./ReadableState.ts"
import { RoomFiles, type StoredRoom } from "./RoomFiles.ts"
import type { Lobby } from "./RoomLobby.ts"
import { RoomStore } from "./RoomStore.ts"

/** What a start finds in the store. */
export type LoadedRoom = Effect.Success<ReturnType<typeof loadRoom>>

/** Everything that the process needs and the store has. A start that a later one has overtaken is refused. */
export const loadRoom = Effect.fnUntraced(function* ({
  key,
  order
}: Pick<IncarnationStart, "key" | "order">) {
  const deployments = yield* DeploymentStore
  const files = yield* RoomFiles
  const rooms = yield* RoomStore
  const wanted = yield* deployedType(key, order)
  const { deployed } = wanted
  const [bundle, stored, row] = yield* Effect.all(
    [
      wanted.relay ? noCode : deployments.bundle(key.projectId, order.version),
      order.blank === true ? nothingStored : files.load(key, order.version),
      rooms.load(key)
    ],
    { concurrency: 3 }
  )
  if (row !== null && row.epoch > order.epoch) return yield* elsewhere
  const relay = wanted.relay ? yield* relaySettings({ key, order }, deployed) : null
  const since = playersSince(yield* deployments.steps(key.projectId, order.version))
  const isBranch = row !== null && row.branch !== null
  if (isBranch && stored.snapshot === null) return yield* noState
  const is = {
    deployed,
    relay,
    bundle,
    stored: isStored(stored),
    since,
    isBranch,
    isInert: isInert({ ...key, isBranch })
  }
  const path = yield* pathOfState({ key, order }, stored)
  if (path._tag === "Discarded") {
    yield* files.discard(key, path.at)
    yield* rooms.setLobby({ ...key, epoch: order.epoch }, freshLobby)
    return {
      ...is,
      alarms: [],
      lobby: freshLobby,
      snapshot: null,
      staysOn: null,
      changed: givenUp(order, path.at)
    }
  }
  const lobby: Lobby = {
    isPublic: row?.isPublic ?? false,
    started: row?.started ?? false,
    metadata: row?.lobbyMetadata ?? null
  }
  const from = yield* readable({ key, order }, wanted, { stored, path })
  return { ...is, ...from, alarms: stored.alarms, lobby }
})

/** The room starts anew, as a version since it was stored gives up what older ones stored. */
const givenUp = ({ version }: IncarnationStart["order"], by: number): LifeNote => ({
  kind: "cold",
  version,
  detail: `version ${by} gives up what older versions stored`
})

const isStored = ({ snapshot, alarms }: StoredRoom): boolean =>
  snapshot !== null || alarms.length > 0

const freshLobby: Lobby = { isPublic: false, started: false, metadata: null }

/** The order is late: its runner stood still, and the room has started elsewhere since. */
const elsewhere = new ServerWaking({ message: "the room has started elsewhere" })

const noState = new StartFailed({ message: "the branch has no state: make it again" })

const nothingStored = Effect.succeed<StoredRoom>({ snapshot: null, alarms: [] })

const noCode = Effect.succeed(new Uint8Array(0))

/** The settings that a relay room keeps while it is up; its seats follow from the project's plan. */
const relaySettings = Effect.fnUntraced(function* (
  { key, order }: Pick<IncarnationStart, "key" | "order">,
  deployed: DeployedType
) {
  const settings: RelayRoomSettings = {
    schema: relaySchemaOf(deployed),
    seats: relaySeatCaps(order.terms?.plan ?? (yield* planOf(key)), deployed.maxClients),
    reconnectForMs: deployed.reconnectForMs
  }
  return settings
})

const planOf = Effect.fnUntraced(function* ({ projectId }: RoomKey) {
  const project = Option.getOrUndefined(yield* (yield* ProjectStore).find(projectId))
  return project?.plan ?? "free"
})

/** A schema never changes: the rooms of a type share one. */
const relaySchemaOf = (deployed: DeployedType): AnyRoomSchema => {
  const schema = relaySchemas.get(deployed) ?? fromDescriptor(deployed.schema)
  relaySchemas.set(deployed, schema)
  return schema
}

const relaySchemas = new WeakMap<DeployedType, AnyRoomSchema>()
