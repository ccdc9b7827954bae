import type { ProjectId } from "@atrium/domain/shared/Ids"
import { BundleInvalid, NotReady, SchemaBreaking } from "@atrium/domain/shared/Refusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Effect, Option, Schema } from "effect"

import { oldRunner } from "../cluster/OtherRunners.ts"
import type { Breaks, Earlier, Raced } from "../migrations/NextStep.ts"
import type { NoWayBack } from "../migrations/RollbackStep.ts"
import type { ProcessPool } from "../process/ProcessPool.ts"
import type { RoomObjects } from "../rooms/RoomObjects.ts"
import { DeployedType } from "./DeployedType.ts"
import type { Declared } from "./DeploymentRow.ts"
import type { DeploymentStore } from "./DeploymentStore.ts"
import type { VersionTypes } from "./RoomMover.ts"

/** What speaks against a next version. `OldRunner`: a runner would not lead stored state on. */
export type Objection = Breaks | Raced | NoWayBack | { readonly _tag: "OldRunner" }

const decodeTypes = Schema.decodeUnknownEffect(Schema.Array(DeployedType))

/** The last declarations of room types that come back with a version. */
export const earlierOf = Effect.fnUntraced(function* (
  deployments: DeploymentStore["Service"],
  projectId: ProjectId,
  next: VersionTypes
) {
  const current = Option.getOrNull(yield* deployments.current(projectId))
  const missing = next.roomTypes
    .map(({ type }) => type)
    .filter((type) => current?.roomTypes.every((old) => old.type !== type))
  const seen = current?.version ?? null
  const declared = new Map<string, Declared>()
  if (seen === null || missing.length === 0) return { seen, declared } satisfies Earlier
  const steps = yield* deployments.steps(projectId, seen)
  // This version gave up the state that older versions had stored.
  const discards = steps.findLast(({ step }) => step.discards)?.version ?? 0
  for (const [type, each] of yield* deployments.declared(projectId, missing)) {
    if (each.version >= discards) declared.set(type, each)
  }
  return { seen, declared } satisfies Earlier
})

const noProcess = new NotReady({
  message: "bundle: the machine has no process to load it; try again"
})

/** The room types and the migrations of a bundle, told by a process of its own. */
export const describedBy = Effect.fnUntraced(function* (
  processes: ProcessPool["Service"],
  bundle: Uint8Array
) {
  const described = yield* processes.describe(bundle)
  if (!described.ok && described.fault === "machine") {
    yield* Effect.logWarning(`a bundle was not described: ${described.message}`)
    return yield* noProcess
  }
  if (!described.ok) {
    return yield* new BundleInvalid({ message: serviceMessage(`bundle: ${described.message}`) })
  }
  const roomTypes = yield* Effect.orDie(decodeTypes(described.types))
  return { relay: described.relay, roomTypes, migrations: described.migrations ?? [] }
})

const raced = new NotReady({ message: "another version was made meanwhile; try again" })

/** Refuses a version: a breaking one with its first difference, and what is stored that it concerns. Source: C-700. */
export const objecting = (objects: RoomObjects["Service"]) =>
  Effect.fnUntraced(function* (projectId: ProjectId, because: Exclude<Objection, NoWayBack>) {
    if (because._tag === "Raced") return yield* raced
    if (because._tag === "OldRunner") return yield* oldRunner
    const { types } = because
    const [first] = types
    if (first === undefined) return yield* Effect.die(new Error("nothing breaks"))
    const { type, difference } = first
    const counted = yield* objects.count(
      projectId,
      types.map((each) => each.type)
    )
    const message = serviceMessage(`${type}: ${difference}`)
    return yield* new SchemaBreaking({ message, type, difference, ...counted })
  })
