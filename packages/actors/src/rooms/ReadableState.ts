import type { LifeNote } from "@atrium/domain/life/LifeEvent"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { breakingDifference, fromDescriptor, type SchemaDescriptor } from "@atrium/wire/schema"
import { Effect, Option } from "effect"

import type { DeployedType } from "../deployments/DeployedType.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { storedSchema, storesAlike } from "../deployments/StoredSchema.ts"
import { leadState, type PathToLead } from "../migrations/LeadState.ts"
import type { IncarnationStart } from "./IncarnationStart.ts"
import type { StoredRoom } from "./RoomFiles.ts"
import { Stays, unheld } from "./Stays.ts"

/** The stored state as a version starts from it. */
export interface Readable {
  /** With the schema that it was written with, unless that is the version's own; `null` = none. */
  readonly snapshot: { readonly bytes: Uint8Array; readonly schema: SchemaDescriptor | null } | null
  /** The version on which the room stays if its process cannot read the state; `null` = the room fails then. */
  readonly staysOn: number | null
  /** What the room's life tells of it once the room is up. */
  readonly changed: LifeNote | null
}

const nothing: Readable = { snapshot: null, staysOn: null, changed: null }

/** What is stored of a room, and its way to the version that starts. */
interface OnItsWay {
  readonly stored: StoredRoom
  readonly path: PathToLead
}

/**
 * Finds out whether a version reads the stored state, after the migrations on its way. A version of a
 * rollback takes less than the state may hold: its process tells. State that no version but its own could
 * read keeps the room there, and so does a migration that fails. In `dev` the state is left where it is and
 * the room starts cold. Source: C-34, C-685, C-705.
 *
 * Errors: {@link Stays}, if the room has to stay on the version of its state.
 */
export const readable = Effect.fnUntraced(function* (
  { key, order }: Pick<IncarnationStart, "key" | "order">,
  { deployed, relay }: WantedType,
  { stored: { snapshot }, path }: OnItsWay
) {
  if (snapshot === null) return nothing
  const stored = yield* deployedType(key, snapshot.manifest)
  if (relay || stored.relay) {
    const { manifest } = snapshot
    // A save that was asked for is taken as it is, whatever was deployed since it was made.
    const since = manifest.reason === "restore" ? order.version : manifest.version
    const same =
      relay &&
      stored.deployed.schemaHash === deployed.schemaHash &&
      (yield* sameSince(since, { key, order }, deployed))
    if (same && relay === stored.relay) return plainOf(snapshot)
    const versions = { version: order.version, from: manifest.version }
    return { ...nothing, changed: cold(versions, "its schema has changed") }
  }
  const { version } = snapshot.manifest
  const versions = { version: order.version, from: version }
  const migrated: LifeNote = { kind: "migrated", ...versions }
  if (path.hops.length + path.players.length > 0) {
    const leading = { version, bytes: snapshot.state, stored: stored.deployed, path }
    const led = yield* leadState({ key, order }, deployed, leading)
    // The new version may refuse what the migrations have made.
    return { snapshot: led, staysOn: version, changed: migrated } satisfies Readable
  }
  if (storesAlike(stored.deployed, deployed)) return plainOf(snapshot)
  const [before, now] = [storedSchema(stored.deployed), storedSchema(deployed)]
  const [from, to] = [fromDescriptor(before.descriptor), fromDescriptor(now.descriptor)]
  const moved = { bytes: snapshot.state, schema: before.descriptor }
  const difference = breakingDifference(from, to)
  if (difference === null) return { snapshot: moved, staysOn: null, changed: migrated }
  if (key.projectId === "dev") {
    yield* Effect.logWarning(`the room starts cold, as its state cannot be read: ${difference}`)
    return { ...nothing, changed: cold(versions, difference) }
  }
  if (breakingDifference(to, from) === null)
    return { snapshot: moved, staysOn: version, changed: migrated }
  return yield* new Stays({ version, why: unheld(order, difference) })
})

/**
 * Whether every deployment since a version had this very schema and no code. A room that slept through
 * a deployment with another schema starts anew, too. Spec: Connection and room limits.
 */
const sameSince = Effect.fnUntraced(function* (
  version: number,
  { key, order }: Pick<IncarnationStart, "key" | "order">,
  { type, schemaHash }: DeployedType
) {
  const deployments = yield* DeploymentStore
  const current = yield* deployments.find(key.projectId, order.version)
  const rows =
    version === order.version ? Option.toArray(current) : yield* deployments.list(key.projectId)
  return rows
    .filter((row) => row.version >= version && row.version <= order.version)
    .every(
      ({ relay, roomTypes }) =>
        relay && roomTypes.some((row) => row.type === type && row.schemaHash === schemaHash)
    )
})

interface WantedType {
  readonly deployed: DeployedType
  readonly relay: boolean
}

const plainOf = ({ state }: { readonly state: Uint8Array }): Readable => ({
  snapshot: { bytes: state, schema: null },
  staysOn: null,
  changed: null
})

const cold = (
  versions: { readonly version: number; readonly from: number },
  detail: string
): LifeNote => ({ kind: "cold", ...versions, detail })

/** The room type as that version declared it, its descriptor proven to be one. */
export const deployedType = Effect.fnUntraced(function* (
  key: RoomKey,
  wanted: { readonly type: string; readonly version: number }
) {
  const deployments = yield* DeploymentStore
  const deployment = yield* deployments.find(key.projectId, wanted.version)
  const version = Option.getOrUndefined(deployment)
  const found = version?.roomTypes.find((candidate) => candidate.type === wanted.type)
  if (found === undefined) {
    return yield* Effect.die(new Error(`version ${wanted.version} has no type ${wanted.type}`))
  }
  // A row whose schema is none is a fault of the store: nothing starts then.
  storedSchema(found)
  return { deployed: found, relay: version?.relay === true }
})
