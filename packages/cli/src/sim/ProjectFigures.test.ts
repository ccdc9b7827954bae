import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, ConfigProvider, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestConsole } from "effect/testing"
import { expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken } from "../testing/RunCommand.ts"
import { SkippingClock } from "../testing/SkippingClock.ts"
import { answerQuestion } from "./ProjectFigures.ts"

const id = "p_0123456789abcdef"
const service = serviceOfEachTest()
const game = gameOfEachTest()

const states = { starting: 0, awake: 1, draining: 0, hibernated: 1, restarting: 0, closed: 0 }
const metrics = (egressBytes: number) => ({
  sockets: 3,
  roomsByState: states,
  ingressBytes: 0,
  egressBytes,
  rss: 1
})
const room = (roomId: string) => ({
  project: id,
  roomId,
  status: "awake",
  slot: 0,
  lastSeen: "2026-01-01T00:00:00.000Z",
  clients: 3,
  maxClients: 64,
  backfill: false,
  retention: null,
  retentionOverride: null,
  deletesAt: null
})
const detail = {
  roomId: "a",
  status: "awake",
  type: "arena",
  class: "standard",
  retention: null,
  retentionOverride: null,
  deletesAt: null,
  saves: 0,
  stateBytes: 77,
  lastSeen: "2026-01-01T00:00:00.000Z"
}

const ask = (question: unknown) =>
  answerQuestion(question).pipe(
    Effect.provideService(Clock.Clock, new SkippingClock()),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({ ATRIUM_TOKEN: loginToken, XDG_CONFIG_HOME: game.path })
    ),
    Effect.provide(Layer.mergeAll(NodeServices.layer, FetchHttpClient.layer, TestConsole.layer)),
    Effect.runPromise
  )

it("[C-264] answers with metrics of two moments, the rooms, and those that are there still", async () => {
  let egress = 100
  service.answer = ({ path }) => {
    if (path.endsWith("/metrics")) return { status: 200, body: metrics((egress += 900)) }
    if (path.endsWith("/rooms")) return { status: 200, body: [room("a"), room("gone")] }
    return path.endsWith("/a")
      ? { status: 200, body: detail }
      : refusal(404, "E_ROOM_NOT_FOUND", "gone")
  }
  expect(await ask({ project: id, url: service.url })).toEqual({
    _tag: "Figures",
    figures: {
      before: metrics(1000),
      after: metrics(1900),
      apartMs: 5000,
      rooms: [room("a"), room("gone")],
      details: [detail]
    }
  })
  expect(new Set(service.requests.map(({ authorization }) => authorization))).toEqual(
    new Set([`Bearer ${loginToken}`])
  )
})

it("[C-264] a project that the service does not show is a refusal, with the command's exit code", async () => {
  service.answer = () => refusal(404, "E_NOT_FOUND", "no")
  expect(await ask({ project: id, url: service.url })).toMatchObject({
    _tag: "Refused",
    exitCode: 1
  })
  expect(await ask({ project: "..", url: service.url })).toMatchObject({
    _tag: "Refused",
    exitCode: 2
  })
})
