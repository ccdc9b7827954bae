import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { fromDescriptor, schemaHash } from "@atrium/wire/schema"
import { cutLogLine } from "@atrium/wire/text/LogLine"
import { Effect } from "effect"

import type { DeployedType } from "../deployments/DeployedType.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { storedSchema, storesAlike } from "../deployments/StoredSchema.ts"
import { mappedStack } from "../process/MappedStack.ts"
import type { IncarnationStart } from "../rooms/IncarnationStart.ts"
import type { StoredRoom } from "../rooms/RoomFiles.ts"
import { Stays } from "../rooms/Stays.ts"
import { ServerWaking } from "../servers/ServerProtocol.ts"
import { type LedOn, type MigrationFailed, Migrator } from "./Migrator.ts"
import { playersPath, roomPath, type StatePath } from "./StatePath.ts"
import type { Hop } from "./VersionStep.ts"

const unchanged: LoadPath = { _tag: "Led", hops: [], players: [] }

/**
 * The way of the stored state to the version that starts. `Discarded` = a version since then gives up what older
 * ones stored, and the caller removes all of that. Spec: Project file, preRelease; C-701, C-702.
 */
export const pathOfState = Effect.fnUntraced(function* (
  { key, order }: Pick<IncarnationStart, "key" | "order">,
  { snapshot }: StoredRoom
) {
  if (snapshot === null || snapshot.manifest.version >= order.version) return unchanged
  const steps = yield* (yield* DeploymentStore).steps(key.projectId, order.version)
  const span = { from: snapshot.manifest.version, to: order.version, type: order.type }
  const path = roomPath(steps, span)
  const found: LoadPath =
    path._tag === "Led" ? { ...path, players: playersPath(steps, span) } : path
  return found
})

/** The changes by code that lead a stored state on, those of its players' fields among them. */
type LoadPath =
  | Extract<StatePath, { readonly _tag: "Discarded" }>
  | (LedPath & { readonly players: ReadonlyArray<Hop> })
type LedPath = Extract<StatePath, { readonly _tag: "Led" }>
export type PathToLead = Extract<LoadPath, { readonly _tag: "Led" }>

interface Leading {
  /** The version that stored the state. */
  readonly version: number
  readonly bytes: Uint8Array
  /** The room type as that version declared it. */
  readonly stored: DeployedType
  readonly path: PathToLead
}

/**
 * The state after the migrations on its way. One that fails leaves the room as it was, on its version, and the
 * room's log says why. Source: C-702, C-705.
 */
export const leadState = Effect.fnUntraced(function* (
  { key, order }: Pick<IncarnationStart, "key" | "order">,
  deployed: DeployedType,
  { version, bytes, stored, path }: Leading
) {
  const { memoryMiB } = RoomClasses[order.class]
  const lead = (yield* Migrator).lead({
    projectId: key.projectId,
    to: order.version,
    stored: storedSchema(stored).descriptor,
    room: { type: order.type, hops: path.hops },
    players: path.players,
    bytes,
    memoryMiB
  })
  const after = yield* Effect.catchTags(lead, {
    MigratorAway: ({ message }) =>
      new ServerWaking({ message: `no process for the room's migration: ${message}` }),
    MigrationFailed: (failure) =>
      Effect.flatMap(failedText(order, failure), (why) => new Stays({ version, why }))
  })
  const isPlain =
    path.hops.length === 0 ? storesAlike(stored, deployed) : isWithout(after, deployed)
  return { bytes: after.bytes, schema: isPlain ? null : after.schema }
})

/** Whether a state out of a migration, which never names its schema, is read by the version's own. */
const isWithout = ({ schema }: LedOn, deployed: DeployedType): boolean =>
  deployed.hidden === undefined &&
  schema !== null &&
  schemaHash(fromDescriptor(schema)) === storedSchema(deployed).hash

const failedText = Effect.fnUntraced(function* (
  { version }: IncarnationStart["order"],
  { message, stack, bundle }: MigrationFailed
) {
  const mapped = yield* mappedStack(bundle, cutLogLine(stack))
  const text = `the migration to version ${version} failed: ${message}`
  return mapped === "" ? text : `${text}\n${mapped}`
})
