import {
  type ProjectFigures,
  ProjectQuestion,
  type ProjectReply
} from "@atrium/domain/metrics/ProjectFigures"
import { Clock, Effect, Option, Schema } from "effect"

import { Refused } from "../CommandFailure.ts"
import { openOwn } from "../projects/CommandProject.ts"
import { withProgress } from "../terminal/Progress.ts"

/** Rooms whose state is measured, the ones that were last reported. */
const detailsMax = 20
/** Between two looks at what counts up. */
const apart = "5 seconds"

const decodeQuestion = Schema.decodeUnknownEffect(ProjectQuestion)

const figuresOf = Effect.fnUntraced(function* ({ project: id, url }: ProjectQuestion) {
  const named = { config: Option.none(), project: Option.some(id), url: Option.fromNullOr(url) }
  const opened = yield* openOwn(named)
  return yield* measured(opened).pipe(withProgress(`measuring ${id} for ${apart}`, "atOnce"))
})

type Opened = Effect.Success<ReturnType<typeof openOwn>>

const measured = Effect.fnUntraced(function* ({ ask, metrics, rooms, project }: Opened) {
  const part = { params: { id: project.id }, query: {} }
  const look = Effect.all([Clock.currentTimeMillis, ask(metrics.read(part))])
  const [beforeAtMs, before] = yield* look
  yield* Effect.sleep(apart)
  const [afterAtMs, after] = yield* look
  const found = yield* ask(rooms.list(part))
  const details = yield* Effect.forEach(
    found.slice(0, detailsMax),
    // A room may be gone by now.
    ({ roomId }) => Effect.option(ask(rooms.read({ ...part, params: { id: project.id, roomId } }))),
    { concurrency: 4 }
  )
  const figures: ProjectFigures = {
    before,
    after,
    apartMs: afterAtMs - beforeAtMs,
    rooms: found,
    details: details.flatMap(Option.toArray)
  }
  return figures
})

/** Answers a program that `atrium` started, with the credential that the program never sees. Source: C-264. */
export const answerQuestion = Effect.fn("ProjectFigures.answer")(function* (message: unknown) {
  const question = yield* Effect.orDie(decodeQuestion(message))
  return yield* figuresOf(question).pipe(
    Effect.map((figures): ProjectReply => ({ _tag: "Figures", figures })),
    Effect.catch((failure) => {
      const exitCode = failure instanceof Refused ? 1 : 2
      return Effect.succeed<ProjectReply>({ _tag: "Refused", text: failure.message, exitCode })
    })
  )
})
