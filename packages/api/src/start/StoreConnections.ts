import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"

/** The connections of this runner to its database, as its metrics show them. */
export class StoreConnections extends Context.Service<
  StoreConnections,
  {
    readonly max: number
    /** Held by a statement, a transaction or a reservation. */
    readonly used: number
    /** Statements, transactions and reservations that wait for one. */
    readonly waiting: number
  }
>()("@atrium/api/start/StoreConnections") {}

/**
 * `PgClient.layer` whose pool is counted. The client of `@effect/sql-pg` hides its pool, so this one is
 * made of the same parts: `PgPool`, `SqlClient.make` and `PgClient.makeCompiler`. Source: C-462.
 */
export const storeClient = (config: PgClient.PgPoolConfig & { readonly maxConnections: number }) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const pool = yield* PgPool.make(config)
      const leases = new Leases(config.maxConnections)
      // It opens a connection only for `listen` and `notify`, which nobody calls.
      const facade = yield* PgClient.make({ ...config, maxConnections: 1 })
      const client = yield* SqlClient.make({
        driver: "pg",
        acquirer: leases.scoped(pool.get),
        transactionAcquirer: leases.scoped(pool.reserve),
        borrower: (use) => leases.lent((held) => pool.use((each) => held(use(connectionOf(each))))),
        compiler: PgClient.makeCompiler(),
        prepareTransactionControls: true,
        commit,
        releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
        spanAttributes: [["db.system.name", "postgresql"]]
      })
      const { json, listen, notify } = facade
      const pg: PgClient.PgClient = Object.assign(client, {
        [PgClient.TypeId]: PgClient.TypeId,
        config,
        json,
        listen,
        notify
      })
      return Context.make(PgClient.PgClient, pg).pipe(
        Context.add(SqlClient.SqlClient, pg),
        Context.add(StoreConnections, leases)
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))

/** Counts the connections that are held, and the callers that wait for one. */
class Leases {
  readonly max: number
  used = 0
  waiting = 0

  constructor(max: number) {
    this.max = max
  }

  /** A connection until the scope closes. */
  scoped(
    get: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  ): Effect.Effect<Connection, SqlError, Scope.Scope> {
    return Effect.uninterruptibleMask((restore) => {
      this.waiting++
      return restore(get).pipe(
        Effect.onExit(() => Effect.sync(() => this.waiting--)),
        Effect.tap(() => {
          this.used++
          return Effect.addFinalizer(() => Effect.sync(() => this.used--))
        }),
        Effect.map(connectionOf)
      )
    })
  }

  /** A connection for one effect; `held` marks when it has come. */
  lent<A, E, R>(
    use: (held: <B>(effect: B) => B) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      let came = false
      this.waiting++
      const held = <B>(effect: B): B => {
        came = true
        this.waiting--
        this.used++
        return effect
      }
      return Effect.onExit(use(held), () =>
        Effect.sync(() => {
          if (came) this.used--
          else this.waiting--
        })
      )
    })
  }
}

type Rows = (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined

/** The view that `SqlClient` takes of a connection. */
const connectionOf = (connection: PgConnection.PgConnection): Connection => {
  const known = views.get(connection)
  if (known !== undefined) return known
  const rowsOf = (asked: ReturnType<typeof connection.query>, transform: Rows) =>
    Effect.map(asked, ({ rows }) => (transform === undefined ? rows : transform(rows)))
  const view: Connection = {
    execute: (sql, params, transform) => rowsOf(connection.query(sql, params), transform),
    executeUnprepared: (sql, params, transform) =>
      rowsOf(connection.query(sql, params, false), transform),
    executeRaw: (sql, params) => connection.query(sql, params),
    executeValues: (sql, params) => connection.queryValues(sql, params),
    executeValuesUnprepared: (sql, params) => connection.queryValues(sql, params, false),
    executeStream: (sql, params, transform) => {
      const rows = connection.stream(sql, params)
      return transform === undefined
        ? rows
        : Stream.flatMap(rows, (row) => Stream.fromIterable(transform([row])))
    }
  }
  views.set(connection, view)
  return view
}

const views = new WeakMap<PgConnection.PgConnection, Connection>()

/** PostgreSQL answers a COMMIT of an aborted transaction with ROLLBACK. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    Object(result).command === "ROLLBACK"
      ? Effect.fail(
          new SqlError({
            reason: new UnknownError({
              cause: new Error("COMMIT rolled back an aborted transaction"),
              message: "PgClient: COMMIT rolled back an aborted transaction",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )
