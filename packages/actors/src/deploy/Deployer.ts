import { type ProjectId, roomKeyText } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import {
  BundleInvalid,
  BundleTooLarge,
  type NotFound,
  SchemaBreaking
} from "@atrium/domain/Refusal"
import { serviceMessage } from "@atrium/domain/ServiceMessage"
import { breakingDifference, fromDescriptor } from "@atrium/sdk/schema"
import { Context, Effect, Layer, Schema } from "effect"

import { ProcessPool } from "../process/ProcessPool.ts"
import { RoomActor } from "../room/RoomProtocol.ts"
import { DeployedType, type DeploymentRow, DeploymentStore } from "../store/DeploymentStore.ts"
import { RoomStore } from "../store/RoomStore.ts"
import { moveRooms } from "./RoomMover.ts"

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
    ): Effect.Effect<DeploymentRow, BundleInvalid | BundleTooLarge | NotFound | SchemaBreaking>
  }
>()("@atrium/actors/deploy/Deployer") {
  static readonly layer = Layer.effect(
    Deployer,
    Effect.gen(function* () {
      const processes = yield* ProcessPool
      const deployments = yield* DeploymentStore
      const rooms = yield* RoomStore
      const actorOf = yield* RoomActor.client
      const scope = yield* Effect.scope

      const move = (projectId: ProjectId, version: number) =>
        moveRooms({
          upOnOlder: rooms.upOnOlder(projectId, version),
          makeWay: (key) => actorOf(roomKeyText(key)).MakeWay({ version })
        })

      const deploy = Effect.fn("Deployer.deploy")(function* (
        projectId: ProjectId,
        bundle: Uint8Array
      ) {
        if (bundle.length > Limits.bundleBytes.max) {
          return yield* new BundleTooLarge({ message: "bundle: over 32 MiB" })
        }
        const roomTypes = yield* typesOf(processes, bundle)
        const row = yield* deployments
          .add(
            projectId,
            { bundle, roomTypes },
            // While a game is being written its rooms may start anew; nowhere else.
            (current) =>
              current === null || projectId === "dev"
                ? null
                : firstBreak(current.roomTypes, roomTypes)
          )
          .pipe(
            Effect.catchTag("DeploymentRefused", ({ objection }) =>
              Effect.fail(new SchemaBreaking({ message: serviceMessage(objection) }))
            )
          )
        yield* Effect.forkIn(move(projectId, row.version), scope)
        return row
      })

      return { deploy }
    })
  )
}

const decodeTypes = Schema.decodeUnknownEffect(Schema.Array(DeployedType))

const typesOf = Effect.fnUntraced(function* (
  processes: ProcessPool["Service"],
  bundle: Uint8Array
) {
  const described = yield* processes.describe(bundle)
  if (!described.ok) {
    return yield* new BundleInvalid({ message: serviceMessage(`bundle: ${described.message}`) })
  }
  return yield* Effect.orDie(decodeTypes(described.types))
})

/** The first thing that stored state or connected clients of the version before could not live with. */
const firstBreak = (
  before: ReadonlyArray<DeployedType>,
  after: ReadonlyArray<DeployedType>
): string | null => {
  for (const old of before) {
    const next = after.find((candidate) => candidate.type === old.type)
    if (next === undefined) return `${old.type}: the room type is gone`
    const difference = breakingDifference(fromDescriptor(old.schema), fromDescriptor(next.schema))
    if (difference !== null) return `${old.type}: ${difference}`
  }
  return null
}
