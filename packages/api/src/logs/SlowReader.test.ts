import { createServer, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"

import { LogStore } from "@atrium/actors/logs/LogStore"
import { LogTail } from "@atrium/actors/logs/LogTail"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject, ProjectAccess } from "@atrium/domain/http/Credential"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { LogsApi } from "@atrium/domain/logs/LogsApi"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { until } from "@atrium/domain/testing/Until"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { expect, it } from "vitest"

import { StrictRequests } from "../http/StrictRequests.ts"
import { LogsHandlers } from "./logs.ts"

const projectId = ProjectId.make("p_0123456789abcdef")

/** Lets everybody reach the one project. */
const access = Layer.succeed(ProjectAccess, {
  bearer: (httpEffect) => Effect.provideService(httpEffect, CallersProject, { projectId })
})
const emptyStore = Layer.succeed(LogStore, {
  append: () => Effect.void,
  read: () => Effect.succeed([]),
  removeOld: Effect.succeed(0)
})
const routes = HttpApiBuilder.layer(apiOf(LogsApi)).pipe(
  Layer.provide(LogsHandlers.pipe(Layer.provide([access, StrictRequests]))),
  Layer.provide(StrictRequests)
)

/** The routes of logs on a port of their own. */
const served = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const app = yield* HttpRouter.toHttpEffect(routes)
  const server = createServer(yield* NodeHttpServer.makeHandler(app, { scope }))
  yield* Effect.acquireRelease(
    Effect.promise(
      () => new Promise<Server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)))
    ),
    () => Effect.sync(() => server.closeAllConnections() ?? server.close())
  )
  // A server that listens on a port of TCP has an address of this form.
  return (server.address() as AddressInfo).port
})

/** A tail that is read by hand. */
const openTail = (port: number) => {
  const socket = connect(port, "127.0.0.1")
  let part = ""
  let isOpen = false
  let lines = 0
  let missed = 0
  const take = (text: string): void => {
    isOpen ||= text === "event: ping"
    if (text === "event: line") lines++
    missed += Number(/^data: \{"lines":(\d+)\}$/.exec(text)?.[1] ?? 0)
  }
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const texts = (part + chunk).split("\n")
    part = texts.pop() ?? ""
    texts.forEach(take)
  })
  socket.write(
    `GET /v1/projects/${projectId}/logs/tail HTTP/1.1\r\nhost: a\r\nauthorization: Bearer x\r\n\r\n`
  )
  return { socket, isOpen: () => isOpen, lines: () => lines, missed: () => missed }
}

const lines = 12_000
const line = "x".repeat(1024)

it("[C-332] holds a bounded part for a reader that stops, tells it the rest as missed, and holds up nobody", () =>
  Effect.gen(function* () {
    const tail = yield* LogTail
    const port = yield* served
    const [slow, quick] = [openTail(port), openTail(port)]
    yield* Effect.promise(() => until("both are open", () => slow.isOpen() && quick.isOpen()))
    slow.socket.pause()
    for (let lineId = 1; lineId <= lines; lineId++) {
      tail.publish(projectId, { lineId, roomId: "arena", level: "info", line })
      // The quick one reads what it is told before the next lines come.
      if (lineId % 200 > 0) continue
      yield* Effect.promise(() => until("the quick one has them", () => quick.lines() === lineId))
    }
    expect([quick.lines(), quick.missed()]).toEqual([lines, 0])
    expect(slow.lines()).toBeLessThan(lines / 2)
    slow.socket.resume()
    yield* Effect.promise(() =>
      until("the slow one knows of all", () => slow.lines() + slow.missed() === lines)
    )
    // What the service held was within the bound of a reader; the kernel had some MiB in between.
    expect(slow.missed()).toBeGreaterThan(lines / 4)
    // It goes away while it does not read, and its place is free.
    slow.socket.pause()
    for (let lineId = lines + 1; lineId <= 2 * lines; lineId++) {
      tail.publish(projectId, { lineId, roomId: "arena", level: "info", line })
      if (lineId % 1000 === 0) yield* Effect.yieldNow
    }
    for (let place = 2; place < LogLimits.logTailsProject.max; place++) {
      yield* tail.follow({ projectId, roomId: null, level: "info" })
    }
    expect(tail.hasPlace(projectId)).toBe(false)
    slow.socket.destroy()
    yield* Effect.promise(() => until("there is a place", () => tail.hasPlace(projectId)))
    quick.socket.destroy()
  }).pipe(
    Effect.scoped,
    Effect.provide(
      LogTail.layer.pipe(
        Layer.provideMerge(emptyStore),
        Layer.merge(NodeHttpServer.layerHttpServices)
      )
    ),
    Effect.runPromise
  ))
