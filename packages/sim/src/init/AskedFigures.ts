import { once } from "node:events"

import { ProjectReply, type ProjectQuestion } from "@atrium/domain/metrics/ProjectFigures"
import { Effect, Schema } from "effect"

import { misused, SimulateFailure } from "../SimulateFailure.ts"

const decodeReply = Schema.decodeUnknownEffect(ProjectReply)

/**
 * Figures of a running project. `atrium`, which started this program, reads them: it knows the
 * service, and no credential leaves it. Source: C-264.
 */
export const askedFigures = Effect.fn("AskedFigures.ask")(function* (question: ProjectQuestion) {
  if (process.send === undefined) {
    return yield* misused("--project: start this as `atrium sim init`, which knows the service")
  }
  const answered = once(process, "message")
  process.send(question)
  const [message] = yield* Effect.promise(() => answered)
  const reply = yield* Effect.orDie(decodeReply(message))
  if (reply._tag === "Figures") return reply.figures
  return yield* new SimulateFailure({ message: reply.text, exitCode: reply.exitCode })
})
