import type { RoomClient } from "@atrium/domain/inspect/InspectApi"
import type { LifeEvent } from "@atrium/domain/life/LifeEvent"
import { isRoomId } from "@atrium/domain/shared/Ids"
import { durationMs } from "@atrium/wire/time/Duration"
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { idArgument, json } from "../projects/ProjectParameters.ts"
import { ageText } from "../terminal/Ages.ts"
import { confirmed, yes } from "../terminal/Confirmation.ts"
import { printable } from "../terminal/Printable.ts"
import { sizeText } from "../terminal/Sizes.ts"
import { type Column, tableFor } from "../terminal/Table.ts"
import { durationForm, group, noRoomId, room } from "./RoomsGroup.ts"

/** What happened to a room. Source: C-772. */
export const life = Command.make(
  "life",
  { room, json },
  Effect.fn("atrium.rooms.life")(function* (input) {
    const { ask, life: routes, project } = yield* openOwn(yield* group)
    const params = { id: project.id, roomId: input.room }
    const events = yield* ask(routes.read({ params, query: {} }))
    if (input.json) return yield* Console.log(JSON.stringify(events))
    if (events.length === 0) return yield* Console.error("nothing has happened in seven days")
    yield* Console.log(yield* tableFor(events, lifeColumns(yield* Clock.currentTimeMillis)))
  })
).pipe(Command.withDescription("Show what happened to a room in the last seven days"))

/** Who is in a room. Source: C-771. */
export const clients = Command.make(
  "clients",
  { room, json },
  Effect.fn("atrium.rooms.clients")(function* (input) {
    const { ask, inspect, project } = yield* openOwn(yield* group)
    const params = { id: project.id, roomId: input.room }
    const found = yield* ask(inspect.clients({ params, query: {} }))
    if (input.json) return yield* Console.log(JSON.stringify(found))
    if (found.length === 0) return yield* Console.error("nobody is in the room")
    yield* Console.log(yield* tableFor(found, clientColumns(yield* Clock.currentTimeMillis)))
  })
).pipe(Command.withDescription("List the connections of a room"))

/** Puts a client out of a room. Source: D-60. */
export const kick = Command.make(
  "kick",
  { room, client: idArgument("client", "Id of the client"), yes, json },
  Effect.fn("atrium.rooms.kick")(function* (input) {
    const { ask, inspect, project } = yield* openOwn(yield* group)
    yield* confirmed(`${printable(input.client)} leaves the room for good`, input.yes)
    const params = { id: project.id, roomId: input.room, clientId: input.client }
    const gone = yield* ask(inspect.kick({ params, query: {} }))
    yield* Console.log(
      input.json
        ? JSON.stringify(gone)
        : `kicked ${printable(gone.clientId)}: its client stays away`
    )
  })
).pipe(Command.withDescription("Close a connection of a room, after which its client stays away"))

/** Moves the clock of a room of dev forward. Source: C-811. */
export const stepClock = Command.make(
  "step-clock",
  {
    room,
    by: Argument.String("by").pipe(
      Argument.withDescription("How far: 10m, 36h or 30d"),
      Argument.filterMap(
        (text) => Option.fromNullishOr(durationMs(text)),
        () => durationForm
      )
    ),
    json
  },
  Effect.fn("atrium.rooms.step-clock")(function* (input) {
    const { ask, inspect, project } = yield* openOwn(yield* group)
    const params = { id: project.id, roomId: input.room }
    const payload = { stepMs: input.by }
    const stepped = yield* ask(inspect.stepClock({ params, query: {}, payload }))
    yield* Console.log(
      input.json ? JSON.stringify(stepped) : `in ${stepped.roomId} it is ${stepped.at}`
    )
  })
).pipe(Command.withDescription("Move the clock of an awake room of dev forward, until it sleeps"))

/** Lets somebody try a room. Source: D-60. */
export const testPlayer = Command.make(
  "test-player",
  { room, json },
  Effect.fn("atrium.rooms.test-player")(function* (input) {
    const { ask, testplayers, project } = yield* openOwn(yield* group)
    const roomId = input.room
    if (!isRoomId(roomId)) return yield* noRoomId(roomId)
    const payload = { roomId }
    const made = yield* ask(testplayers.mint({ params: { id: project.id }, query: {}, payload }))
    yield* Console.log(input.json ? JSON.stringify(made) : made.token)
  })
).pipe(
  Command.withDescription(
    "Print the credential of a fresh player, for a room of dev, of the playground, or a branch"
  )
)

const lifeColumns = (nowMs: number): ReadonlyArray<Column<LifeEvent>> => [
  { title: "WHEN", cell: ({ at }) => ageText(at, nowMs, ""), weight: 9 },
  { title: "WHAT", cell: ({ kind }) => kind, weight: 8 },
  { title: "WHY", cell: ({ reason }) => reason ?? "", weight: 7 },
  { title: "VERSION", cell: versionText, weight: 5 },
  { title: "SAVE", cell: ({ saveId }) => saveId ?? "", weight: 4 },
  { title: "SERVER", cell: ({ server }) => server ?? "", weight: 2 },
  { title: "DETAIL", cell: ({ detail }) => detail ?? "", weight: 6 }
]

/** `3 → 4` where an event leads from one version to another. */
const versionText = ({ from, version }: LifeEvent): string =>
  [from, version].filter((one) => one !== undefined).join(" → ")

const clientColumns = (nowMs: number): ReadonlyArray<Column<RoomClient>> => [
  { title: "CLIENT", cell: ({ clientId }) => clientId, weight: 9 },
  { title: "PLAYER", cell: ({ name, playerId }) => name ?? playerId, weight: 8 },
  { title: "ROLE", cell: ({ role }) => role, weight: 3 },
  { title: "SINCE", cell: ({ since }) => ageText(since, nowMs, ""), weight: 7 },
  { title: "IN", cell: ({ ingressBytes }) => sizeText(ingressBytes), weight: 5 },
  { title: "OUT", cell: ({ egressBytes }) => sizeText(egressBytes), weight: 5 },
  { title: "LAG", cell: ({ lagMs }) => (lagMs === null ? "" : `${lagMs} ms`), weight: 6 }
]
