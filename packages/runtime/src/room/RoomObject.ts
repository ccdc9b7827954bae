import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { LogLevel } from "../host/HostFrames.ts"
import { Reports } from "../host/RoomReports.ts"
import type { RoomPhysics } from "../physics/RoomPhysics.ts"
import { RoomFrames } from "./ClientFrames.ts"
import { deliverTo, deliverToAll } from "./Delivery.ts"
import { leaderboardOf } from "./Leaderboard.ts"
import { lobbyMetadataOf } from "./LobbyMetadata.ts"
import { partsOfState } from "./PartsOfState.ts"
import { packPayload } from "./Payloads.ts"
import { playerKvOf } from "./PlayerKv.ts"
import type { Requests } from "./Requests.ts"
import type { Room, RoomAlarms, RoomClients, RoomLog } from "./Room.ts"
import { backfillOf } from "./RoomBackfill.ts"
import type { RoomClient } from "./RoomClient.ts"
import type { RoomCore } from "./RoomCore.ts"
import { ratingsOf } from "./RoomRatings.ts"
import type { RoomReplay } from "./RoomReplay.ts"
import { voiceOf } from "./RoomVoice.ts"
import { RpcError } from "./RpcError.ts"
import { bindCalls } from "./ServiceCalls.ts"
import type { Session } from "./Session.ts"

interface RoomParts {
  readonly requests: () => Requests
  readonly replay: RoomReplay
  readonly physics: RoomPhysics
}

/** Builds what room code gets as `room`. */
export const makeRoomObject = (core: RoomCore, parts: RoomParts): Room => {
  const { requests, replay, physics } = parts
  const { start, schema } = core
  const room: Room = {
    id: start.roomId,
    type: start.type,
    version: start.version,
    ...partsOfState(core, core.state.state),
    views: { refresh: (of) => core.views?.refresh(of) },
    clients: clientsOf(core),
    send: (client, name, payload) => {
      const frame = messageFrame(core, name, payload)
      const session = sessionOf(core, client)
      if (session !== undefined) deliverTo(core, session, frame)
    },
    broadcast: (name, payload, options) => {
      const frame = messageFrame(core, name, payload)
      const except = [options?.except ?? []].flat()
      const sessions = except.map((client) => sessionOf(core, client))
      deliverToAll(core, frame, new Set(sessions.filter((session) => session !== undefined)))
      // A replay shows no more than what everybody was told.
      if (except.length === 0) core.recorder?.message(frame)
    },
    // oxlint-disable-next-line max-params -- the call reads like the one of the client SDK.
    request: async (client, name, args, options) => {
      const shape = schema.rpc.server.byName.get(name)
      if (shape === undefined) throw new Error(`request: the schema has no server RPC ${name}`)
      const session = sessionOf(core, client)
      if (session === undefined)
        throw new RpcError(RoomRefusals.clientGone.code, "the client has left")
      const timeoutMs = options?.timeoutMs ?? RuntimeLimits.roomRpc.ms
      const answer = await requests().call({ session, shape, args, timeoutMs })
      // Read by the schema's own shape, whose type is gone here; room code sees it through Room<S>.
      return answer as never
    },
    after: (name, ms) => core.alarms.set(name, core.clock.nowMs() + ms),
    every: (name, ms) => {
      if (core.start.keepsPeriods !== true)
        throw new Error(`alarm ${name}: this service is too old for room.every`)
      core.alarms.repeat(name, ms, core.clock.nowMs())
    },
    alarm: alarmsOf(core),
    save: () => core.saves.call(),
    kv: playerKvOf(core.calls),
    log: logOf(core),
    lobby: {
      setPublic: (isPublic) => {
        core.lobby.isPublic = demandBoolean("lobby.setPublic", isPublic)
        core.send(Reports.lobby({ isPublic }))
      },
      setStarted: (started) => {
        core.lobby.started = demandBoolean("lobby.setStarted", started)
        core.send(Reports.lobby({ started }))
      },
      setMetadata: lobbyMetadataOf(core),
      setBackfill: backfillOf(core.calls)
    },
    voice: voiceOf(core),
    ratings: ratingsOf(core.calls),
    leaderboard: leaderboardOf(core.calls),
    replay,
    physics,
    clock: { nowMs: () => core.clock.nowMs() },
    random: Object.assign(() => core.random.random(), {
      int: (n: number) => core.random.random.int(n)
    })
  }
  bindCalls(room, core.calls)
  return Object.freeze(room)
}

const messageFrame = (core: RoomCore, name: string, payload: unknown): Uint8Array => {
  const shape = core.schema.messages.byName.get(name)
  if (shape === undefined) throw new Error(`messages: the schema has no message ${name}`)
  return RoomFrames.msg(shape.index, packPayload(shape.fields, payload, `messages.${name}`))
}

/** The session behind a client object, if it still is in the room. */
const sessionOf = (core: RoomCore, client: RoomClient): Session | undefined => {
  const session = core.sessions.byId(client.id)
  return session?.client === client ? session : undefined
}

const clientsOf = (core: RoomCore): RoomClients<AnyRoomSchema> => ({
  get size() {
    return core.sessions.size
  },
  get: (id) => core.sessions.byId(id)?.client,
  has: (id) => core.sessions.byId(id) !== undefined,
  *[Symbol.iterator]() {
    // A copy: code that lets clients go while it iterates must see each of them once.
    for (const { client } of Array.from(core.sessions)) yield client
  }
})

const alarmsOf = (core: RoomCore): RoomAlarms => ({
  set: (name, atMs) => core.alarms.set(name, atMs),
  clear: (name) => core.alarms.clear(name)
})

const logOf = (core: RoomCore): RoomLog => {
  const at = (level: LogLevel) => {
    const say = (...values: ReadonlyArray<unknown>): void => {
      const place = core.port.placeOf?.(say) ?? ""
      const line = core.port.format(values)
      core.log(level, place === "" ? line : `${line} (${place})`)
    }
    return say
  }
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }
}

const demandBoolean = (what: string, value: unknown): boolean => {
  if (typeof value === "boolean") return value
  throw new TypeError(`${what}: ${String(value)} is not true or false`)
}
