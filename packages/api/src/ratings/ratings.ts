import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { RatingStore } from "@atrium/actors/ratings/RatingStore"
import { answerCall, type CallingRoom } from "@atrium/actors/rooms/AnsweredCall"
import { readCall, reportCall } from "@atrium/domain/ratings/RatingCalls"
import { type Rating, startingRating } from "@atrium/wire/ratings/Glicko"
import { defaultQueue } from "@atrium/wire/ratings/RatingCall"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { Data, Effect, Option } from "effect"

/** The project declares no such queue. */
class RatingQueue extends Data.TaggedError(RoomRefusals.ratingQueue.code)<{
  readonly queue: string
}> {
  override get message(): string {
    return `queue: the project declares no queue ${this.queue}; see service.json`
  }
}

/**
 * The queue of the ratings. That of the room's type is declared by its schema; another one must be
 * declared by the project, so that a misspelt name does not start ratings of its own. Source: C-595.
 */
const queueOf = Effect.fnUntraced(function* (room: CallingRoom, queue: string | null) {
  const { projectId, type, version } = room
  const deployment = yield* (yield* DeploymentStore).find(projectId, version)
  const types = Option.match(deployment, { onNone: () => [], onSome: (row) => row.roomTypes })
  const own = types.find((each) => each.type === type)?.queue ?? defaultQueue
  if (queue === null || queue === own || queue === defaultQueue) return queue ?? own
  const project = Option.getOrNull(yield* (yield* ProjectStore).find(projectId))
  if (project !== null && Object.hasOwn(project.queues, queue)) return queue
  return yield* new RatingQueue({ queue })
})

const inOrder = (players: ReadonlyArray<string>, ratings: ReadonlyMap<string, Rating>) =>
  players.map((player) => ({ player, ...(ratings.get(player) ?? startingRating) }))

/** What room code asks of the noun: `ratings.report`, `ratings.get`. */
export const ratingCalls = {
  report: answerCall(
    reportCall,
    Effect.fnUntraced(function* (room, { id, queue: named, results }) {
      const queue = yield* queueOf(room, named)
      const { projectId, roomId } = room
      const report = { projectId, roomId, queue, reportId: id, results }
      const { counted, ratings } = yield* (yield* RatingStore).report(report)
      const players = results.map(({ player }) => player)
      return { counted, ratings: inOrder(players, ratings) }
    })
  ),
  get: answerCall(
    readCall,
    Effect.fnUntraced(function* (room, { queue: named, players }) {
      const queue = yield* queueOf(room, named)
      const ratings = yield* (yield* RatingStore).of(room.projectId, queue, players)
      return { ratings: inOrder(players, ratings) }
    })
  )
}
