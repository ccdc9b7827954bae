import { getCACertificates, setDefaultCACertificates } from "node:tls"

import { IdentityStore } from "@atrium/actors/identity/IdentityStore"
import { JwtSecretStore } from "@atrium/actors/identity/JwtSecretStore"
import { Secrets } from "@atrium/actors/store/Secrets"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SignJWT } from "jose"
import { afterAll, beforeAll } from "vitest"

import {
  type JwksStub,
  startJwksStub,
  stubCertificate,
  type StubClaims
} from "../testing/JwksStub.ts"
import { Assertions } from "./Assertions.ts"
import { JwksHosts } from "./JwksFetch.ts"

const projectId = ProjectId.make("p_0000000000000001")
const other = ProjectId.make("p_0000000000000002")
const startS = 1_800_000_000
const [issuer, audience] = ["https://login.example", "game"]
const ann: StubClaims = { iss: issuer, aud: audience, sub: "ann", exp: startS + 60 }

const trusted = getCACertificates("default")
let stub: JwksStub
beforeAll(async () => {
  setDefaultCACertificates([...trusted, stubCertificate])
  stub = await startJwksStub()
})
afterAll(async () => {
  await stub.close()
  setDefaultCACertificates(trusted)
})

const store = <Service extends object>(answers: Partial<Service>): Service =>
  // Cast: a test fakes only the methods that it calls.
  answers as Service

const layer = Assertions.layer.pipe(
  Layer.provide([
    Layer.succeed(
      JwtSecretStore,
      store<JwtSecretStore["Service"]>({ validKids: () => Effect.succeed([2, 1]) })
    ),
    Layer.succeed(
      IdentityStore,
      store<IdentityStore["Service"]>({
        providers: (id) =>
          Effect.sync(() => (id === projectId ? [{ issuer, audience, jwksUrl: stub.jwksUrl }] : []))
      })
    ),
    Layer.succeed(JwksHosts, ["127.0.0.1"])
  ]),
  Layer.provideMerge(Secrets.layer(new Uint8Array(32)))
)

/** Whom a token proves, or why it proves nobody. */
const verdict = (token: string, of = projectId) =>
  Effect.flatMap(Assertions, (assertions) => assertions.verify(of, token)).pipe(
    Effect.map(({ issuer, subject }) => `${issuer} ${subject}`),
    Effect.catch(({ _tag }) => Effect.succeed(_tag))
  )
const invalid = "E_ASSERTION_INVALID"

const inTime = <E>(run: Effect.Effect<void, E, Assertions | Secrets>) =>
  Effect.andThen(TestClock.setTime(startS * 1000), run).pipe(Effect.provide(layer))

const bySecret = (claims: object, { kid = 2, alg = "HS256" } = {}) =>
  Effect.flatMap(Secrets, (secrets) =>
    Effect.promise(() =>
      new SignJWT({ iss: projectId, aud: "identity", sub: "ann", exp: startS + 60, ...claims })
        .setProtectedHeader({ alg })
        .sign(new TextEncoder().encode(secrets.joinSecret(projectId, kid)))
    )
  )
const byProvider = (claims: object = {}, alg: "RS256" | "ES256" = "RS256", kid?: string) =>
  Effect.promise(() => stub.sign(alg, { ...ann, ...claims }, kid))
const unsigned = (header: object, claims: object): string =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")

it.effect(
  "[D-27] the project's secret proves a subject of the project, the one before it too",
  () =>
    inTime(
      Effect.gen(function* () {
        expect(yield* verdict(yield* bySecret({}))).toBe(`${projectId} ann`)
        expect(yield* verdict(yield* bySecret({}, { kid: 1 }))).toBe(`${projectId} ann`)
        for (const claims of [
          { iss: other },
          { iss: issuer },
          { aud: "rooms" },
          { aud: ["identity"] },
          { sub: "" },
          { sub: 5 },
          { exp: "soon" }
        ]) {
          expect(yield* verdict(yield* bySecret(claims))).toBe(invalid)
        }
        expect(yield* verdict(yield* bySecret({}, { kid: 3 }))).toBe(invalid)
        expect(yield* verdict(yield* bySecret({}, { alg: "HS512" }))).toBe(invalid)
        expect(yield* verdict(yield* bySecret({}), other)).toBe(invalid)
      })
    )
)

it.effect(
  "[D-27] a provider proves its subjects by RS256 and ES256, to the project that names it",
  () =>
    inTime(
      Effect.gen(function* () {
        for (const alg of ["RS256", "ES256"] as const) {
          expect(yield* verdict(yield* byProvider({}, alg))).toBe(`${issuer} ann`)
          expect(yield* verdict(yield* byProvider({}, alg), other)).toBe(invalid)
          expect(yield* verdict(yield* byProvider({}, alg, "unknown"))).toBe(invalid)
        }
        expect(yield* verdict(yield* byProvider({ aud: ["x", audience] }))).toBe(`${issuer} ann`)
        for (const claims of [
          { iss: `${issuer}/` },
          { aud: "gam" },
          { aud: "games" },
          { aud: [] },
          { aud: ["x"] },
          { sub: "" }
        ]) {
          expect(yield* verdict(yield* byProvider(claims))).toBe(invalid)
        }
      })
    )
)

it.effect("[D-27] a signature of another kind, of somebody else, or none proves nobody", () =>
  inTime(
    Effect.gen(function* () {
      const good = yield* byProvider()
      const [head = "", body = "", signature = ""] = good.split(".")
      const confused = yield* Effect.promise(() =>
        new SignJWT({ ...ann })
          .setProtectedHeader({ alg: "HS256", kid: "rsa-1" })
          .sign(new TextEncoder().encode(stub.publicPem))
      )
      const changed = Buffer.from(JSON.stringify({ ...ann, sub: "eve" })).toString("base64url")
      for (const token of [
        confused,
        `${head}.${changed}.${signature}`,
        `${head}.${body}.`,
        `${head}.${body}`,
        `${good}.`,
        `${good}.x`,
        `${good}\n`,
        ` ${good}`,
        "",
        "..",
        "a.b.c",
        `${unsigned({ alg: "none" }, ann)}.`,
        `${unsigned({ alg: "ES256", kid: "rsa-1" }, ann)}.${signature}`,
        `${unsigned({ alg: "RS256", kid: "rsa-1", crit: ["x"] }, ann)}.${signature}`,
        `${Buffer.from("null").toString("base64url")}.${body}.${signature}`
      ]) {
        expect(yield* verdict(token)).toBe(invalid)
      }
    })
  )
)

it.effect("[D-25] an assertion has its time, with a minute of leeway", () =>
  inTime(
    Effect.gen(function* () {
      const leewayS = IdentityLimits.clockLeeway.ms / 1000
      const cases = [
        [{ exp: startS - leewayS + 1 }, true],
        [{ exp: startS - leewayS }, false],
        [{ nbf: startS + leewayS }, true],
        [{ nbf: startS + leewayS + 1 }, false],
        [{ iat: startS + leewayS }, true],
        [{ iat: startS + leewayS + 1 }, false]
      ] as const
      for (const [claims, valid] of cases) {
        expect(yield* verdict(yield* bySecret(claims))).toBe(valid ? `${projectId} ann` : invalid)
        expect(yield* verdict(yield* byProvider(claims))).toBe(valid ? `${issuer} ann` : invalid)
      }
    })
  )
)

it.effect(
  "[limits.assertionBytes] [limits.subjectBytes] long assertions and subjects prove nobody",
  () =>
    inTime(
      Effect.gen(function* () {
        const { max } = IdentityLimits.subjectBytes
        expect(yield* verdict(yield* bySecret({ sub: "x".repeat(max) }))).toMatch(/x$/)
        expect(yield* verdict(yield* bySecret({ sub: "x".repeat(max + 1) }))).toBe(invalid)
        expect(yield* verdict(yield* bySecret({ sub: "é".repeat(max / 2 + 1) }))).toBe(invalid)
        const long = yield* bySecret({ more: "x".repeat(11_000) })
        expect(long.length).toBeLessThan(IdentityLimits.assertionBytes.max)
        expect(yield* verdict(long)).toBe(`${projectId} ann`)
        const tooLong = yield* bySecret({ more: "x".repeat(12_500) })
        expect(tooLong.length).toBeGreaterThan(IdentityLimits.assertionBytes.max)
        expect(yield* verdict(tooLong)).toBe(invalid)
      })
    )
)

it.effect(
  "[C-542] keys are read once; a flood of unknown keys reads them once in ten seconds",
  () =>
    inTime(
      Effect.gen(function* () {
        const before = stub.reads()
        const tokens = yield* Effect.all(
          Array.from({ length: 20 }, (_, at) => byProvider({}, "RS256", `stranger-${at}`))
        )
        yield* Effect.all(
          [...tokens.map((token) => verdict(token)), verdict(yield* byProvider())],
          {
            concurrency: 21
          }
        )
        expect(stub.reads()).toBe(before + 1)
        yield* TestClock.adjust(IdentityLimits.jwksPause.ms)
        for (const token of tokens) expect(yield* verdict(token)).toBe(invalid)
        expect(stub.reads()).toBe(before + 2)
      })
    )
)

it.effect("[C-542] a provider that does not answer is another refusal than a wrong token", () =>
  inTime(
    Effect.gen(function* () {
      stub.answer((response) => void response.writeHead(500).end())
      expect(yield* verdict(yield* byProvider())).toBe("E_PROVIDER_UNREACHABLE")
      stub.answer(null)
      expect(yield* verdict(yield* byProvider())).toBe("E_PROVIDER_UNREACHABLE")
      yield* TestClock.adjust(IdentityLimits.jwksPause.ms)
      expect(yield* verdict(yield* byProvider())).toBe(`${issuer} ann`)
    })
  )
)
