import assert from "node:assert/strict"
import { createHmac } from "node:crypto"

import { alone, type IdentityRecord } from "@atrium/actors/accounts/AccountRows"
import { PlayerAccounts } from "@atrium/actors/accounts/PlayerAccounts"
import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { JwtSecretStore } from "@atrium/actors/identity/JwtSecretStore"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { Secrets } from "@atrium/actors/store/Secrets"
import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { SignJWT } from "jose"

import { JoinTerms } from "./JoinTerms.ts"
import { PlayerTokens } from "./PlayerTokens.ts"

const projectId = ProjectId.make("p_0000000000000001")
const other = ProjectId.make("p_0000000000000002")

/** What the stores say of both projects; tests change it. */
interface World {
  /** What is stored of identities, by their ids. */
  identities: Readonly<Record<string, IdentityRecord>>
  kids: ReadonlyArray<number> | null
  role: string | null
  relay: boolean
}
let world: World = { identities: {}, kids: [], role: "viewer", relay: true }

const store = <Service extends object>(answers: Partial<Service>): Service =>
  // Cast: a test fakes only the methods that it calls.
  answers as Service

const layer = PlayerTokens.layer.pipe(
  Layer.provideMerge(JoinTerms.layer),
  Layer.provide([
    Layer.succeed(
      PlayerAccounts,
      store<PlayerAccounts["Service"]>({
        identity: ({ identityId }) => Effect.sync(() => world.identities[identityId] ?? alone)
      })
    ),
    Layer.succeed(
      JwtSecretStore,
      store<JwtSecretStore["Service"]>({
        valid: () =>
          Effect.sync(() => (world.kids === null ? null : { kids: world.kids, untilMs: null }))
      })
    ),
    Layer.succeed(
      ProjectStore,
      store<ProjectStore["Service"]>({
        find: (id) =>
          Effect.sync(() =>
            Option.some({
              projectId: ProjectId.make(id),
              accountId: "acc_1",
              name: "a",
              plan: "card" as const,
              createdAtMs: 0,
              currentVersion: 1,
              connectionsPerIpPerMin: null,
              vmMemMib: null,
              queues: {},
              boards: {},
              origins: ["*"],
              preRelease: false,
              audienceRole: world.role
            })
          )
      })
    ),
    Layer.succeed(
      DeploymentStore,
      store<DeploymentStore["Service"]>({
        find: (id, version) =>
          Effect.sync(() =>
            Option.some({
              projectId: id,
              version,
              bytes: 1,
              createdAtMs: 0,
              roomTypes: [],
              relay: world.relay,
              rollbackOf: null,
              migrations: [],
              step: null
            })
          )
      })
    )
  ]),
  Layer.provideMerge(Secrets.layer(new Uint8Array(32)))
)

/** Runs in a world where the project has an audience, and no secret yet. */
const inWorld = <E>(run: Effect.Effect<void, E, PlayerTokens | JoinTerms | Secrets>) =>
  Effect.suspend(() => {
    world = { identities: {}, kids: [], role: "viewer", relay: true }
    return Effect.andThen(TestClock.setTime(1_700_000_000_123), run)
  }).pipe(Effect.provide(layer))

const watching = { projectId, roomId: "lobby", role: "viewer" }
const minted = Effect.flatMap(PlayerTokens, (tokens) => tokens.mintAudience(watching))

/**
 * The role as which somebody gets in, or why not. What was read a moment ago lets the same players in, and neither
 * identities nor viewers, of whom the store is asked at every join.
 */
const entry = Effect.fnUntraced(function* (
  token: string,
  to: { projectId?: string; roomId?: string } = {}
) {
  const tokens = yield* PlayerTokens
  const terms = yield* JoinTerms
  const wanted = { projectId, roomId: "lobby", ...to }
  terms.changed(wanted.projectId)
  const unread = tokens.verifyNow(token, wanted)
  const verified = yield* Effect.result(tokens.verify(token, wanted))
  const isPlayers =
    Result.isSuccess(verified) &&
    verified.success.identityId === null &&
    verified.success.role === "player"
  const told = [unread, tokens.verifyNow(token, wanted)]
  assert.deepEqual(told, [null, isPlayers ? verified.success : null])
  return Result.isSuccess(verified) ? verified.success.role : verified.failure.because
})

interface Signed {
  readonly kid?: number
  readonly iat?: number
  readonly exp?: number
  readonly nbf?: number
  readonly sub?: string
  readonly room?: string
  readonly role?: string
  readonly match?: unknown
}

/** As a game's backend signs them. */
const signedByGame = ({ kid = 1, iat = 1_700_000_000, exp = 1_700_003_600, ...claims }: Signed) =>
  Effect.flatMap(Secrets, (secrets) =>
    Effect.promise(() =>
      new SignJWT({ sub: "ann", ...claims })
        .setProtectedHeader({ alg: "HS256" })
        .setIssuer(projectId)
        .setAudience("rooms")
        .setIssuedAt(iat)
        .setExpirationTime(exp)
        .sign(new TextEncoder().encode(secrets.joinSecret(projectId, kid)))
    )
  )

it.effect(
  "[auth.audience.lifetime-3h] an audience credential lives three hours, to the millisecond",
  () =>
    inWorld(
      Effect.gen(function* () {
        const { token, expiresAtMs } = yield* minted
        expect(expiresAtMs).toBe(1_700_000_000_123 + AudienceLimits.audienceTokenLife.ms)
        expect(yield* entry(token)).toBe("viewer")
        yield* TestClock.adjust(AudienceLimits.audienceTokenLife.ms - 1)
        expect(yield* entry(token)).toBe("viewer")
        yield* TestClock.adjust(1)
        expect(yield* entry(token)).toBe("unauthenticated")
      })
    )
)

it.effect(
  "[auth.audience.scope] it opens its room in its project, whatever secrets the project has",
  () =>
    inWorld(
      Effect.gen(function* () {
        const { token } = yield* minted
        for (const kids of [[], [1], [3, 2]]) {
          world.kids = kids
          expect(yield* entry(token)).toBe("viewer")
          expect(yield* entry(token, { roomId: "lobby-2" })).toBe("mismatch")
          expect(yield* entry(token, { projectId: other })).toBe("mismatch")
        }
        world.kids = null
        expect(yield* entry(token)).toBe("unauthenticated")
      })
    )
)

it.effect("[C-121] it is worth nothing when the project has no such audience any more", () =>
  inWorld(
    Effect.gen(function* () {
      const { token } = yield* minted
      for (const change of [{ role: null }, { role: "fan" }, { relay: false }]) {
        Object.assign(world, { role: "viewer", relay: true }, change)
        expect(yield* entry(token), JSON.stringify(change)).toBe("unauthenticated")
      }
      Object.assign(world, { role: "viewer", relay: true })
      expect(yield* entry(token)).toBe("viewer")
    })
  )
)

it.effect(
  "[audience.needs-room-scoped-credential] a game's own makes a viewer of that very room alone",
  () =>
    inWorld(
      Effect.gen(function* () {
        world.kids = [1]
        const role = "viewer"
        expect(yield* entry(yield* signedByGame({ role, room: "lobby" }))).toBe("viewer")
        expect(yield* entry(yield* signedByGame({ role, room: "arena" }))).toBe("mismatch")
        for (const claims of [{ role }, { role, room: "*" }, { role: "ghost", room: "lobby" }]) {
          expect(yield* entry(yield* signedByGame(claims)), JSON.stringify(claims)).toBe(
            "unauthenticated"
          )
        }
        const notTheirs = { role, room: "lobby", kid: 2 }
        expect(yield* entry(yield* signedByGame(notTheirs))).toBe("unauthenticated")
        const player = yield* signedByGame({ role: "player", room: "*" })
        world.role = null
        expect(yield* entry(player)).toBe("player")
        expect(yield* entry(yield* signedByGame({ role, room: "lobby" }))).toBe("unauthenticated")
      })
    )
)

it.effect("[D-25] a game's credential has a minute of leeway, that of a viewer too", () =>
  inWorld(
    Effect.gen(function* () {
      world.kids = [1]
      const exp = 1_700_000_010
      const token = yield* signedByGame({ exp, role: "viewer", room: "lobby" })
      yield* TestClock.setTime(exp * 1000 + IdentityLimits.clockLeeway.ms - 1)
      expect(yield* entry(token)).toBe("viewer")
      yield* TestClock.adjust(1)
      expect(yield* entry(token)).toBe("unauthenticated")
      // The moment at which it was signed has the same leeway; the next second is too far ahead.
      const nowS = exp + IdentityLimits.clockLeeway.ms / 1000
      const signedAt = (iat: number) => signedByGame({ iat, exp: iat + 60, room: "lobby" })
      expect(yield* entry(yield* signedAt(nowS + 60))).toBe("player")
      expect(yield* entry(yield* signedAt(nowS + 61))).toBe("unauthenticated")
    })
  )
)

it.effect("[D-25] a player's id in a game's credential has 1 to 256 bytes", () =>
  inWorld(
    Effect.gen(function* () {
      world.kids = [1]
      const named = (sub: string) =>
        Effect.flatMap(signedByGame({ sub, role: "player", room: "lobby" }), entry)
      expect(yield* named("é".repeat(128))).toBe("player")
      expect(yield* named(`${"é".repeat(128)}a`)).toBe("unauthenticated")
      expect(yield* named("")).toBe("unauthenticated")
    })
  )
)

it.effect("[D-27] [D-25] an identity plays; beside a JWT secret only an asserted one does", () =>
  inWorld(
    Effect.gen(function* () {
      const tokens = yield* PlayerTokens
      const minted = (asserted: boolean) =>
        tokens.mintIdentity(projectId, { playerId: "pl_1", asserted, endedAtMs: null })
      const { token } = yield* minted(false)
      const asserted = yield* minted(true)
      expect(yield* entry(token)).toBe("player")
      expect(yield* entry(asserted.token)).toBe("player")
      world.kids = [1]
      expect(yield* entry(token)).toBe("identityAlone")
      expect(yield* entry(asserted.token)).toBe("player")
    })
  )
)

it.effect("[C-630] a ticket's credential says the place of the match, and no other one does", () =>
  inWorld(
    Effect.gen(function* () {
      world.kids = [1]
      const tokens = yield* PlayerTokens
      const placed = (token: string) =>
        Effect.map(tokens.verify(token, { projectId, roomId: "lobby" }), ({ match }) => match)
      const matched = { projectId, roomId: "lobby", playerId: "pl_1", queue: "duo", team: 1 }
      const alone = yield* placed(yield* tokens.mintMatch({ ...matched, party: null }))
      expect(alone).toEqual({ queue: "duo", team: 1, party: null })
      const party = (code: string) =>
        Effect.flatMap(tokens.mintMatch({ ...matched, party: code }), placed)
      const [one, same, other] = [
        yield* party("7K3P-V0QA"),
        yield* party("7K3P-V0QA"),
        yield* party("7K3P-V0QB")
      ]
      expect(one).toEqual(same)
      expect(one?.party).not.toBe(other?.party)
      // The code itself still takes players, and a room shows what it likes.
      expect(one?.party).toMatch(/^[A-Za-z0-9_-]{16}$/)
      for (const match of [{ queue: "duo", team: 0, party: null }, "today's"]) {
        expect(yield* placed(yield* signedByGame({ room: "lobby", match }))).toBe(null)
      }
    })
  )
)

it.effect("[D-25] a credential with another algorithm, header or signature lets nobody in", () =>
  inWorld(
    Effect.gen(function* () {
      world.kids = [1]
      const token = yield* signedByGame({ room: "lobby" })
      const [header = "", payload = "", signature = ""] = token.split(".")
      const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const secret = (yield* Secrets).joinSecret(projectId, 1)
      const withHeader = (head: unknown, hash = "sha256") => {
        const signed = `${encoded(head)}.${payload}`
        return `${signed}.${createHmac(hash, secret).update(signed).digest("base64url")}`
      }
      expect(yield* entry(withHeader({ alg: "HS256" }))).toBe("player")
      const others = [
        withHeader({ alg: "HS512" }, "sha512"),
        withHeader({ alg: "none" }),
        withHeader({}),
        withHeader({ alg: "HS256", crit: ["b64"], b64: true }),
        withHeader("HS256"),
        `${header}.${payload}.`,
        `${header}.${payload}.${"é".repeat(signature.length)}`,
        `${header}.${encoded({ iss: projectId, aud: "rooms", sub: "bob" })}.${signature}`,
        `${header}.${payload}`
      ]
      for (const other of others) expect(yield* entry(other), other).toBe("unauthenticated")
    })
  )
)

it.effect("[D-25] a credential that is not valid before a moment has a minute of leeway, too", () =>
  inWorld(
    Effect.gen(function* () {
      world.kids = [1]
      const from = (nbf: number) =>
        Effect.flatMap(signedByGame({ nbf, room: "lobby" }), (token) => entry(token))
      expect(yield* from(1_700_000_060)).toBe("player")
      expect(yield* from(1_700_000_061)).toBe("unauthenticated")
    })
  )
)

it.effect("[D-28] an identity is the player of its account, until its tokens end", () =>
  inWorld(
    Effect.gen(function* () {
      const tokens = yield* PlayerTokens
      const mint = (endedAtMs: number | null) =>
        tokens.mintIdentity(projectId, { playerId: "pl_1", asserted: false, endedAtMs })
      const { token } = yield* mint(null)
      const itself = { projectId, identityId: "pl_1", playerId: "pl_1" }
      expect(yield* tokens.identify(projectId, token)).toEqual(itself)
      world.identities = { pl_1: { playerId: "pl_2", endedAtMs: null } }
      const linked = { ...itself, playerId: "pl_2" }
      expect(yield* tokens.identify(projectId, token)).toEqual(linked)
      const joined = {
        playerId: "pl_2",
        identityId: "pl_1",
        name: null,
        role: "player",
        match: null,
        test: false
      }
      expect(yield* tokens.verify(token, { projectId, roomId: "lobby" })).toEqual(joined)
      const endedAtMs = 1_700_000_000_123
      world.identities = { pl_1: { playerId: "pl_2", endedAtMs } }
      expect((yield* Effect.flip(tokens.identify(projectId, token))).because).toBe(
        "unauthenticated"
      )
      expect(yield* entry(token)).toBe("unauthenticated")
      // Minted in the same second, after the end.
      const { token: next } = yield* mint(endedAtMs)
      expect(yield* tokens.identify(projectId, next)).toEqual(linked)
      expect(yield* entry(next)).toBe("player")
    })
  )
)

it.effect(
  "[auth.key.cannot.player-data] nothing but an identity token of the project is a player's",
  () =>
    inWorld(
      Effect.gen(function* () {
        const tokens = yield* PlayerTokens
        const identity = { playerId: "pl_1", asserted: false, endedAtMs: null }
        const refused = (token: string) =>
          Effect.map(Effect.flip(tokens.identify(projectId, token)), ({ because }) => because)
        for (const token of [
          "",
          `rk_${"x".repeat(43)}`,
          yield* signedByGame({}),
          (yield* minted).token,
          (yield* tokens.mintIdentity(other, identity)).token
        ]) {
          expect(yield* refused(token)).toBe("unauthenticated")
        }
      })
    )
)
