import { isRoomId } from "@atrium/domain/shared/Ids"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"

import { openRooms } from "../projects/CommandProject.ts"
import { idArgument, json } from "../projects/ProjectParameters.ts"
import { withProgress } from "../terminal/Progress.ts"
import { group, noRoomId, room } from "./RoomsGroup.ts"

/** Makes an inert room from a save. Source: D-58. */
export const branch = Command.make(
  "branch",
  {
    room,
    save: idArgument("save", "Id of the save: sv_…"),
    branch: idArgument("branch", "Id of the new room"),
    json
  },
  Effect.fn("atrium.rooms.branch")(function* (input) {
    if (!isRoomId(input.branch)) return yield* noRoomId(input.branch)
    const { ask, branches, project } = yield* openRooms(yield* group)
    const params = { id: project.id, roomId: input.room, saveId: input.save }
    const payload = { roomId: input.branch }
    const made = yield* ask(branches.make({ params, query: {}, payload })).pipe(
      withProgress(`making ${input.branch} from ${input.save}`)
    )
    yield* Console.log(
      input.json
        ? JSON.stringify(made)
        : `made ${made.roomId} from ${input.save} of ${input.room}: only test players enter it`
    )
  })
).pipe(
  Command.withDescription("Make a new, inert room from a save, to look at it and try it"),
  Command.withExamples([
    { command: "atrium rooms branch arena-1 sv_0123456789abcdef arena-1-broken" }
  ])
)
