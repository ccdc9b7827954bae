import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import { type ProjectId, type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
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
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Context, Effect, Layer, Option, Schema } from "effect"

import { OtherRunners } from "../cluster/OtherRunners.ts"
import { stepsSince } from "../cluster/RunnerProtocol.ts"
import {
  type Breaks,
  type DeployWish,
  type Earlier,
  judgeDeploy,
  type Raced
} from "../migrations/NextStep.ts"
import {
  judgeRollback,
  namedVersions,
  type NoWayBack,
  type RollingBack
} from "../migrations/RollbackStep.ts"
import { lastDrain } from "../migrations/StatePath.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { RoomObjects } from "../rooms/RoomObjects.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { untimed } from "../store/AnswerTime.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import { DeployedType } from "./DeployedType.ts"
import {
  type Declared,
  type DeploymentRefused,
  type DeploymentRow,
  type Judge
} from "./DeploymentRow.ts"
import { DeploymentStore } from "./DeploymentStore.ts"
import { rollbackObjection, versionBefore } from "./Rollback.ts"
import { moveRooms, typesThatStay, type VersionTypes } from "./RoomMover.ts"

/** What a deployment asks for beside its bundle. */
export interface DeployAsked extends Partial<DeployWish> {
  /** Of the project; they become so together with the version, or without a new one. */
  readonly settings?: DeclaredSettings
}

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
    deploy(
      projectId: ProjectId,
      bundle: Uint8Array,
      asked?: DeployAsked
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

      const succeed = succeedWith(yield* OtherRunners, yield* makeMove(deployments))
      const objected = objecting(yield* RoomObjects)

      const deploy = Effect.fn("Deployer.deploy")(function* (
        projectId: ProjectId,
        bundle: Uint8Array,
        { settings = {}, ...asked }: DeployAsked = {}
      ) {
        const wish: DeployWish = { ...atOnce, ...asked }
        if (bundle.length > BundleLimits.bundleBytes.max) {
          return yield* new BundleTooLarge({ message: "bundle: over 32 MiB" })
        }
        const kept = yield* currentWith(deployments, projectId, bundle)
        if (Option.isSome(kept)) {
          const isThere = hasNone(settings) || (yield* projects.declare(projectId, settings))
          return isThere ? { deployment: kept.value, made: false } : yield* new NotFound()
        }
        const next = yield* untimed(describedBy(processes, bundle))
        const earlier = yield* earlierOf(deployments, projectId, next)
        const row = yield* succeed({
          types: next,
          add: (judge) => deployments.add(projectId, { bundle, ...next, settings }, judge),
          judge: (replaced) => judgeDeploy({ projectId, next, earlier, wish }, replaced)
        }).pipe(
          Effect.catchTag("DeploymentRefused", ({ because }) =>
            because._tag === "NoWayBack" ? Effect.die(because) : objected(projectId, because)
          )
        )
        return { deployment: row, made: true }
      })

      const rollback = Effect.fn("Deployer.rollback")(function* (
        projectId: ProjectId,
        version: number | null
      ) {
        const chosen = yield* targetOf(deployments, projectId, version)
        const { target } = chosen
        const rolling = yield* rollingOf(deployments, chosen)
        return yield* succeed({
          types: target,
          add: (judge) => deployments.addAgain(target, judge),
          judge: (replaced) => {
            const why = rollbackObjection(chosen, replaced.current)
            return why === null
              ? judgeRollback(rolling, replaced)
              : { _tag: "Refused", because: { _tag: "NoWayBack", why } }
          }
        }).pipe(
          Effect.catchTag(
            "DeploymentRefused",
            ({ because }): Effect.Effect<never, NoRollback | NotReady | SchemaBreaking> =>
              because._tag === "NoWayBack"
                ? Effect.fail(new NoRollback({ message: serviceMessage(because.why) }))
                : objected(projectId, because)
          )
        )
      })

      return { deploy, rollback }
    })
  )
}

const atOnce: DeployWish = { allowBreaking: false, strategy: "migrate" }

const hasNone = (settings: DeclaredSettings): boolean => Object.keys(settings).length === 0

/** What speaks against a next version. `OldRunner`: a runner would not lead stored state on. */
type Objection = Breaks | Raced | NoWayBack | { readonly _tag: "OldRunner" }

/** The next version of a project. */
interface Succession {
  readonly types: VersionTypes
  readonly add: (
    judge: Judge<Objection>
  ) => Effect.Effect<DeploymentRow, DeploymentRefused<Objection> | NotFound>
  readonly judge: Judge<Objection>
}

type Move = (row: DeploymentRow, staying: ReadonlyArray<string>) => Effect.Effect<unknown>

/** Lets the rooms of older versions move, beside the answer to the deployment. */
const makeMove = Effect.fnUntraced(function* (deployments: DeploymentStore["Service"]) {
  const rooms = yield* RoomStore
  const actorOf = yield* RoomActor.client
  const scope = yield* Effect.scope
  const move: Move = ({ projectId, version }, staying) => {
    const upOnOlder = Effect.flatMap(deployments.steps(projectId, version), (steps) =>
      rooms.upOnOlder(projectId, { from: lastDrain(steps), below: version }, staying)
    )
    const makeWay = (key: RoomKey) => actorOf(roomKeyText(key)).MakeWay({ version })
    return Effect.forkIn(moveRooms({ upOnOlder, makeWay }), scope)
  }
  return move
})

/** Stores the next version, unless something speaks against it, and lets the rooms move to it. */
const succeedWith = (others: (typeof OtherRunners)["Service"], move: Move) =>
  Effect.fnUntraced(function* ({ types, add, judge }: Succession) {
    let before: DeploymentRow | null = null
    const living = others.several ? yield* others.living : []
    const isOld = living.some(({ newestProtocol }) => newestProtocol < stepsSince)
    const row = yield* add((replaced) => {
      before = replaced.current
      const verdict = judge(replaced)
      return verdict?._tag === "Taken" && isOld
        ? { _tag: "Refused", because: { _tag: "OldRunner" } }
        : verdict
    }).pipe(
      answeredWithin(DeploymentLimits.bundleStored.ms),
      untimed,
      Effect.catchTag("TimeoutError", () =>
        Effect.fail(new NotReady({ message: "the store did not take the bundle in time" }))
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
  return { target, seen, chosenAt: version === null ? seen.version : null }
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

const raced = new NotReady({ message: "another version was made meanwhile; try again" })

const oldRunner = new NotReady({
  message: "a runner of the service is of an older version; try again when it is replaced"
})

/** The last declarations of room types that come back with a version. */
const earlierOf = Effect.fnUntraced(function* (
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

/** What lies between the current version and the one that comes back. */
const rollingOf = Effect.fnUntraced(function* (
  deployments: DeploymentStore["Service"],
  { target, seen }: { readonly target: DeploymentRow; readonly seen: DeploymentRow }
) {
  const steps = yield* deployments.steps(seen.projectId, seen.version)
  const versions = [...namedVersions(steps, target.version)]
  const found = yield* Effect.forEach(versions, (version) =>
    deployments.find(seen.projectId, version)
  )
  const rows = [seen, ...found.flatMap(Option.toArray)]
  const byVersion = new Map(rows.map((row) => [row.version, row]))
  return { target, seen: seen.version, steps, rows: byVersion } satisfies RollingBack
})

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
  return { relay: described.relay, roomTypes, migrations: described.migrations ?? [] }
})

/** Refuses a version: a breaking one with its first difference, and what is stored that it concerns. Source: C-700. */
const objecting = (objects: RoomObjects["Service"]) =>
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
