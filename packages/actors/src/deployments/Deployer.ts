import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import { type ProjectId, type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import {
  type BundleInvalid,
  BundleTooLarge,
  NoRollback,
  NotFound,
  NotReady,
  type RehearsalFailed,
  type SchemaBreaking,
  VersionNotFound
} from "@atrium/domain/shared/Refusal"
import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Context, Effect, Layer, Option } from "effect"

import { livesBefore, OtherRunners } from "../cluster/OtherRunners.ts"
import { stepsSince } from "../cluster/RunnerProtocol.ts"
import { atOnce, type DeployWish, judgeDeploy } from "../migrations/NextStep.ts"
import { tryQuarantined } from "../migrations/QuarantinedRooms.ts"
import type { RehearsalRow } from "../migrations/RehearsalRow.ts"
import { judgeRollback, namedVersions, type RollingBack } from "../migrations/RollbackStep.ts"
import { lastDrain } from "../migrations/StatePath.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { RoomObjects } from "../rooms/RoomObjects.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { untimed } from "../store/AnswerTime.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import type { DeploymentRefused, DeploymentRow, Judge } from "./DeploymentRow.ts"
import { DeploymentStore } from "./DeploymentStore.ts"
import { describedBy, earlierOf, objecting, type Objection } from "./DeployParts.ts"
import { makeDeployRehearsals } from "./DeployRehearsals.ts"
import { type NewWorlds, newWorlds } from "./NewWorlds.ts"
import { rollbackObjection, versionBefore } from "./Rollback.ts"
import { moveRooms, typesThatStay, type VersionTypes } from "./RoomMover.ts"

/** What a deployment asks for beside its bundle. */
export interface DeployAsked extends Partial<DeployWish> {
  /** Of the project; they become so together with the version, or without a new one. */
  readonly settings?: DeclaredSettings
  /** The version that it comes after: `E_NOT_READY` when another one is current. Absent = any. */
  readonly replaces?: number
}

/** The result of a deployment. */
export interface Deployed {
  readonly deployment: DeploymentRow
  /** Whether the deploy made a version; `false` = the current version has this very bundle. Source: C-221. */
  readonly made: boolean
  /** Room types whose physics worlds are made anew. Source: C-864. */
  readonly newWorlds: ReadonlyArray<NewWorlds>
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
      BundleInvalid | BundleTooLarge | NotFound | NotReady | RehearsalFailed | SchemaBreaking
    >
    /**
     * Begins to rehearse the migrations of a bundle, as if it were deployed with them.
     * @param sample rooms to draw; `null` = all rooms
     */
    rehearse(
      projectId: ProjectId,
      bundle: Uint8Array,
      sample: number | null
    ): Effect.Effect<
      RehearsalRow,
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
      const rehearsals = yield* makeDeployRehearsals
      const objected = objecting(yield* RoomObjects)

      const deploy = Effect.fn("Deployer.deploy")(function* (
        projectId: ProjectId,
        bundle: Uint8Array,
        { settings = {}, replaces, ...asked }: DeployAsked = {}
      ) {
        const wish: DeployWish = { ...atOnce, ...asked }
        yield* demandSize(bundle)
        const kept = yield* currentWith(deployments, projectId, bundle)
        if (Option.isSome(kept)) {
          const isThere = hasNone(settings) || (yield* projects.declare(projectId, settings))
          return isThere ? unchanged(kept.value) : yield* new NotFound()
        }
        const next = yield* untimed(describedBy(processes, bundle))
        const earlier = yield* earlierOf(deployments, projectId, next)
        const failing = yield* rehearsals.demand({ projectId, bundle, next, earlier }, wish)
        const made = yield* succeed({
          types: next,
          add: (judge) => deployments.add(projectId, { bundle, ...next, settings, failing }, judge),
          failing,
          judge: (replaced) => judgeDeploy({ projectId, next, earlier, wish, replaces }, replaced)
        }).pipe(
          Effect.catchTag("DeploymentRefused", ({ because }) =>
            because._tag === "NoWayBack" ? Effect.die(because) : objected(projectId, because)
          )
        )
        return { ...made, made: true }
      })

      const rollback = Effect.fn("Deployer.rollback")(function* (
        projectId: ProjectId,
        version: number | null
      ) {
        const chosen = yield* targetOf(deployments, projectId, version)
        const rolling = yield* rollingOf(deployments, chosen)
        return yield* succeed({
          types: chosen.target,
          add: (judge) => deployments.addAgain(chosen.target, judge),
          judge: rollbackJudge(chosen, rolling)
        }).pipe(
          Effect.map(({ deployment }) => deployment),
          Effect.catchTag(
            "DeploymentRefused",
            ({ because }): Effect.Effect<never, NoRollback | NotReady | SchemaBreaking> =>
              because._tag === "NoWayBack"
                ? Effect.fail(new NoRollback({ message: serviceMessage(because.why) }))
                : objected(projectId, because)
          )
        )
      })

      const rehearse = Effect.fn("Deployer.rehearse")(function* (
        projectId: ProjectId,
        bundle: Uint8Array,
        sample: number | null
      ) {
        yield* demandSize(bundle)
        const next = yield* untimed(describedBy(processes, bundle))
        return yield* rehearsals.begin({ projectId, bundle, next }, sample)
      })

      return { deploy, rehearse, rollback }
    })
  )
}

/** The current version has this very bundle. */
const unchanged = (deployment: DeploymentRow): Deployed => ({
  deployment,
  made: false,
  newWorlds: []
})

const demandSize = (bundle: Uint8Array): Effect.Effect<void, BundleTooLarge> =>
  bundle.length > BundleLimits.bundleBytes.max
    ? Effect.fail(new BundleTooLarge({ message: "bundle: over 32 MiB" }))
    : Effect.void

const hasNone = (settings: DeclaredSettings): boolean => Object.keys(settings).length === 0

/** The next version of a project. */
interface Succession {
  readonly types: VersionTypes
  /** Rooms whose state it does not lead on; absent = none. */
  readonly failing?: ReadonlyArray<string>
  readonly add: (
    judge: Judge<Objection>
  ) => Effect.Effect<DeploymentRow, DeploymentRefused<Objection> | NotFound>
  readonly judge: Judge<Objection>
}

interface Moving {
  /** Room types whose rooms stay on their version. */
  readonly staying: ReadonlyArray<string>
  /** Rooms whose state the version does not lead on. */
  readonly failing: ReadonlyArray<string>
}
type Move = (row: DeploymentRow, moving: Moving) => Effect.Effect<unknown>

/** Lets the rooms of older versions move, then those in quarantine, beside the answer to the deployment. */
const makeMove = Effect.fnUntraced(function* (deployments: DeploymentStore["Service"]) {
  const rooms = yield* RoomStore
  const actorOf = yield* RoomActor.client
  const scope = yield* Effect.scope
  const move: Move = ({ projectId, version }, { staying, failing }) => {
    const upOnOlder = Effect.flatMap(deployments.steps(projectId, version), (steps) =>
      rooms.upOnOlder(projectId, { from: lastDrain(steps), below: version }, staying)
    )
    const makeWay = (key: RoomKey) => actorOf(roomKeyText(key)).MakeWay({ version })
    const tryOn = tryQuarantined({
      found: rooms.notLedOn({ projectId, version, rooms: failing }),
      wake: (key) => actorOf(roomKeyText(key)).Wake({ type: null, create: false }),
      putAway: (key, { epoch, serverIndex }) =>
        actorOf(roomKeyText(key)).PutAway({ epoch, serverIndex, reason: "empty" })
    })
    return Effect.forkIn(Effect.andThen(moveRooms({ upOnOlder, makeWay }), tryOn), scope)
  }
  return move
})

/** Stores the next version, unless something speaks against it, and lets the rooms move to it. */
const succeedWith = (others: (typeof OtherRunners)["Service"], move: Move) =>
  Effect.fnUntraced(function* ({ types, failing = [], add, judge }: Succession) {
    let before: DeploymentRow | null = null
    const isOld = yield* livesBefore(others, stepsSince)
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
    const staying = before === null ? [] : typesThatStay(before, types)
    yield* move(row, { staying, failing })
    return { deployment: row, newWorlds: newWorlds(before, row) }
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

const rollbackJudge =
  (chosen: Parameters<typeof rollbackObjection>[0], rolling: RollingBack): Judge<Objection> =>
  (replaced) => {
    const why = rollbackObjection(chosen, replaced.current)
    return why === null
      ? judgeRollback(rolling, replaced)
      : { _tag: "Refused", because: { _tag: "NoWayBack", why } }
  }

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
