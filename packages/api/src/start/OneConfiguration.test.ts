import { runnerProtocol } from "@atrium/actors/cluster/RunnerProtocol"
import type { S3Settings } from "@atrium/actors/objects/S3Requests"
import { hasMasterKey } from "@atrium/actors/store/MasterKeyVerifier"
import { TestStores } from "@atrium/actors/store/testing/TestStores"
import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { allowances } from "@atrium/domain/meters/Caps"
import { readObjectsUrl } from "@atrium/domain/objects/ObjectPlace"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { EntityId, Sharding } from "effect/cluster"
import { SqlClient } from "effect/sql"

import { masterKey } from "./MasterKey.ts"
import type { PlanConfig } from "./MeterSettings.ts"
import { joinRunners, livingRunner, otherRunners, tellLink } from "./OneConfiguration.ts"
import { makeRunnerLock } from "./OneRunner.ts"
import { runnerLayer } from "./Runner.ts"

/** The settings of an S3; empty = there is none. */
const s3At = (url: string): Option.Option<S3Settings> =>
  Option.map(Option.fromNullOr(readObjectsUrl(url)), (address) => ({
    address,
    region: "",
    keyId: Redacted.make("AKID"),
    secretKey: Redacted.make("hush")
  }))

const defaultPlans: PlanConfig = { allowances, newPlan: "card", sustainedBytes: 10_485_760 }

/** A runner that holds its lock until the scope ends. */
const living = Effect.fnUntraced(function* (
  address: string,
  { objectsUrl = "", plans = {} }: { objectsUrl?: string; plans?: Partial<PlanConfig> } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const config = {
    runnerAddress: Option.some(address),
    objects: s3At(objectsUrl),
    plans: { ...defaultPlans, ...plans }
  }
  const lock = makeRunnerLock(config)
  const connection = yield* sql.reserve
  // The connection goes back to the pool, which keeps it open.
  yield* Effect.addFinalizer(() =>
    Effect.orDie(
      connection.executeUnprepared(
        "select set_config('application_name', 'ended', false), pg_advisory_unlock_all()",
        [],
        undefined
      )
    )
  )
  yield* lock.first(connection)
  return { config, session: lock.session }
})

const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ runner: string }>`select runner from runners order by runner`
  return rows.map(({ runner }) => runner)
})

/** As if nobody had heard of a runner for longer than before. */
const silentFor = Effect.fnUntraced(function* (runner: string, ms: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update runners set heard_at_ms = heard_at_ms - ${ms} where runner = ${runner}`
})

const of = (shards: number, protocol = { oldest: 1, newest: 2 }) => ({ shards, protocol })

const [here, there] = ["127.0.0.1:9001", "127.0.0.1:9002"]

it.layer(TestStores)("the runners of a database", (it) => {
  it.effect(
    "[C-445] a runner with another number of shards is refused beside a living one alone",
    () =>
      Effect.gen(function* () {
        const second = yield* living(there)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const first = yield* living(here)
            yield* joinRunners(first.config, first.session, of(300))
            expect(yield* livingRunner(second.session)).toBe(here)
            const { message } = yield* Effect.flip(
              joinRunners(second.config, second.session, of(301))
            )
            expect(message).toBe(
              "The runner 127.0.0.1:9001 divides its actors into 300 shards, this one into 301: " +
                "start the same version of Atrium on every runner."
            )
            expect(yield* known).toEqual([here])
            const settings = {
              masterKey: Option.some(Redacted.make("ab".repeat(32))),
              dataDir: "/nowhere"
            }
            const asked = { accept: true, session: second.session }
            expect(yield* Effect.flip(masterKey(settings, asked))).toMatchObject({
              message:
                "--new-master-key is for a database that no other Atrium runs on, and 127.0.0.1:9001 runs on it: " +
                "stop every runner first (docs/operations.md)."
            })
            expect(yield* hasMasterKey).toBe(false)
          })
        )
        expect(yield* livingRunner(second.session)).toBeNull()
        yield* joinRunners(second.config, second.session, of(301))
        expect(yield* known).toEqual([here, there])
      })
  )

  it.effect(
    "[C-445] a start forgets the runners that have ended and were silent for an hour alone",
    () =>
      Effect.gen(function* () {
        const third = yield* living("127.0.0.1:9003")
        yield* joinRunners(third.config, third.session)
        expect(yield* known).toEqual([here, there, "127.0.0.1:9003"])
        yield* silentFor(here, FleetLimits.runnerKept.ms)
        // It stands still: its connection is there.
        yield* silentFor("127.0.0.1:9003", FleetLimits.runnerKept.ms)
        const fourth = yield* living("127.0.0.1:9004")
        yield* joinRunners(fourth.config, fourth.session)
        expect(yield* known).toEqual([there, "127.0.0.1:9003", "127.0.0.1:9004"])
      })
  )

  it.effect("[C-448] a start removes the row of the process before it alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const addresses = ["127.0.0.1:9005", "127.0.0.1:9006"]
      yield* sql`create table cluster_runners (address text primary key)`
      yield* sql`insert into cluster_runners select unnest(${addresses}::text[])`
      const fifth = yield* living("127.0.0.1:9005")
      yield* joinRunners(fifth.config, fifth.session)
      const rows = yield* sql`select address from cluster_runners`
      expect(rows).toEqual([{ address: "127.0.0.1:9006" }])
    })
  )

  it.effect(
    "[C-425] a runner one version back is served, and one two versions back is refused",
    () =>
      Effect.gen(function* () {
        const [old, next] = [yield* living("127.0.0.1:9011"), yield* living("127.0.0.1:9012")]
        yield* joinRunners(old.config, old.session, of(300, { oldest: 1, newest: 2 }))
        const { message } = yield* Effect.flip(
          joinRunners(next.config, next.session, of(300, { oldest: 3, newest: 4 }))
        )
        expect(message).toBe(
          "The runner 127.0.0.1:9011 speaks versions 1 to 2 of the runners' protocol, this one versions 3 to 4: " +
            "upgrade a running service by one version of Atrium at a time, or stop every runner first."
        )
        yield* joinRunners(next.config, next.session, of(300, { oldest: 2, newest: 3 }))
        // The older one starts again beside the newer one.
        const again = yield* living("127.0.0.1:9013")
        yield* joinRunners(again.config, again.session, of(300, { oldest: 1, newest: 2 }))
      })
  )

  it.effect("[C-423] the other runners are those that live, with their links and versions", () =>
    Effect.gen(function* () {
      const own = yield* living("127.0.0.1:9021")
      yield* joinRunners(own.config, own.session)
      const before = yield* otherRunners("127.0.0.1:9021")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = yield* living("127.0.0.1:9022")
          const { oldest } = runnerProtocol
          yield* joinRunners(other.config, other.session, of(300, { oldest, newest: oldest }))
          const shown = { address: "127.0.0.1:9022", newestProtocol: oldest }
          expect(yield* otherRunners("127.0.0.1:9021")).toEqual([
            ...before,
            { ...shown, link: null }
          ])
          yield* tellLink(other.session, "127.0.0.1:7001")
          expect(yield* otherRunners("127.0.0.1:9021")).toEqual([
            ...before,
            { ...shown, link: "127.0.0.1:7001" }
          ])
        })
      )
      expect(yield* otherRunners("127.0.0.1:9021")).toEqual(before)
    })
  )

  it.effect("[C-476] a runner with its objects elsewhere is refused beside a living one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [bucket, other] = ["http://127.0.0.1:9999/one", "http://127.0.0.1:9999/two"]
      const sentence = (runner: string, its: string, own: string): string =>
        `The runner ${runner} has ${its} for its objects, this one ${own}: ` +
        "start every runner with the same ATRIUM_OBJECTS_URL."
      const enter = Effect.fnUntraced(function* (address: string, objectsUrl = "") {
        const runner = yield* living(address, { objectsUrl })
        return yield* joinRunners(runner.config, runner.session).pipe(
          Effect.match({ onFailure: ({ message }) => message, onSuccess: () => null })
        )
      })
      /** The runners have ended by then. */
      const together = Effect.scoped

      // A database without objects begins in the S3 of its first runner.
      yield* together(
        Effect.gen(function* () {
          const none = "no ATRIUM_OBJECTS_URL"
          expect(yield* enter("127.0.0.1:9031")).toBeNull()
          expect(yield* enter("127.0.0.1:9032", bucket)).toBe(
            sentence("127.0.0.1:9031", none, bucket)
          )
        })
      )
      const begun = Effect.gen(function* () {
        expect(yield* enter("127.0.0.1:9031", bucket)).toBeNull()
        expect(yield* enter("127.0.0.1:9032")).toBe(
          sentence("127.0.0.1:9031", bucket, "no ATRIUM_OBJECTS_URL")
        )
        expect(yield* enter("127.0.0.1:9033", other)).toBe(
          sentence("127.0.0.1:9031", bucket, other)
        )
        expect(yield* enter("127.0.0.1:9034", bucket)).toBeNull()
      })
      yield* together(begun)

      // With objects that are all in PostgreSQL, variables are set on one runner after the other.
      yield* sql`insert into objects (key, bytes, manifest, stored_at_ms) values ('one', '', '{}', 0)`
      yield* together(
        Effect.gen(function* () {
          expect(yield* enter("127.0.0.1:9031")).toBeNull()
          expect(yield* enter("127.0.0.1:9032", bucket)).toBeNull()
          expect(yield* enter("127.0.0.1:9033")).toBeNull()
          expect(yield* enter("127.0.0.1:9034", other)).toBe(
            sentence("127.0.0.1:9032", bucket, other)
          )
        })
      )
      yield* sql`update object_place set place = 's3'`
      yield* together(begun)

      // The version before does not say where it has its objects, and serves beside this one.
      yield* together(
        Effect.gen(function* () {
          expect(yield* enter("127.0.0.1:9031", bucket)).toBeNull()
          yield* sql`update runners set objects_url = null`
          expect(yield* enter("127.0.0.1:9032", bucket)).toBeNull()
        })
      )
    })
  )

  it.effect("[C-529] a runner with other plans is refused beside a living one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const free = { ...allowances.free, roomHours: 5 }
      const changed: ReadonlyArray<readonly [string, string, string, Partial<PlanConfig>]> = [
        ["ATRIUM_NEW_PLAN", "card", "free", { newPlan: "free" }],
        ["ATRIUM_SUSTAINED_BYTES", "10485760", "off", { sustainedBytes: Infinity }],
        [
          "ATRIUM_ALLOWANCES_FREE",
          "roomHours=100,voiceMinutes=1000,storageBytes=1073741824,dataOutBytes=10737418240",
          "roomHours=5,voiceMinutes=1000,storageBytes=1073741824,dataOutBytes=10737418240",
          { allowances: { ...allowances, free } }
        ]
      ]
      const enter = Effect.fnUntraced(function* (address: string, plans: Partial<PlanConfig>) {
        const { config, session } = yield* living(address, { plans })
        return yield* joinRunners(config, session).pipe(
          Effect.match({ onFailure: ({ message }) => message, onSuccess: () => null })
        )
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          expect(yield* enter("127.0.0.1:9041", {})).toBeNull()
          for (const [name, its, own, plans] of changed) {
            expect(yield* enter("127.0.0.1:9042", plans)).toBe(
              `The runner 127.0.0.1:9041 has ${name}=${its}, this one ${own}: ` +
                `start every runner with the same ${name}; to change it, stop every runner first.`
            )
          }
          expect(yield* enter("127.0.0.1:9042", {})).toBeNull()
        })
      )
      // The runners have ended; and the version before says nothing of its plans.
      yield* Effect.scoped(
        Effect.gen(function* () {
          expect(yield* enter("127.0.0.1:9041", { newPlan: "free" })).toBeNull()
          yield* sql`update runners set plans = null`
          expect(yield* enter("127.0.0.1:9042", {})).toBeNull()
        })
      )
    })
  )

  it.effect("[C-445] the environment names of Effect Cluster are not read", () =>
    Effect.gen(function* () {
      process.env["SHARDS_PER_GROUP"] = "7"
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => void delete process.env["SHARDS_PER_GROUP"])
      )
      const shards = yield* Effect.map(Sharding.Sharding, (sharding) =>
        Array.from(
          { length: 200 },
          (_, at) => sharding.getShardId(EntityId.make(`a${at}`), "default").id
        )
      ).pipe(Effect.provide(Layer.fresh(runnerLayer({ runnerAddress: Option.none() }))))
      expect(Math.max(...shards)).toBeGreaterThan(7)
    })
  )
})
