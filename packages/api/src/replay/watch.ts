import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { CapWalls } from "@atrium/actors/meters/CapWalls"
import { ObjectStore } from "@atrium/actors/objects/ObjectStore"
import { type ProjectRow, ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { chunkKey, type ReplayRow } from "@atrium/actors/replay/ReplayRows"
import { ReplayStore } from "@atrium/actors/replay/ReplayStore"
import { apiOf } from "@atrium/domain/http/Api"
import { wallText } from "@atrium/domain/meters/Caps"
import { isReplayId } from "@atrium/domain/replay/ReplayId"
import { WatchApi } from "@atrium/domain/replay/ReplaysApi"
import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { CapReached, NotFound } from "@atrium/domain/shared/Refusal"
import { SecondMs } from "@atrium/wire/limits/Limit"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { Clock, Effect, Option } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

import { listed } from "../http/ListHeader.ts"
import { type OpenRate, OpenRates } from "../http/OpenRates.ts"
import { acceptsZstd } from "./acceptsZstd.ts"
import { PlainChunks } from "./PlainChunks.ts"
import { replayFactsOf } from "./replayFacts.ts"

export const watchRate: OpenRate = {
  address: ReplayStoreLimits.replayReadsByAddress,
  subject: ReplayStoreLimits.replayReads
}

/** A replay and the project that has it. */
interface Watched extends ProjectRow {
  readonly replay: ReplayRow
}

/** Replays for those who watch: the id of a replay is the credential. Source: D-57. */
export const WatchHandlers = HttpApiBuilder.group(
  apiOf(WatchApi),
  "watch",
  Effect.fnUntraced(function* (handlers) {
    const watched = yield* makeWatched
    const store = yield* ReplayStore
    const deployments = yield* DeploymentStore
    const objects = yield* ObjectStore
    const plain = yield* PlainChunks

    /** The descriptor of the room's type, as clients of its version had it. */
    const descriptorOf = Effect.fnUntraced(function* ({ projectId, version, type }: ReplayRow) {
      const row = Option.getOrNull(yield* deployments.find(projectId, version))
      const found = row?.roomTypes.find((each) => each.type === type)
      return found === undefined ? yield* new NotFound() : found.schema
    })

    const chunkBytes = Effect.fnUntraced(function* (replay: ReplayRow, index: number) {
      const bytes = Option.getOrNull(yield* objects.get(chunkKey(replay, index)))
      return bytes === null ? yield* new NotFound() : bytes
    })

    return handlers.handleAll({
      replay: Effect.fn("watch.replay")(function* ({ params }) {
        const { replay } = yield* watched(params.replayId, Effect.succeed)
        const [descriptor, chunks] = yield* Effect.all([descriptorOf(replay), store.chunks(replay)])
        // A recording that runs has further chunks soon.
        yield* withHeaders({
          "cache-control": replay.running ? "private, no-cache" : yield* cachingOf(replay)
        })
        return {
          project: replay.projectId,
          ...replayFactsOf(replay),
          descriptor,
          chunks: chunks.map(({ index, fromTick, toTick, bytes, fromMs, toMs }) => ({
            index,
            fromTick,
            toTick,
            bytes,
            // A runner whose clock was behind has written chunks from before the start.
            fromMs: Math.max(0, fromMs - replay.startsAtMs),
            toMs: Math.max(0, toMs - replay.startsAtMs)
          }))
        }
      }),
      chunk: Effect.fn("watch.chunk")(function* ({ params }) {
        const { replay, chunk } = yield* watched(params.replayId, (of) =>
          Effect.gen(function* () {
            const index = indexOf(params.index)
            const found = index === null ? Option.none() : yield* store.chunk(of.replay, index)
            if (Option.isNone(found)) return yield* new NotFound()
            return { ...of, chunk: found.value }
          })
        )
        const { headers: asked } = yield* HttpServerRequest.HttpServerRequest
        const packed = acceptsZstd(asked["accept-encoding"])
        const etag = packed ? `"${chunk.hash}-zstd"` : `"${chunk.hash}"`
        const headers = {
          etag,
          "cache-control": yield* cachingOf(replay),
          vary: "accept-encoding, origin",
          ...(packed ? { "content-encoding": "zstd" } : {})
        }
        const isKnown = listed(asked["if-none-match"]).some(
          (each) => each === "*" || each.replace(/^W\//, "") === etag
        )
        if (isKnown) {
          const { "content-encoding": _, ...known } = headers
          return HttpServerResponse.empty({ status: 304, headers: known })
        }
        const bytes = yield* chunkBytes(replay, chunk.index)
        const sent = packed ? bytes : yield* plain.of(replay.projectId, bytes)
        return HttpServerResponse.uint8Array(sent, {
          headers,
          contentType: "application/octet-stream"
        })
      })
    })
  })
)

/**
 * Finds the replay of an id, for a page of its project, within the rates. Errors: `NotFound` for one that has expired, too;
 * `CapReached` at the data-out wall; those of `OpenRates` and of `found`.
 */
const makeWatched = Effect.gen(function* () {
  const store = yield* ReplayStore
  const projects = yield* ProjectStore
  const walls = yield* CapWalls
  const rates = yield* OpenRates
  const there = Effect.fnUntraced(function* (replayId: string) {
    const replay = isReplayId(replayId) ? yield* store.find(replayId) : Option.none()
    if (Option.isNone(replay)) return yield* new NotFound()
    const project = yield* projects.find(replay.value.projectId)
    if (Option.isNone(project)) return yield* new NotFound()
    const watched: Watched = { ...project.value, replay: replay.value }
    return watched
  })
  return <A, E, R>(replayId: string, found: (of: Watched) => Effect.Effect<A, E, R>) =>
    rates.pass(watchRate, {
      subject: replayId,
      project: there(replayId),
      found: Effect.fnUntraced(function* (of) {
        const wall = yield* walls.of(of.projectId, ["dataOutBytes"])
        if (wall !== null) return yield* new CapReached({ message: wallText(wall) })
        return yield* found(of)
      })
    })
})

/** A place of a recording's last chunk at most; `null` = no number. */
const indexOf = (text: string): number | null =>
  /^(?:0|[1-9]\d{0,5})$/.test(text) && Number(text) < ReplayLimits.recordingChunks.max
    ? Number(text)
    : null

/** A browser that has a replay shows it no longer than a minute after its end. Spec: Replay limits. */
const cachingOf = ({ expiresAtMs }: ReplayRow): Effect.Effect<string> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => {
    const leftMs = Math.min(ReplayStoreLimits.linkGrace.ms, Math.max(0, expiresAtMs - nowMs))
    return `private, max-age=${Math.floor(leftMs / SecondMs)}`
  })

const withHeaders = (headers: Readonly<Record<string, string>>) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )
