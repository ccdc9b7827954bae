import { type AuditEntry, AuditStore } from "@atrium/actors/audit/AuditStore"
import { audited } from "@atrium/domain/audit/Audited"
import { noAddressRules } from "@atrium/domain/shared/ClientAddress"
import { NotFound, NotReady, TenantWaking } from "@atrium/domain/shared/Refusal"
import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { ClientAddresses } from "../http/ClientAddresses.ts"
import { notBegun } from "../http/NotBegun.ts"
import { AuditLog } from "./AuditLog.ts"

const caller = { actor: "tok_1", accountId: "acc_1", projectId: "p_1" }
const request = HttpServerRequest.fromWeb(new Request("http://localhost/"))

interface Asked<E> {
  readonly answering: Effect.Effect<HttpServerResponse.HttpServerResponse, E>
  readonly endpoint?: { readonly annotations: Context.Context<never> }
}

const deletes = { annotations: audited("room.delete", "roomId") }

const ask = <E>({ answering, endpoint = deletes }: Asked<E>) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    return yield* log.around(endpoint, caller)(answering)
  }).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.provideService(HttpRouter.RouteContext, {
      params: { roomId: "arena" },
      route: HttpRouter.route("DELETE", "/", HttpServerResponse.empty())
    })
  )

const logged = (append: (entry: AuditEntry) => Effect.Effect<void>) =>
  AuditLog.layer.pipe(
    Layer.provide(Layer.mock(AuditStore, { append, removeOld: Effect.succeed(0) })),
    Layer.provide(ClientAddresses.layer(noAddressRules))
  )

const collect = () => {
  const entries: Array<AuditEntry> = []
  return { entries, append: (entry: AuditEntry) => Effect.sync(() => void entries.push(entry)) }
}

const ok = Effect.succeed(HttpServerResponse.empty())
const done = { ...caller, action: "room.delete", target: "arena", outcome: "done" }

it.effect(
  "[C-233] success is written down, a refusal is not, a fault is as one whose end is unknown",
  () => {
    const { entries, append } = collect()
    return Effect.gen(function* () {
      yield* ask({ answering: ok })
      yield* Effect.exit(ask({ answering: Effect.fail(new NotFound()) }))
      const unreadable = HttpServerResponse.empty({ status: 400 })
      yield* Effect.exit(ask({ answering: Effect.die(unreadable) }))
      const busy = notBegun(new NotReady({ message: "others are under way" }))
      yield* Effect.exit(ask({ answering: Effect.fail(busy) }))
      const waking = new TenantWaking({ message: "away" })
      yield* Effect.exit(ask({ answering: Effect.fail(waking) }))
      yield* Effect.exit(ask({ answering: Effect.die(new Error("a bug")) }))
      yield* ask({ answering: ok, endpoint: { annotations: Context.empty() } })
      while (entries.length < 3) yield* Effect.yieldNow
      const unknown = { ...done, outcome: "unknown" }
      expect(entries).toMatchObject([done, unknown, unknown])
      expect(entries[0]?.requestId).toMatch(/^[0-9a-f]{16}$/)
    }).pipe(Effect.provide(logged(append)))
  }
)

it.effect(
  "[C-233] a request whose caller goes away is written down as one whose end is unknown",
  () => {
    const { entries, append } = collect()
    return Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const slow = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      const asking = yield* Effect.forkChild(ask({ answering: slow }))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(asking)
      while (entries.length === 0) yield* Effect.yieldNow
      expect(entries).toMatchObject([{ ...done, outcome: "unknown" }])
    }).pipe(Effect.provide(logged(append)))
  }
)

it.effect("[C-233] a row that cannot be written for a minute is in the log", () => {
  const lines: Array<string> = []
  const append = () => Effect.die(new Error("the disk is full"))
  const logger = Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))
  return Effect.gen(function* () {
    const asking = yield* Effect.forkChild(ask({ answering: ok }))
    while (lines.length === 0) yield* TestClock.adjust("1 second")
    expect((yield* Fiber.join(asking)).status).toBe(204)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain("a row of the audit log could not be written")
    for (const part of ["action=room.delete", "target=arena", "actor=tok_1", "outcome=done"]) {
      expect(lines[0]).toContain(part)
    }
  }).pipe(Effect.provide(Layer.provideMerge(logged(append), Logger.layer([logger]))))
})

it.effect(
  "[C-233] a row that still waits for the store when the service ends is in the log",
  () => {
    const lines: Array<string> = []
    const logger = Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))
    return Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const append = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      const service = yield* Scope.make()
      const context = yield* Layer.buildWithScope(logged(append), service)
      yield* Effect.forkChild(Effect.provideContext(ask({ answering: ok }), context))
      yield* Deferred.await(asked)
      expect(lines).toEqual([])
      yield* Scope.close(service, Exit.void)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain("a row of the audit log could not be written")
      for (const part of ["action=room.delete", "target=arena", "actor=tok_1", "outcome=done"]) {
        expect(lines[0]).toContain(part)
      }
    }).pipe(Effect.provide(Logger.layer([logger])))
  }
)
