import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import { type ProjectId, roomKeyText } from "@atrium/domain/shared/Ids"
import {
  BundleInvalid,
  BundleTooLarge,
  NoRollback,
  NotFound,
  NotReady,
  SchemaBreaking,
  VersionNotFound
} from "@atrium/domain/shared/Refusal"
import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { type AnyRoomSchema, breakingDifference, fromDescriptor } from "@atrium/wire/schema"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Context, Effect, Layer, Option, Schema } from "effect"

import { ProcessPool } from "../process/ProcessPool.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { untimed } from "../store/AnswerTime.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import { DeployedType } from "./DeployedType.ts"
import {
  type DeploymentRefused,
  type DeploymentRow,
  DeploymentStore,
  type Objection
} from "./DeploymentStore.ts"
import { rollbackObjection, versionBefore } from "./Rollback.ts"
import { moveRooms, typesThatStay, type VersionTypes } from "./RoomMover.ts"
import { type ProvenSchema, publicSchema, storedSchema } from "./StoredSchema.ts"

/** The result of a deployment. */
export interface Deployed {
  readonly deployment: DeploymentRow
  /** Whether the deploy made a version; `false` = the current version has this very bundle. Source: C-221. */
  readonly made: boolean
}

/**
 * Makes a bundle a project's next version: its code is loaded in a room process of its own, which
 * tells the room types and their schemas, so that code and schema can never disagree. Spec: Versioning.
 */
export class Deployer extends Context.Service<
  Deployer,
  {
    /** @param settings of the project, which become so together with the version, or without a new one */
    deploy(
      projectId: ProjectId,
      bundle: Uint8Array,
      settings?: DeclaredSettings
    ): Effect.Effect<
      Deployed,
      BundleInvalid | BundleTooLarge | NotFound | NotReady | SchemaBreaking
    >
    /**
     * Makes the code and the schema of an older version the next version.
     * @param version `null` = the one before the version whose code is current
     */
    rollback(
      projectId: ProjectId,
      version: number | null
    ): Effect.Effect<
      DeploymentRow,
      NoRollback | NotFound | NotReady | SchemaBreaking | VersionNotFound
    >
  }
>()("@atrium/actors/deployments/Deployer") {
  static readonly layer = Layer.effect(
    Deployer,
    Effect.gen(function* () {
      const processes = yield* ProcessPool
      const deployments = yield* DeploymentStore
      const projects = yield* ProjectStore
      const rooms = yield* RoomStore
      const actorOf = yield* RoomActor.client
      const scope = yield* Effect.scope

      const move = ({ projectId, version }: DeploymentRow, staying: ReadonlyArray<string>) =>
        moveRooms({
          upOnOlder: rooms.upOnOlder(projectId, version, staying),
          makeWay: (key) => actorOf(roomKeyText(key)).MakeWay({ version })
        })

      const succeed = succeedWith((row, staying) => Effect.forkIn(move(row, staying), scope))

      const deploy = Effect.fn("Deployer.deploy")(function* (
        projectId: ProjectId,
        bundle: Uint8Array,
        settings: DeclaredSettings = {}
      ) {
        if (bundle.length > BundleLimits.bundleBytes.max) {
          return yield* new BundleTooLarge({ message: "bundle: over 32 MiB" })
        }
        const kept = yield* currentWith(deployments, projectId, bundle)
        if (Option.isSome(kept)) {
          const isThere = hasNone(settings) || (yield* projects.declare(projectId, settings))
          return isThere ? { deployment: kept.value, made: false } : yield* new NotFound()
        }
        const described = yield* untimed(describedBy(processes, bundle))
        const add = (objection: Objection) =>
          deployments.add(projectId, { bundle, ...described, settings }, objection)
        const refusal = (current: DeploymentRow | null) =>
          breaking({ projectId, current, next: described, back: false })
        const row = yield* succeed({ types: described, add, refusal })
        return { deployment: row, made: true }
      })

      const rollback = Effect.fn("Deployer.rollback")(function* (
        projectId: ProjectId,
        version: number | null
      ) {
        const chosen = yield* targetOf(deployments, projectId, version)
        const { target } = chosen
        return yield* succeed({
          types: target,
          add: (objection) => deployments.addAgain(target, objection),
          refusal: (current) => {
            const against = rollbackObjection(chosen, current)
            return against === null
              ? breaking({ projectId, current, next: target, back: true })
              : new NoRollback({ message: against })
          }
        })
      })

      return { deploy, rollback }
    })
  )
}

const hasNone = (settings: DeclaredSettings): boolean => Object.keys(settings).length === 0

/** The next version of a project. */
interface Succession<E> {
  readonly types: VersionTypes
  readonly add: (objection: Objection) => Effect.Effect<DeploymentRow, DeploymentRefused | NotFound>
  /** What speaks against it, given the version that it would replace. */
  readonly refusal: (current: DeploymentRow | null) => E | null
}

/** Stores the next version, unless something speaks against it, and lets the rooms move to it. */
const succeedWith =
  (move: (row: DeploymentRow, staying: ReadonlyArray<string>) => Effect.Effect<unknown>) =>
  <E extends { readonly message: string }>({ types, add, refusal }: Succession<E>) =>
    Effect.gen(function* () {
      let before: DeploymentRow | null = null
      let refused: E | null = null
      const row = yield* add((current) => {
        before = current
        refused = refusal(current)
        return refused === null ? null : refused.message
      }).pipe(
        answeredWithin(DeploymentLimits.bundleStored.ms),
        untimed,
        Effect.catchTag("TimeoutError", () =>
          Effect.fail(new NotReady({ message: "the store did not take the bundle in time" }))
        ),
        Effect.catchTag("DeploymentRefused", (objected) =>
          refused === null ? Effect.die(objected) : Effect.fail<E>(refused)
        )
      )
      yield* move(row, before === null ? [] : typesThatStay(before, types))
      return row
    })

/** The version to which a rollback goes back. */
const targetOf = Effect.fnUntraced(function* (
  deployments: DeploymentStore["Service"],
  projectId: ProjectId,
  version: number | null
) {
  const seen = Option.getOrNull(yield* deployments.current(projectId))
  if (seen === null) return yield* new NoRollback({ message: "the project has no version yet" })
  const wanted = version ?? versionBefore(seen)
  if (wanted === null) {
    const message = `no version is before version ${seen.rollbackOf ?? seen.version}`
    return yield* new NoRollback({ message })
  }
  const target = Option.getOrNull(yield* deployments.find(projectId, wanted))
  if (target === null) {
    const message = `version: the project has no version ${wanted}`
    return yield* new VersionNotFound({ message })
  }
  return { target, chosenAt: version === null ? seen.version : null }
})

/** The current version, if its bundle is this one to the byte. Types and schemas follow from the bundle. */
const currentWith = Effect.fnUntraced(function* (
  deployments: DeploymentStore["Service"],
  projectId: ProjectId,
  bundle: Uint8Array
) {
  const current = yield* deployments.current(projectId)
  if (Option.isNone(current) || current.value.bytes !== bundle.length) return Option.none()
  const stored = yield* deployments.bundle(projectId, current.value.version)
  return Buffer.compare(stored, bundle) === 0 ? current : Option.none()
})

const decodeTypes = Schema.decodeUnknownEffect(Schema.Array(DeployedType))

const noProcess = new NotReady({
  message: "bundle: the machine has no process to load it; try again"
})

const describedBy = Effect.fnUntraced(function* (
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
  return { relay: described.relay, roomTypes }
})

interface Step {
  readonly projectId: ProjectId
  readonly current: DeploymentRow | null
  readonly next: VersionTypes
  /** A rollback: rooms whose state has what only the current version knows stay on it. */
  readonly back: boolean
}

/** The refusal of a version that the rooms of the current one could not follow, however it is made. */
const breaking = ({ projectId, current, next, back }: Step): SchemaBreaking | null => {
  // While a game is being written its rooms may start anew; nowhere else.
  if (current === null || projectId === "dev") return null
  const objection = firstBreak(current, next, back ? takesMore : () => false)
  return objection === null ? null : new SchemaBreaking({ message: serviceMessage(objection) })
}

/**
 * The first thing that stored state or connected clients of the version before could not live with.
 * Rooms without code start anew whenever their schema changes, so that nothing breaks them.
 *
 * @param allowed whether a difference of two schemas is no break
 */
const firstBreak = (
  before: VersionTypes,
  after: VersionTypes,
  allowed: (old: AnyRoomSchema, next: AnyRoomSchema) => boolean
): string | null => {
  if (before.relay || after.relay) return null
  for (const old of before.roomTypes) {
    const next = after.roomTypes.find(({ type }) => type === old.type)
    if (next === undefined) return `${old.type}: the room type is gone`
    // Clients by what they know, then stored state by all that is stored.
    for (const schemaOf of [publicSchema, storedSchema]) {
      const [from, to] = [builtOf(schemaOf(old)), builtOf(schemaOf(next))]
      const difference = breakingDifference(from, to)
      if (difference !== null && !allowed(from, to)) return `${old.type}: ${difference}`
    }
  }
  return null
}

const builtOf = ({ descriptor }: ProvenSchema): AnyRoomSchema => fromDescriptor(descriptor)

/** Whether the older of two schemas, to which a rollback goes back, lacks only what the newer one added. */
const takesMore = (newer: AnyRoomSchema, older: AnyRoomSchema): boolean =>
  breakingDifference(older, newer) === null
