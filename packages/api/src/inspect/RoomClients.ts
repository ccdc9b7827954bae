import { makeEveryRunner } from "@atrium/actors/link/EveryRunner"
import { RunnerAnswers } from "@atrium/actors/link/RunnerAnswers"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import type { RoomClient } from "@atrium/domain/inspect/InspectApi"
import { isProjectId, isRoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { Context, Effect, Layer, Schema } from "effect"

import { RoomRouter } from "../router/RoomRouter.ts"

const Key = { project: Schema.String, room: Schema.String }
const decodeKey = Schema.decodeUnknownEffect(Schema.Struct(Key))
const decodeKick = Schema.decodeUnknownEffect(Schema.Struct({ ...Key, clientId: Schema.String }))
const decodeKicked = Schema.decodeUnknownEffect(Schema.Boolean)

/** What one runner knows of the clients of a room. */
const Known = Schema.Struct({
  /** Seats in the room, if it is awake there. */
  seats: Schema.Array(
    Schema.Struct({
      clientId: Schema.String,
      playerId: Schema.String,
      name: Schema.NullOr(Schema.String),
      role: Schema.String,
      joined: Schema.Boolean,
      atMs: Schema.Number,
      ingressBytes: Schema.Number,
      egressBytes: Schema.Number
    })
  ),
  /** Connections that entered the room by that runner. */
  entered: Schema.Array(
    Schema.Struct({
      clientId: Schema.String,
      lagMs: Schema.NullOr(Schema.Number),
      backlogBytes: Schema.Number
    })
  )
})
type Known = typeof Known.Type
const decodeKnown = Schema.decodeUnknownEffect(Known)

/** The clients of rooms, wherever the rooms are awake and the clients are connected. Source: C-771. */
export class RoomClients extends Context.Service<
  RoomClients,
  {
    list(key: RoomKey): Effect.Effect<ReadonlyArray<RoomClient>, NotReady>
    /** @returns whether the room had the client */
    kick(key: RoomKey, clientId: string): Effect.Effect<boolean, NotReady>
  }
>()("@atrium/api/inspect/RoomClients") {
  static readonly layer = Layer.effect(
    RoomClients,
    Effect.gen(function* () {
      const awake = yield* AwakeRooms
      const router = yield* RoomRouter
      const askEvery = yield* makeEveryRunner

      const here = (key: RoomKey): Known => ({
        seats: awake.find(key)?.gate.clients() ?? [],
        entered: router.clientsOf(key)
      })
      const kickHere = (key: RoomKey, clientId: string): boolean => {
        const { code, name: reason } = CloseCodes.kicked
        return awake.find(key)?.gate.remove(clientId, { code, reason }) === true
      }
      yield* answering({ here, kickHere })

      const list = Effect.fn("RoomClients.list")(function* (key: RoomKey) {
        const input = { project: key.projectId, room: key.roomId }
        const others = yield* askEvery({ name: "inspect.clients", input }, decodeKnown).pipe(
          Effect.mapError(() => incomplete)
        )
        return clientsOf([here(key), ...others])
      })

      const kick = Effect.fn("RoomClients.kick")(function* (key: RoomKey, clientId: string) {
        if (kickHere(key, clientId)) return true
        const input = { project: key.projectId, room: key.roomId, clientId }
        const kicked = yield* askEvery({ name: "inspect.kick", input }, decodeKicked).pipe(
          Effect.mapError(() => incomplete)
        )
        return kicked.includes(true)
      })

      return { list, kick }
    })
  )
}

const incomplete = new NotReady({
  message: "clients: a runner of the service does not answer; try again"
})

interface Answered {
  here(key: RoomKey): Known
  kickHere(key: RoomKey, clientId: string): boolean
}

/** Answers other runners. */
const answering = ({ here, kickHere }: Answered) =>
  Effect.gen(function* () {
    const answers = yield* RunnerAnswers
    yield* answers.add("inspect.clients", (input) =>
      Effect.map(Effect.orDie(decodeKey(input)), (asked) =>
        Effect.sync(() => {
          const key = keyOf(asked)
          return key === null ? { seats: [], entered: [] } : here(key)
        })
      )
    )
    yield* answers.add("inspect.kick", (input) =>
      Effect.map(Effect.orDie(decodeKick(input)), (asked) =>
        Effect.sync(() => {
          const key = keyOf(asked)
          return key !== null && kickHere(key, asked.clientId)
        })
      )
    )
  })

const keyOf = ({ project, room }: { readonly project: string; readonly room: string }) =>
  isProjectId(project) && isRoomId(room) ? { projectId: project, roomId: room } : null

/** One row for each seat; the connection that goes with it tells its lag. */
const clientsOf = (known: ReadonlyArray<Known>): ReadonlyArray<RoomClient> => {
  const entered = new Map(
    known.flatMap((runner) => runner.entered.map((each) => [each.clientId, each] as const))
  )
  return known
    .flatMap(({ seats }) => seats)
    .toSorted((one, other) => one.atMs - other.atMs)
    .map((seat) => {
      const connection = entered.get(seat.clientId)
      return {
        clientId: seat.clientId,
        playerId: seat.playerId,
        name: seat.name,
        role: seat.role,
        status: seat.joined ? "joined" : "joining",
        since: isoOf(seat.atMs),
        ingressBytes: seat.ingressBytes,
        egressBytes: seat.egressBytes,
        lagMs: connection?.lagMs ?? null,
        backlogBytes: connection?.backlogBytes ?? null
      }
    })
}
