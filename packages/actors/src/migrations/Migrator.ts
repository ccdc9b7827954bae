import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import type { HopOrder } from "@atrium/runtime/host/HostOrders"
import type { SchemaDescriptor } from "@atrium/wire/schema"
import { Context, Data, Effect, Layer, Option, RcMap, Semaphore } from "effect"

import type { DeploymentRow } from "../deployments/DeploymentRow.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { type ProvenSchema, storedSchema } from "../deployments/StoredSchema.ts"
import type { Migrated, ToMigrate } from "../process/MigrateProcess.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import { carriedFor } from "./NextStep.ts"
import { playersOf } from "./PlayerSchema.ts"
import type { Hop } from "./VersionStep.ts"

/** A migration did not lead something on. It is stored as it was. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly message: string
  /** The stack of the error, with places in `bundle`; empty = the error has no stack. */
  readonly stack: string
  /** The bundle whose code it was. */
  readonly bundle: Uint8Array
}> {}

/** The machine had no process for a migration: it may succeed another time. */
export class MigratorAway extends Data.TaggedError("MigratorAway")<{ readonly message: string }> {}

/** Something that is stored, and where it is to go. */
export interface ToLead {
  readonly projectId: ProjectId
  /** The version that will read it. */
  readonly to: number
  /** The schema that a room's snapshot was written with; `null` = these are the fields of a player. */
  readonly stored: SchemaDescriptor | null
  readonly room: { readonly type: string; readonly hops: ReadonlyArray<Hop> } | null
  readonly players: ReadonlyArray<Hop>
  readonly bytes: Uint8Array
  readonly memoryMiB: number
}

/** The outcome: the bytes, and the schema of a room's state in them. */
export interface LedOn {
  readonly bytes: Uint8Array
  readonly schema: SchemaDescriptor | null
}

/**
 * Leads stored rooms and players over the migrations between two versions, in processes of their own. A
 * bundle's process takes one after the other, and waits a while for the next. Source: C-702, C-706.
 */
export class Migrator extends Context.Service<
  Migrator,
  { lead(asked: ToLead): Effect.Effect<LedOn, MigrationFailed | MigratorAway> }
>()("@atrium/actors/migrations/Migrator") {
  static readonly layer = Layer.effect(
    Migrator,
    Effect.suspend(() => makeMigrator)
  )
}

/** Its processes end with the scope. */
export const makeMigrator = Effect.gen(function* () {
  const deployments = yield* DeploymentStore
  const run = yield* makeRunner(deployments)
  const ordered = ordering(deployments)
  return Migrator.of({
    lead: Effect.fn("Migrator.lead")(function* (asked: ToLead) {
      let { bytes, stored } = asked
      for (const { version, hops } of yield* ordered(asked)) {
        const place = { projectId: asked.projectId, version, memoryMiB: asked.memoryMiB }
        bytes = yield* run(place, { stored, hops, bytes })
        const last = hops.findLast((hop) => hop._tag === "Room")
        if (last?._tag === "Room") stored = last.to.schema
      }
      return { bytes, schema: stored }
    })
  })
})

/** The process of a bundle. */
interface Place {
  readonly projectId: ProjectId
  readonly version: number
  readonly memoryMiB: number
}

/** Runs changes in the processes of their bundles. */
const makeRunner = Effect.fnUntraced(function* (deployments: DeploymentStore["Service"]) {
  const processes = yield* ProcessPool
  const atOnce = yield* Semaphore.make(MigrationLimits.migratorsAtOnce.max)
  // States of one bundle wait for each other before they count: a slow bundle holds up no other one.
  const turns = yield* RcMap.make({ lookup: (_key: string) => Semaphore.make(1) })
  const opened = yield* RcMap.make({
    lookup: Effect.fnUntraced(function* (key: string) {
      const { projectId, version, memoryMiB } = placeOf(key)
      const bundle = yield* deployments.bundle(projectId, version)
      return { bundle, process: yield* processes.migrator(bundle, memoryMiB) }
    }),
    idleTimeToLive: MigrationLimits.migratorIdle.ms
  })

  const inTurn = (key: string, asked: ToMigrate) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { bundle, process } = yield* RcMap.get(opened, key)
        // A change that its caller gives up goes on: the process takes the next one only then.
        const migrated: Migrated = yield* Effect.uninterruptible(process.migrate(asked))
        if (process.isOver()) yield* RcMap.invalidate(opened, key)
        return { bundle, migrated }
      })
    )

  const once = (key: string, asked: ToMigrate) =>
    Effect.scoped(
      Effect.flatMap(RcMap.get(turns, key), (turn) =>
        turn.withPermits(1)(atOnce.withPermits(1)(inTurn(key, asked)))
      )
    )

  return Effect.fnUntraced(function* (place: Place, asked: ToMigrate) {
    const key = keyOf(place)
    // The process may have ended while it waited for this change.
    const first = yield* once(key, asked)
    const isAway = !first.migrated.ok && first.migrated.fault === "machine"
    const { bundle, migrated } = isAway ? yield* once(key, asked) : first
    if (migrated.ok) return migrated.bytes
    const { fault, message, stack } = migrated
    if (fault === "machine") return yield* new MigratorAway({ message })
    return yield* new MigrationFailed({ message, stack, bundle })
  })
})

/** A place as the key of a map: no id of a project holds a slash. */
const keyOf = ({ projectId, version, memoryMiB }: Place): string =>
  `${projectId}/${version}/${memoryMiB}`

const placeOf = (key: string): Place => {
  const [projectId = "", version, memoryMiB] = key.split("/")
  return {
    projectId: ProjectId.make(projectId),
    version: Number(version),
    memoryMiB: Number(memoryMiB)
  }
}

/** Changes that one bundle makes, in their order. */
interface Batch {
  readonly version: number
  readonly hops: ReadonlyArray<HopOrder>
}

/** Puts the changes together that one bundle makes. */
const ordering = (deployments: DeploymentStore["Service"]) =>
  Effect.fnUntraced(function* ({ projectId, to, room, players }: ToLead) {
    const rowAt = Effect.fnUntraced(function* (version: number) {
      const row = Option.getOrNull(yield* deployments.find(projectId, version))
      return row ?? (yield* Effect.die(new Error(`version ${version} is not there`)))
    })
    const target = yield* rowAt(to)
    const batches: Array<{ version: number; hops: Array<HopOrder> }> = []
    const add = (version: number, order: HopOrder): void => {
      const last = batches.at(-1)
      if (last?.version === version) last.hops.push(order)
      else batches.push({ version, hops: [order] })
    }
    for (const hop of room?.hops ?? []) {
      const [from, next] = [yield* rowAt(hop.from), yield* rowAt(hop.to)]
      const order = yield* roomHop(room?.type ?? "", [from, next])
      add(codeOf(target, order, hop), order)
    }
    for (const hop of players) {
      const [from, next] = [yield* rowAt(hop.from), yield* rowAt(hop.to)]
      const order: HopOrder = {
        _tag: "Players",
        from: playersOf(from),
        to: playersOf(next),
        back: hop.from > hop.to
      }
      add(codeOf(target, order, hop), order)
    }
    const all: ReadonlyArray<Batch> = batches
    return all
  })

const roomHop = Effect.fnUntraced(function* (
  type: string,
  [from, to]: readonly [DeploymentRow, DeploymentRow]
) {
  const storageAt = ({ roomTypes, version }: DeploymentRow) => {
    const deployed = roomTypes.find((each) => each.type === type)
    return deployed === undefined
      ? Effect.die(new Error(`version ${version} has no type ${type}`))
      : Effect.succeed(orderedSchema(storedSchema(deployed)))
  }
  const [old, next] = [yield* storageAt(from), yield* storageAt(to)]
  const back = from.version > to.version
  return { _tag: "Room", type, from: old, to: next, back } satisfies HopOrder
})

const orderedSchema = ({ hash, descriptor }: ProvenSchema) => ({ hash, schema: descriptor })

/**
 * The version whose bundle makes a change: the one that will read the state, if its migrations have the
 * change, too, as they may be mended since; else the one that brought the change.
 */
const codeOf = (target: DeploymentRow, order: HopOrder, hop: Hop): number => {
  const [older, newer] = order.back ? [order.to, order.from] : [order.from, order.to]
  const type = order._tag === "Room" ? order.type : null
  const entry = carriedFor(target.migrations, { type, from: older.hash, to: newer.hash })
  const has = order.back ? entry?.back : entry?.code
  return has === true ? target.version : Math.max(hop.from, hop.to)
}
