import { resolve } from "node:path"

import type { RoomDetail } from "@atrium/domain/rooms/RoomsApi"
import { Clock, Console, Effect, FileSystem, Option, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"

import { hinted, Misused } from "../CommandFailure.ts"
import { openRooms } from "../projects/CommandProject.ts"
import { idArgument, json } from "../projects/ProjectParameters.ts"
import { makeReceived } from "../service/ReceivedBytes.ts"
import { withProgress } from "../terminal/Progress.ts"
import { pairsFor, tableFor } from "../terminal/Table.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"
import { branch } from "./branches.ts"
import { clients, kick, life, stepClock, testPlayer } from "./looks.ts"
import { durationForm, group, isDuration, room } from "./RoomsGroup.ts"
import { roomColumns, roomPairs, saveColumns } from "./RoomText.ts"

const save = idArgument("save", "Id of the save: sv_…")

const list = Command.withHandler(
  group,
  Effect.fn("atrium.rooms")(function* (input) {
    const { active, idle, idleLongerThan } = input
    if (active && idle) {
      return yield* new Misused({ message: "--active and --idle exclude each other" })
    }
    const { ask, rooms, project } = yield* openRooms(input)
    const query = {
      ...(active ? { active: "true" as const } : {}),
      // One and the same. Source: T-11.
      ...(idle ? { active: "false" as const } : {}),
      ...(Option.isSome(idleLongerThan) ? { "idle-longer-than": idleLongerThan.value } : {})
    }
    const found = yield* ask(rooms.list({ params: { id: project.id }, query }))
    if (input.json) return yield* Console.log(JSON.stringify(found))
    if (found.length === 0) return yield* Console.error("no rooms")
    yield* Console.log(yield* tableFor(found, roomColumns(yield* Clock.currentTimeMillis)))
  })
)

const get = Command.make(
  "get",
  { room, json },
  Effect.fn("atrium.rooms.get")(function* (input) {
    const { ask, rooms, project } = yield* openRooms(yield* group)
    const params = { id: project.id, roomId: input.room }
    yield* showRoom(yield* ask(rooms.read({ params, query: {} })), input.json)
  })
).pipe(Command.withDescription("Show a room"))

const set = Command.make(
  "set",
  {
    room,
    retention: Flag.String("retention").pipe(
      Flag.withDescription(
        "How long its state is kept after its last use: 30d, forever, or clear: what its type says"
      ),
      Flag.filter(
        (text) => text === "forever" || text === "clear" || isDuration(text),
        () => `forever, clear or ${durationForm}`
      ),
      Flag.optional
    ),
    public: Flag.Literals("public", ["true", "false"]).pipe(
      Flag.withDescription("Whether the lobby lists it"),
      Flag.optional
    ),
    json
  },
  Effect.fn("atrium.rooms.set")(function* (input) {
    const retention = Option.getOrNull(input.retention)
    const listed = Option.getOrNull(input.public)
    if (retention === null && listed === null) {
      return yield* new Misused({ message: "say what to set: --retention or --public" })
    }
    const { ask, rooms, project } = yield* openRooms(yield* group)
    const payload = {
      ...(retention === null ? {} : { retention: retention === "clear" ? null : retention }),
      ...(listed === null ? {} : { public: listed === "true" })
    }
    const params = { id: project.id, roomId: input.room }
    yield* showRoom(yield* ask(rooms.set({ params, query: {}, payload })), input.json)
  })
).pipe(
  Command.withDescription("Set a room's retention, or whether it is public"),
  Command.withExamples([
    { command: "atrium rooms set arena-1 --retention 30d" },
    { command: "atrium rooms set arena-1 --retention clear --public false" }
  ])
)

const remove = Command.make(
  "delete",
  {
    room,
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Also when it is awake: its clients are sent away first"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn("atrium.rooms.delete")(function* (input) {
    const { ask, rooms, project } = yield* openRooms(yield* group)
    const params = { id: project.id, roomId: input.room }
    const query = input.force ? { force: "true" } : {}
    const hint = "--force sends the clients of an awake room away first"
    const answer = ask(rooms.delete({ params, query })).pipe(withProgress(`deleting ${input.room}`))
    const deleted = yield* input.force ? answer : hinted("E_ROOM_IN_USE", hint)(answer)
    yield* Console.log(
      input.json
        ? JSON.stringify(deleted)
        : `deleted ${deleted.roomId}: ${deleted.objects} stored objects`
    )
  })
).pipe(Command.withDescription("Delete a room with its state and its saves"))

const saveBytes = Command.make(
  "get",
  {
    room,
    save,
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("File to write; default: standard output"),
      Flag.optional
    ),
    json
  },
  Effect.fn("atrium.rooms.saves.get")(function* (input) {
    const stdio = yield* Stdio.Stdio
    if (Option.isNone(input.output) && (input.json || (yield* stdio.stdoutIsTerminal))) {
      return yield* new Misused({ message: "a save is bytes, no text: say a file, with -o" })
    }
    const { ask, rooms, project } = yield* openRooms(yield* group)
    const params = { id: project.id, roomId: input.room, saveId: input.save }
    const answer = rooms.saveBytes({ params, query: {}, responseMode: "response-only" })
    const received = makeReceived()
    const bytes = yield* ask(Effect.flatMap(answer, received.read), "transfer").pipe(
      withProgress(() => `reading ${input.save}, ${received.text()}`)
    )
    yield* Option.match(input.output, {
      onNone: () => Effect.orDie(Stream.run(Stream.make(bytes), stdio.stdout())),
      onSome: (path) =>
        Effect.andThen(
          writeBytes(path, bytes),
          input.json ? Console.log(savedJson(input, { path, bytes: bytes.length })) : Effect.void
        )
    })
  })
).pipe(
  Command.withDescription("Write the raw bytes of a save"),
  Command.withExamples([
    { command: "atrium rooms saves get arena-1 sv_0123456789abcdef -o arena.save" },
    {
      command: "atrium rooms saves get arena-1 sv_0123456789abcdef -o arena.save --json",
      description: "{roomId, saveId, path, bytes}"
    }
  ])
)

const savedJson = (
  { room: roomId, save: saveId }: { readonly room: string; readonly save: string },
  written: { readonly path: string; readonly bytes: number }
): string => JSON.stringify({ roomId, saveId, ...written })

const saves = Command.make(
  "saves",
  { room, json },
  Effect.fn("atrium.rooms.saves")(function* (input) {
    const { ask, rooms, project } = yield* openRooms(yield* group)
    const params = { id: project.id, roomId: input.room }
    const found = yield* ask(rooms.saves({ params, query: {} }))
    if (input.json) return yield* Console.log(JSON.stringify(found))
    if (found.length === 0) return yield* Console.error("no saves")
    yield* Console.log(yield* tableFor(found, saveColumns(yield* Clock.currentTimeMillis)))
  })
).pipe(
  Command.withDescription("List a room's saves, newest first"),
  Command.withSubcommands([saveBytes])
)

const restore = Command.make(
  "restore",
  { room, save, json },
  Effect.fn("atrium.rooms.restore")(function* (input) {
    const { ask, rooms, project } = yield* openRooms(yield* group)
    const params = { id: project.id, roomId: input.room }
    const payload = { saveId: input.save }
    const queued = yield* ask(rooms.restore({ params, query: {}, payload })).pipe(
      withProgress(`putting ${input.room} back to ${input.save}`)
    )
    yield* Console.log(
      input.json
        ? JSON.stringify(queued)
        : `queued: ${queued.roomId} goes back to ${queued.saveId}, and its state of now is discarded`
    )
  })
).pipe(Command.withDescription("Put a room back to one of its saves"))

/** `atrium rooms`: what an API key may do. Spec: Command-line equivalents; D-41. */
export const rooms = list.pipe(
  Command.withExamples([
    { command: "atrium rooms --idle --idle-longer-than 30d" },
    { command: "atrium rooms get arena-1 --json" }
  ]),
  Command.withSubcommands([
    get,
    set,
    remove,
    saves,
    restore,
    branch,
    life,
    clients,
    kick,
    stepClock,
    testPlayer
  ])
)

const showRoom = Effect.fnUntraced(function* (detail: RoomDetail, asJson: boolean) {
  const text = asJson
    ? JSON.stringify(detail)
    : yield* pairsFor(roomPairs(detail, yield* Clock.currentTimeMillis))
  yield* Console.log(text)
})

const writeBytes = Effect.fnUntraced(function* (path: string, bytes: Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.mapError(
    fs.writeFile(resolve(yield* WorkingDirectory, path), bytes),
    ({ message }) => new Misused({ message: `${path}: ${message}` })
  )
  yield* Console.error(`${bytes.length} bytes in ${path}`)
})
