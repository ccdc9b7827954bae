import type { OtherRunner } from "@atrium/actors/cluster/OtherRunners"
import {
  commonVersion,
  type ProtocolVersions,
  runnerProtocol,
  versionsText
} from "@atrium/actors/cluster/RunnerProtocol"
import { shardingTimes } from "@atrium/actors/cluster/ShardingTimes"
import { databaseNowMs } from "@atrium/actors/store/DatabaseClock"
import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { objectsUrlText } from "@atrium/domain/objects/ObjectPlace"
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import packageJson from "../../package.json" with { type: "json" }
import { planVariables } from "./MeterSettings.ts"
import { type ServiceConfig, StartRefused } from "./ServiceConfig.ts"

/** A runner lives as long as the database sees the connection that holds its lock. */
const alive = "session in (select application_name from pg_stat_activity)"

const decodeNames = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ runner: Schema.String }))
)

const decodeSettings = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      runner: Schema.String,
      shards: Schema.Int,
      oldest: Schema.Int,
      newest: Schema.Int,
      objects: Schema.NullOr(Schema.String),
      plans: Schema.NullOr(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))
    })
  )
)

const decodeOthers = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      address: Schema.String,
      link: Schema.NullOr(Schema.String),
      newestProtocol: Schema.Int
    })
  )
)

/** The address of another runner that lives now; `null` = there is none. */
export const livingRunner = Effect.fnUntraced(function* (session: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select runner from runners
    where session <> ${session} and ${sql.literal(alive)} limit 1`.pipe(Effect.flatMap(decodeNames))
  return rows[0]?.runner ?? null
})

/** What all runners of a service have in common. */
interface RunnerSettings {
  readonly shards: number
  readonly protocol: ProtocolVersions
}

const ownSettings: RunnerSettings = {
  shards: shardingTimes.shardsPerGroup,
  protocol: runnerProtocol
}

/**
 * Enters this runner among those of its database. It is refused beside a living one with another number of shards,
 * as each of the two would look for an actor elsewhere, and beside one that speaks no version of the runners'
 * protocol that this one speaks, and beside one that has its objects elsewhere, which could not read those of this
 * one, and beside one with other plans, as a project would meet its walls at one of the two. A runner without an
 * address is alone, by its lock.
 *
 * @param session the name of the connection that holds the runner's lock
 */
export const joinRunners = Effect.fnUntraced(
  function* (
    { runnerAddress, objects, plans }: Pick<ServiceConfig, "runnerAddress" | "objects" | "plans">,
    session: string,
    { shards, protocol }: RunnerSettings = ownSettings
  ) {
    if (Option.isNone(runnerAddress)) return
    const sql = yield* SqlClient.SqlClient
    const objectsUrl = Option.match(objects, {
      onNone: () => "",
      onSome: ({ address }) => objectsUrlText(address)
    })
    const ownPlans = planVariables(plans)
    const nowMs = databaseNowMs(sql)
    const entered = Effect.gen(function* () {
      // When two runners start at once, the second one sees the first.
      yield* sql`lock table runners in exclusive mode`
      yield* sql`delete from runners
        where not exists (select from pg_stat_activity where application_name = session)
          and heard_at_ms <= ${nowMs} - ${FleetLimits.runnerKept.ms}`
      const others = yield* Effect.flatMap(
        sql`select runner, shards, oldest_protocol as oldest, newest_protocol as newest,
            objects_url as objects, plans
          from runners where ${sql.literal(alive)} order by runner`,
        decodeSettings
      )
      const objections = [
        ...others.map(objectionTo({ shards, protocol })),
        ...others.map(objectsObjection(objectsUrl, yield* allInRows)),
        ...others.map(plansObjection(ownPlans))
      ]
      const message = objections.find((it) => it !== null)
      if (message !== undefined) return yield* new StartRefused({ message })
      yield* sql`insert into runners (runner, session, shards, version, setting,
          started_at_ms, heard_at_ms, rooms, clients, load, oldest_protocol, newest_protocol,
          objects_url, plans)
        values (${runnerAddress.value}, ${session}, ${shards}, ${packageJson.version}, 'open',
          ${nowMs}, ${nowMs}, 0, 0, 0, ${protocol.oldest}, ${protocol.newest}, ${objectsUrl},
          ${JSON.stringify(ownPlans)})
        on conflict (runner) do update set session = excluded.session, shards = excluded.shards,
          oldest_protocol = excluded.oldest_protocol, newest_protocol = excluded.newest_protocol,
          objects_url = excluded.objects_url, plans = excluded.plans, link = null`
      yield* forgetProcessBefore(runnerAddress.value)
    })
    yield* sql.withTransaction(entered)
  },
  Effect.catchTag(["SqlError", "SchemaError"], ({ message }) =>
    Effect.fail(
      new StartRefused({ message: `The database's other runners cannot be read: ${message}.` })
    )
  )
)

/** A process that was killed leaves its row, and this one is not there yet: nothing is to be sent to it. */
const forgetProcessBefore = Effect.fnUntraced(function* (address: string) {
  const sql = yield* SqlClient.SqlClient
  // The cluster makes its tables later, at the first start.
  const [tables] = yield* sql<{ made: boolean }>`
    select to_regclass('cluster_runners') is not null as made`
  if (tables?.made === true) yield* sql`delete from cluster_runners where address = ${address}`
})

/** The reason why a runner with these settings must not start beside another one; `null` = there is none. */
const objectionTo =
  ({ shards, protocol }: RunnerSettings) =>
  (other: ProtocolVersions & { readonly runner: string; readonly shards: number }) => {
    if (other.shards !== shards) {
      return (
        `The runner ${other.runner} divides its actors into ${other.shards} shards, this one into ${shards}: ` +
        "start the same version of Atrium on every runner."
      )
    }
    if (commonVersion(other, protocol) !== null) return null
    return (
      `The runner ${other.runner} speaks ${versionsText(other)} of the runners' protocol, this one ` +
      `${versionsText(protocol)}: upgrade a running service by one version of Atrium at a time, or stop every runner first.`
    )
  }

/** Whether all objects are in PostgreSQL, and new ones go there, too. A database without objects may begin in an S3. */
const allInRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly rows: boolean }>`
    select place = 'postgres' and (ordered_at_ms is not null or exists (select from objects))
      and not exists (select from objects where blob is not null) as rows
    from object_place`
  return row?.rows === true
})

/**
 * What keeps a runner with objects at this place from starting beside another one; `null` = nothing. Variables are set on
 * one runner after the other: while all objects are in PostgreSQL, some runners may have an S3 and others none.
 *
 * @param own empty = this runner has no S3
 */
const objectsObjection =
  (own: string, inRows: boolean) =>
  ({ runner, objects }: { readonly runner: string; readonly objects: string | null }) => {
    const agrees = objects === null || objects === own
    if (agrees || (inRows && (objects === "" || own === ""))) return null
    const placed = (url: string): string => (url === "" ? "no ATRIUM_OBJECTS_URL" : url)
    return (
      `The runner ${runner} has ${placed(objects)} for its objects, this one ${placed(own)}: ` +
      "start every runner with the same ATRIUM_OBJECTS_URL."
    )
  }

/** The variable of a plan that keeps a runner from starting beside another one; `null` = all are the same. */
const plansObjection =
  (own: Readonly<Record<string, string>>) =>
  ({
    runner,
    plans
  }: {
    readonly runner: string
    readonly plans: Readonly<Record<string, string>> | null
  }) => {
    // The version before says nothing of its plans, and the next one may know more variables.
    const other = Object.entries(plans ?? {}).find(
      ([name, value]) => own[name] !== undefined && own[name] !== value
    )
    if (other === undefined) return null
    const [name, value] = other
    return (
      `The runner ${runner} has ${name}=${value}, this one ${own[name]}: ` +
      `start every runner with the same ${name}; to change it, stop every runner first.`
    )
  }

/** Tells the other runners where this one is asked: from now on it answers. */
export const tellLink = Effect.fnUntraced(function* (session: string, link: string | null) {
  if (link === null) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`update runners set link = ${link} where session = ${session}`.pipe(
    Effect.mapError(
      ({ message }) =>
        new StartRefused({ message: `The database does not take the runner's link: ${message}.` })
    )
  )
})

/** The other runners that live now. A failing store is a defect. */
export const otherRunners = Effect.fnUntraced(function* (address: string) {
  const sql = yield* SqlClient.SqlClient
  const runners: ReadonlyArray<OtherRunner> =
    yield* sql`select runner as address, link, newest_protocol as "newestProtocol"
    from runners where runner <> ${address} and ${sql.literal(alive)}
    order by runner`.pipe(Effect.flatMap(decodeOthers), Effect.orDie)
  return runners
})
