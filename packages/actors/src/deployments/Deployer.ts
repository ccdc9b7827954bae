import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { type ProjectId, roomKeyText } from "@atrium/domain/shared/Ids"
import {
  BundleInvalid,
  BundleTooLarge,
  type NotFound,
  NotReady,
  SchemaBreaking
} from "@atrium/domain/shared/Refusal"
import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { breakingDifference, fromDescriptor } from "@atrium/wire/schema"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Context, Effect, Layer, Option, Schema } from "effect"

import { ProcessPool } from "../process/ProcessPool.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { untimed } from "../store/AnswerTime.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import { DeployedType, type DeploymentRow, DeploymentStore } from "./DeploymentStore.ts"
import { moveRooms } from "./RoomMover.ts"

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
      bundle: Uint8Array
    ): Effect.Effect<
      Deployed,
      BundleInvalid | BundleTooLarge | NotFound | NotReady | SchemaBreaking
    >
  }
>()("@atrium/actors/deployments/Deployer") {
  static readonly layer = Layer.effect(
    Deployer,
    Effect.gen(function* () {
      const processes = yield* ProcessPool
      const deployments = yield* DeploymentStore
      const rooms = yield* RoomStore
      const actorOf = yield* RoomActor.client
      const scope = yield* Effect.scope

      const move = ({ projectId, version }: DeploymentRow, staying: ReadonlyArray<string>) =>
        moveRooms({
          upOnOlder: rooms.upOnOlder(projectId, version, staying),
          makeWay: (key) => actorOf(roomKeyText(key)).MakeWay({ version })
        })

      const deploy = Effect.fn("Deployer.deploy")(function* (
        projectId: ProjectId,
        bundle: Uint8Array
      ) {
        if (bundle.length > BundleLimits.bundleBytes.max) {
          return yield* new BundleTooLarge({ message: "bundle: over 32 MiB" })
        }
        const kept = yield* currentWith(deployments, projectId, bundle)
        if (Option.isSome(kept)) return { deployment: kept.value, made: false }
        const described = yield* untimed(describedBy(processes, bundle))
        let before: DeploymentRow | null = null
        const row = yield* deployments
          .add(projectId, { bundle, ...described }, (current) => {
            before = current
            // While a game is being written its rooms may start anew; nowhere else.
            return current === null || projectId === "dev" ? null : firstBreak(current, described)
          })
          .pipe(
            answeredWithin(DeploymentLimits.bundleStored.ms),
            untimed,
            Effect.catchTag("TimeoutError", () =>
              Effect.fail(new NotReady({ message: "the store did not take the bundle in time" }))
            ),
            Effect.catchTag("DeploymentRefused", ({ objection }) =>
              Effect.fail(new SchemaBreaking({ message: serviceMessage(objection) }))
            )
          )
        yield* Effect.forkIn(move(row, typesThatStay(before, described)), scope)
        return { deployment: row, made: true }
      })

      return { deploy }
    })
  )
}

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

/** The room types of a bundle. */
interface Described {
  readonly relay: boolean
  readonly roomTypes: ReadonlyArray<DeployedType>
}

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

/**
 * Rooms without code have nothing to gain from a new version that has their schema: they stay where
 * they are. Spec: Connection and room limits.
 */
const typesThatStay = (before: Described | null, after: Described): ReadonlyArray<string> =>
  before?.relay === true && after.relay
    ? after.roomTypes
        .filter(({ type, schemaHash }) =>
          before.roomTypes.some((old) => old.type === type && old.schemaHash === schemaHash)
        )
        .map(({ type }) => type)
    : []

/**
 * The first thing that stored state or connected clients of the version before could not live with.
 * Rooms without code start anew whenever their schema changes, so that nothing breaks them.
 */
const firstBreak = (before: Described, after: Described): string | null => {
  if (before.relay || after.relay) return null
  for (const old of before.roomTypes) {
    const next = after.roomTypes.find((candidate) => candidate.type === old.type)
    if (next === undefined) return `${old.type}: the room type is gone`
    const difference = breakingDifference(fromDescriptor(old.schema), fromDescriptor(next.schema))
    if (difference !== null) return `${old.type}: ${difference}`
  }
  return null
}
