import type { ProjectRow } from "@atrium/actors/projects/ProjectStore"
import { type NamedQueue, queueNamed } from "@atrium/domain/match/QueueRules"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Effect } from "effect"

/** A request about a queue that names something wrong. */
export const queueRefused = (message: string) =>
  new BadRequest({ message: serviceMessage(message) })

/** The queue of a name, as the project declares it. */
export const queueOf = (
  { queues }: Pick<ProjectRow, "queues">,
  name: string | undefined
): Effect.Effect<NamedQueue, BadRequest> => {
  const named = queueNamed(queues, name)
  if (named !== null) return Effect.succeed(named)
  return Effect.fail(
    queueRefused(
      name === undefined
        ? "queue: missing; the project declares several"
        : `queue: the project has none of the name ${name}`
    )
  )
}
