import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

import { until } from "@atrium/domain/testing/Until"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"

import { reasonOfEnd, startEmbeddedPostgres } from "./EmbeddedPostgres.ts"
import type { EmbeddedPostgres } from "./EmbeddedPostgres.ts"
import { processStart } from "./ProcessIdentity.ts"

// One real cluster for the whole file: each test starts it, harms it or holds it, and puts it right.
// Its parent is private to its owner, as a service's folder in a home folder would be.
const parent = mkdtempSync(join(tmpdir(), "atrium-embedded-"))
const dataDir = join(parent, "data")
const cluster = join(dataDir, "cluster")

const start = startEmbeddedPostgres({ dataDir, durable: false })
const running = <A, E>(use: (postgres: EmbeddedPostgres) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(start, use)))
const refusal = () => Effect.runPromise(Effect.scoped(Effect.flip(start)))

const query = (url: Redacted.Redacted, statement: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return yield* sql.unsafe(statement)
  }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))

const postmasterPid = (): number =>
  Number.parseInt(readFileSync(join(cluster, "postmaster.pid"), "utf8"), 10)

const parentOf = (pid: number): number =>
  Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

const groupOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[2])

/** Another service process that runs PostgreSQL on the same folder. */
const spawnService = async (): Promise<ChildProcess> => {
  const module = new URL("./EmbeddedPostgres.ts", import.meta.url).href
  const program = `
    import { Effect } from "effect"
    import { startEmbeddedPostgres } from ${JSON.stringify(module)}
    Effect.runPromise(Effect.scoped(Effect.gen(function* () {
      const postgres = yield* startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, durable: false })
      process.stdout.write("ready\\n")
      yield* postgres.ended
    })))`
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"]
  })
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", () => resolve())
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)))
  })
  return child
}

beforeAll(() => running((postgres) => query(postgres.url, "CREATE TABLE kept (id int)")))
afterAll(() => rmSync(parent, { recursive: true, force: true }))

test("[postgres.embedded.restart] keeps the rows over a restart", () =>
  running((postgres) =>
    Effect.gen(function* () {
      expect(yield* query(postgres.url, "SELECT count(*)::int AS n FROM kept")).toEqual([{ n: 0 }])
    })
  ))

test("[postgres.embedded.access] the service's role is no superuser, and no password means no access", () =>
  running((postgres) =>
    Effect.gen(function* () {
      const role = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
      expect(yield* query(postgres.url, role)).toEqual([{ rolsuper: false }])
      expect(yield* query(postgres.adminUrl, role)).toEqual([{ rolsuper: true }])
      for (const user of ["atrium", "postgres"]) {
        const open = Redacted.make(`postgres://${user}:guess@127.0.0.1:${postgres.port}/postgres`)
        const failure = yield* Effect.flip(query(open, "SELECT 1"))
        expect(failure.reason._tag).toBe("AuthenticationError")
      }
      const hashed =
        "SELECT rolname FROM pg_authid WHERE rolpassword LIKE 'SCRAM-SHA-256$1:%' ORDER BY 1"
      const quick = [{ rolname: "atrium" }, { rolname: "postgres" }]
      expect(yield* query(postgres.adminUrl, hashed)).toEqual(quick)
      const hba = readFileSync(join(cluster, "pg_hba.conf"), "utf8")
      expect(hba.split("\n").filter((line) => /^[^#]*\btrust\b/.test(line))).toEqual([])
      expect(statSync(join(dataDir, "credentials.json")).mode & 0o777).toBe(0o600)
      expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    })
  ))

test("[postgres.embedded.in-use] a second start on the same folder names the process that holds it", () =>
  running(() =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(start)
      expect(failure).toMatchObject({
        _tag: "DataFolderInUse",
        pid: process.pid,
        message: `The data folder ${dataDir} is in use by process ${process.pid}.`
      })
    })
  ))

test("[postgres.embedded.in-use] the lock of another live process holds, and goes with that process", async () => {
  const service = await spawnService()
  expect(await refusal()).toMatchObject({ _tag: "DataFolderInUse", pid: service.pid })
  service.kill("SIGKILL")
  await until("the service is gone", () => processStart(service.pid ?? 0) === null)
  await running(() => Effect.void)
})

test("[postgres.embedded.stale-lock] the locks of the dead, of a reused pid and of nobody are taken over", async () => {
  const stale = [
    JSON.stringify({ pid: 2 ** 22 + 1, start: "1" }),
    JSON.stringify({ pid: process.pid, start: "not this one" }),
    "{",
    ""
  ]
  for (const text of stale) {
    writeFileSync(join(dataDir, "lock"), text)
    await running(() => Effect.void)
  }
})

test.runIf(process.platform === "linux")(
  "[postgres.embedded.guardian] the server is outside the terminal's group and ends after SIGKILL of the service",
  async () => {
    const service = await spawnService()
    const pid = postmasterPid()
    expect(groupOf(pid)).not.toBe(groupOf(service.pid ?? 0))
    const guardian = parentOf(pid)
    // What a terminal sends to a whole session at its end does not reach through the guardian.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(guardian, signal)
    expect(processStart(guardian)).not.toBeNull()
    service.kill("SIGKILL")
    await until("the server and its guardian are gone", () =>
      [pid, guardian].every((each) => processStart(each) === null)
    )
    expect(statSync(join(cluster, "postmaster.pid"), { throwIfNoEntry: false })).toBeUndefined()
  }
)

test.runIf(process.platform === "linux")(
  "[postgres.embedded.orphan] a server that lost service and guardian is ended by the next start",
  async () => {
    const service = await spawnService()
    const pid = postmasterPid()
    process.kill(parentOf(pid), "SIGSTOP")
    process.kill(service.pid ?? 0, "SIGKILL")
    process.kill(parentOf(pid), "SIGKILL")
    await until("the server is an orphan", () => processStart(service.pid ?? 0) === null)
    expect(processStart(pid)).not.toBeNull()
    await running(() => Effect.void)
    expect(processStart(pid)).toBeNull()
  }
)

test.runIf(process.platform === "linux")(
  "[postgres.embedded.guardian] the server ends with its guardian, and the service is told",
  () =>
    running((postgres) =>
      Effect.gen(function* () {
        process.kill(parentOf(postmasterPid()), "SIGKILL")
        expect(yield* postgres.ended).toContain("LOG:  database system is shut down")
      })
    )
)

test("[postgres.embedded.recovery] a crash of the server and a pid file of a stranger are recovered", async () => {
  await running((postgres) =>
    Effect.gen(function* () {
      process.kill(postmasterPid(), "SIGKILL")
      yield* postgres.ended
    })
  )
  for (const text of [`${process.ppid}\n`, "", "garbage"]) {
    writeFileSync(join(cluster, "postmaster.pid"), text)
    await running((postgres) => query(postgres.url, "SELECT 1"))
  }
})

test("[postgres.embedded.stop] stop disconnects the clients and ends the server", () =>
  running((postgres) =>
    Effect.gen(function* () {
      const pid = postmasterPid()
      yield* query(postgres.url, "SELECT pg_sleep(60)").pipe(Effect.exit, Effect.forkScoped)
      yield* postgres.stop
      expect(processStart(pid)).toBeNull()
    })
  ))

test("[postgres.embedded.damaged] the reason of an end is not what a client was told that came too early", () => {
  const reason = 'FATAL:  could not write to file "pg_wal/xlogtemp.29": No space left on device'
  const refused = "FATAL:  the database system is not yet accepting connections"
  const lines = [refused, reason, refused, "LOG:  shutting down due to startup process failure"]
  expect(reasonOfEnd(lines)).toBe(reason)
  expect(reasonOfEnd([reason, "FATAL:  the database system is starting up"])).toBe(reason)
  expect(reasonOfEnd(["LOG:  a word"])).toBe("LOG:  a word")
})

interface Damage {
  readonly what: string
  readonly path: string
  /** The content that replaces the file; `null` = the file is gone. */
  readonly leaves: string | Uint8Array | null
  readonly says: string
}

const version = "cluster/PG_VERSION"
const control = "cluster/global/pg_control"
const damages: ReadonlyArray<Damage> = [
  { what: "no version", path: version, leaves: null, says: "PG_VERSION is missing" },
  { what: "a rubbish version", path: version, leaves: "\0", says: "does not name a version" },
  {
    what: "another major version",
    path: version,
    leaves: "15\n",
    says: "was written by PostgreSQL 15, and this is PostgreSQL 18"
  },
  { what: "no control file", path: control, leaves: null, says: "pg_control is missing" },
  { what: "a short control file", path: control, leaves: "x", says: "is not 8192 bytes long" },
  {
    what: "a control file of zeros",
    path: control,
    leaves: new Uint8Array(8192),
    says: "is damaged: PostgreSQL says"
  },
  { what: "no log", path: "cluster/pg_wal", leaves: null, says: "is damaged: PostgreSQL says" },
  { what: "no passwords", path: "credentials.json", leaves: null, says: "is missing" },
  { what: "rubbish passwords", path: "credentials.json", leaves: "{}", says: "does not parse" }
]

test.each(damages)("[postgres.embedded.damaged] $what is one clear sentence", async (damage) => {
  const path = join(dataDir, damage.path)
  const aside = join(parent, "aside")
  renameSync(path, aside)
  if (damage.leaves !== null) {
    const { uid, gid } = statSync(cluster)
    writeFileSync(path, damage.leaves)
    chownSync(path, uid, gid)
  }
  const failure = await refusal()
  rmSync(path, { force: true })
  renameSync(aside, path)
  expect(failure._tag).toBe("DataFolderDamaged")
  expect(failure.message).toContain(damage.says)
  expect(failure.message).toMatch(/^[^\n]+\.$/)
  await running((postgres) => query(postgres.url, "SELECT count(*) FROM kept"))
})

test("[postgres.embedded.damaged] a file in the place of the folder is one clear sentence", async () => {
  const path = join(parent, "file")
  writeFileSync(path, "")
  const failure = await Effect.runPromise(
    Effect.scoped(Effect.flip(startEmbeddedPostgres({ dataDir: path, durable: false })))
  )
  expect(failure._tag).toBe("DataFolderInaccessible")
  expect(failure.message).toMatch(/^The data folder .* cannot be used: [^\n]+\.$/)
})

test("[postgres.embedded.cut-short] a first start that was cut short leaves nothing in the way", async () => {
  const other = join(parent, "other")
  mkdirSync(join(other, "cluster.new.abcdef/base"), { recursive: true })
  await Effect.runPromise(Effect.scoped(startEmbeddedPostgres({ dataDir: other, durable: false })))
  expect(statSync(join(other, "cluster.new.abcdef"), { throwIfNoEntry: false })).toBeUndefined()
})
