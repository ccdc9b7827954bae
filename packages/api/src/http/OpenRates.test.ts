import { MeterCounts, RunnerMeter } from "@atrium/actors/meters/RunnerMeter"
import { SharedRates } from "@atrium/actors/rates/SharedRates"
import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { type RateLimit } from "@atrium/wire/limits/Limit"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"

import { audienceRate } from "../audience/audience.ts"
import { boardRate } from "../boards/boards.ts"
import { features } from "../features.ts"
import { identityRate } from "../identity/identity.ts"
import { ClientAddresses } from "./ClientAddresses.ts"
import { type OfOrigins, type OpenRate, OpenRates } from "./OpenRates.ts"

const projectId = ProjectId.make("p_0123456789abcdef")
const meter = new MeterCounts()

/** Callers are whom a header names, and `home` is exempt. */
const rates = () =>
  OpenRates.layer(features.flatMap(({ rates }) => rates)).pipe(
    Layer.provide(
      Layer.succeed(ClientAddresses, {
        of: (_peer, headers) => {
          const subject = String(headers["x-forwarded-for"])
          return { text: subject, subject, exempt: subject === "home" }
        }
      })
    ),
    Layer.provide(SharedRates.layerAlone),
    Layer.provide(Layer.succeed(RunnerMeter, meter)),
    Layer.fresh
  )

const game = "https://game.example"
let looks = 0
const there = Effect.sync(() => {
  looks++
  return { projectId, origins: [game] }
})
const missing = Effect.suspend(() => {
  looks++
  return new NotFound()
})

/** Asks once; what came of it, and how long to wait. */
const ask = (
  from: string,
  {
    rate = identityRate,
    subject = "p_1",
    project = there,
    found = Effect.succeed,
    origin
  }: Partial<AskedSomehow> = {}
) =>
  Effect.gen(function* () {
    const open = yield* OpenRates
    return yield* open.pass(rate, { subject, project, found })
  }).pipe(
    Effect.as("passed" as const),
    Effect.catchTag("E_NOT_FOUND", () => Effect.succeed("missing" as const)),
    Effect.catchTag("E_ORIGIN", ({ message }) => Effect.succeed(message)),
    Effect.catchTag("E_RATE_LIMITED", ({ retryAfterMs }) => Effect.succeed(retryAfterMs)),
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(
        new Request("http://atrium.test/", {
          headers: { "x-forwarded-for": from, ...(origin === undefined ? {} : { origin }) }
        })
      )
    )
  )

interface AskedSomehow {
  readonly rate: OpenRate
  readonly subject: string
  readonly project: Effect.Effect<OfOrigins, NotFound>
  readonly found: (project: OfOrigins) => Effect.Effect<OfOrigins, NotFound>
  readonly origin: string
}

const passes = (times: number, from: string, asked?: Partial<AskedSomehow>) =>
  Effect.gen(function* () {
    for (let n = 0; n < times; n++)
      expect(yield* ask(from, asked), `${n} of ${from}`).toBe("passed")
  })

/** From as many addresses as it takes. */
const fromEverywhere = (times: number, burst: number, asked?: Partial<AskedSomehow>) =>
  Effect.gen(function* () {
    for (let left = times, at = 0; left > 0; left -= burst, at++) {
      yield* passes(Math.min(left, burst), `10.0.0.${at}`, asked)
    }
  })

const rows: ReadonlyArray<
  readonly [ids: string, endpoint: string, rate: OpenRate, address: RateLimit, subject: RateLimit]
> = [
  [
    "[rate.identity.mint.address.burst] [rate.identity.mint.project.burst]",
    "identity",
    identityRate,
    IdentityLimits.identityMintsByAddress,
    IdentityLimits.identityMints
  ],
  ["[D-21]", "leaderboard", boardRate, BoardLimits.boardReadsByAddress, BoardLimits.boardReads],
  [
    "[rate.audience.mint.address.burst] [rate.audience.mint.room.burst]",
    "audience",
    audienceRate,
    AudienceLimits.audienceMintsByAddress,
    AudienceLimits.audienceMints
  ]
]

it.effect.each(rows)("[D-26] %s %s: so often from an address, and again at its pace", (row) =>
  Effect.gen(function* () {
    const [, , rate, address] = row
    const backMs = address.everyMs / address.tokens
    yield* passes(address.burst, "a", { rate })
    expect(yield* ask("a", { rate })).toBe(backMs)
    expect(yield* ask("b", { rate })).toBe("passed")
    yield* TestClock.adjust(backMs - 1)
    expect(yield* ask("a", { rate })).toBe(1)
    yield* TestClock.adjust(1)
    expect(yield* ask("a", { rate })).toBe("passed")
    expect(yield* ask("a", { rate })).toBe(backMs)
  }).pipe(Effect.provide(rates()))
)

it.effect.each(rows)("[D-26] %s %s: so often of one project or room, from wherever", (row) =>
  Effect.gen(function* () {
    const [, , rate, address, subject] = row
    const backMs = subject.everyMs / subject.tokens
    yield* fromEverywhere(subject.burst, address.burst, { rate })
    looks = 0
    expect(yield* ask("z", { rate })).toBe(backMs)
    expect(looks, "looks at the store").toBe(0)
    expect(yield* ask("z", { rate, subject: "p_2" })).toBe("passed")
    yield* TestClock.adjust(backMs - 1)
    expect(yield* ask("y", { rate })).toBe(1)
    yield* TestClock.adjust(1)
    expect(yield* ask("y", { rate })).toBe("passed")
    expect(yield* ask("x", { rate })).toBe(backMs)
  }).pipe(Effect.provide(rates()))
)

const { burst } = IdentityLimits.identityMintsByAddress
const project = IdentityLimits.identityMints.burst

it.effect(
  "[rate.open.address-first] an address without allowance spends none of the project's, and asks no store",
  () =>
    Effect.gen(function* () {
      yield* passes(burst, "a")
      looks = 0
      for (let n = 0; n < project; n++) expect(yield* ask("a")).toBeTypeOf("number")
      expect(looks).toBe(0)
      yield* fromEverywhere(project - burst, burst)
      expect(yield* ask("z")).toBeTypeOf("number")
    }).pipe(Effect.provide(rates()))
)

it.effect("[rate.open.project-only-existing] an unknown project costs the address only", () =>
  Effect.gen(function* () {
    const nowhere = { project: missing }
    for (let n = 0; n < burst; n++) expect(yield* ask("a", nowhere)).toBe("missing")
    expect(yield* ask("a", nowhere)).toBeTypeOf("number")
    for (let n = 0; n < project; n++) {
      expect(yield* ask(`b${Math.floor(n / burst)}`, nowhere)).toBe("missing")
    }
    yield* fromEverywhere(project, burst)
  }).pipe(Effect.provide(rates()))
)

it.effect(
  "[rate.open.endpoint-isolation] [rate.open.project-isolation] allowances are apart by row and by project",
  () =>
    Effect.gen(function* () {
      yield* fromEverywhere(project, burst)
      expect(yield* ask("10.0.0.0")).toBeTypeOf("number")
      yield* passes(BoardLimits.boardReadsByAddress.burst, "10.0.0.0", { rate: boardRate })
      yield* passes(1, "10.0.0.0", { rate: audienceRate })
      yield* passes(burst, "z", { subject: "p_2" })
    }).pipe(Effect.provide(rates()))
)

it.effect("[C-122] an exempt address has only the project's allowance to keep", () =>
  Effect.gen(function* () {
    yield* passes(project, "home")
    expect(yield* ask("home")).toBeTypeOf("number")
    expect(yield* ask("a")).toBeTypeOf("number")
    yield* passes(project, "home", { subject: "p_2" })
  }).pipe(Effect.provide(rates()))
)

it.effect("[D-30] a page of another origin has nothing looked up for it but the project", () =>
  Effect.gen(function* () {
    const nothing = { found: () => new NotFound() }
    expect(yield* ask("a", nothing)).toBe("missing")
    expect(yield* ask("a", { ...nothing, origin: game })).toBe("missing")
    const origin = "https://other.example"
    expect(yield* ask("a", { ...nothing, origin })).toBe(
      `origin: not in the project's list: ${origin}`
    )
    expect(yield* ask("a", { project: missing, origin })).toBe("missing")
  }).pipe(Effect.provide(rates()))
)
