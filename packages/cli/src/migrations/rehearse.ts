import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { bundleProject } from "../deployments/ProjectBundle.ts"
import { openOwn } from "../projects/CommandProject.ts"
import { noRooms, openCodeProject } from "../projects/ProjectFolder.ts"
import { json } from "../projects/ProjectParameters.ts"
import { rooms } from "./create.ts"
import { migrateGroup } from "./MigrateGroup.ts"
import { estimateText, rehearsalRefusal, rehearsalText } from "./RehearsalText.ts"
import { beginRehearsal, followRehearsal, hasPassed, sampleMax } from "./Rehearsing.ts"

const sample = Flag.Int("sample").pipe(
  Flag.withDescription("Rehearse so many rooms, drawn by chance; default: all of them"),
  Flag.filter(
    (count) => count >= 1 && count <= sampleMax,
    () => `1 to ${sampleMax}`
  ),
  Flag.optional
)

const stop = Flag.Boolean("stop").pipe(
  Flag.withDescription("Stop the rehearsal that is under way; the next `rehearse` goes on with it"),
  Flag.withDefault(false)
)

/** `atrium migrate rehearse`: the migrations of the folder, tried on all that is stored. Source: C-714. */
export const rehearse = Command.make(
  "rehearse",
  { sample, stop, rooms, json },
  Effect.fn("atrium.migrate.rehearse")(function* (input) {
    const target = yield* migrateGroup
    const own = yield* openOwn(target)
    if (input.stop) return yield* stopRunning(own, input.json)
    const folder = yield* openCodeProject({ config: target.config, paths: input.rooms })
    if (folder.entries.length === 0) return yield* noRooms(folder.root)
    const { bytes } = yield* bundleProject(folder)
    const asked = {
      service: own,
      id: own.project.id,
      bytes,
      sample: Option.getOrNull(input.sample)
    }
    const begun = yield* beginRehearsal(asked)
    if (!input.json) yield* Console.error(estimateText(begun))
    const over = yield* followRehearsal(asked, begun)
    yield* Console.log(input.json ? JSON.stringify(over) : rehearsalText(over))
    if (!hasPassed(over)) return yield* rehearsalRefusal(over)
  })
).pipe(
  Command.withDescription("Try the migrations on every stored room and save; nothing changes"),
  Command.withExamples([
    { command: "atrium migrate rehearse" },
    { command: "atrium migrate rehearse --sample 100", description: "A hundred rooms, by chance" }
  ])
)

type Own = Effect.Success<ReturnType<typeof openOwn>>

const stopRunning = Effect.fnUntraced(function* (
  { ask, rehearsals, project: { id } }: Own,
  isJson: boolean
) {
  const listed = yield* ask(rehearsals.list({ params: { id }, query: {} }))
  const running = listed.find(({ state }) => state === "running")
  if (running === undefined) return yield* Console.error("no rehearsal is under way")
  const params = { id, rehearsalId: running.rehearsalId }
  const stopped = yield* ask(rehearsals.stop({ params, query: {} }))
  yield* Console.log(
    isJson
      ? JSON.stringify(stopped)
      : `stopped ${stopped.rehearsalId}: ${stopped.rooms.done} of ${stopped.rooms.total} rooms are through`
  )
})
